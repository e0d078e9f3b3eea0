"""Counting reports on one machine: the main thread reads, others count, and a checkpoint survives a kill."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from qifldp.collection.accumulator import Accumulator, Weights
from qifldp.collection.mechanism import check_threads, cores
from qifldp.engines.checkpoint import Begun, Checkpoint
from qifldp.engines.pieces import ReportFile
from qifldp.engines.report_files import list_files, open_reports
from qifldp.engines.report_schema import ReportHeader
from qifldp.engines.workers import Workers
from qifldp.errors import InputError, shown

SECONDS = 2.0
"""Between two checkpoints; more if writing one takes more than a tenth of it."""

SEEN_BEFORE = "an id seen before"
NO_ID = "no id in the row"

Progress = Callable[[float, int], None]
"""Called with the share of the input that was read, and the number of rows."""


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts of all reports of a source.

    Attributes:
        header: Of the first file; simulated if any counted file is.
        accumulator: The counts.
    """

    header: ReportHeader
    accumulator: Accumulator


def count_reports(
    source: str | Path,
    *,
    weights: Weights = "value",
    threads: int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress | None = None,
) -> Counted:
    """Count the reports of a file, or of all files of a folder.

    The first file says the protocol. If its rows have ids, the first row with an id is the one that is counted, or
    refused; later ones are refused.

    Args:
        source: A file or a folder.
        weights: ``value`` or ``plain``.
        threads: How many count; all cores by default.
        checkpoint: A file in which to keep the counts so far; if it exists, counting goes on from there: within a
            file that was begun, if that is still the same, else from its first row.
        progress: Called after each piece that was read.

    Raises:
        InputError: If a file is not one of reports or is damaged, or the checkpoint is of other files. Then the
            checkpoint keeps the counts of the whole files before. Also if there are to be no threads.
    """
    check_threads(threads)
    files = list_files(source)
    first = open_reports(files[0])
    empty = Accumulator.empty(first.header.protocol, weights=weights)
    if checkpoint is None:
        state = Checkpoint([], weights, 0, empty)
    else:
        state = Checkpoint.load(checkpoint, files, empty, weights)
    begun = empty.fresh() if state.begun is None else state.begun.counts
    with Workers(state.counts, begun, threads or cores()) as workers:
        run = _Run(files, first, state, checkpoint, progress or (lambda _, __: None), workers)
        counts = run.count()
    return Counted(replace(first.header, simulated=run.simulated), counts)


class _Run:
    """One way through the files, from where the checkpoint stands."""

    def __init__(
        self,
        files: list[Path],
        first: ReportFile,
        state: Checkpoint,
        checkpoint: str | Path | None,
        progress: Progress,
        workers: Workers,
    ) -> None:
        self.simulated = False
        self._files, self._first, self._state = files, first, state
        self._checkpoint, self._progress, self._workers = checkpoint, progress, workers
        self._place = state.files, 0 if state.begun is None else state.begun.rows
        self._saved = time.monotonic()
        self._pause = SECONDS
        self._bytes = [0, *itertools.accumulate(file.stat().st_size for file in files)]
        self._rows = 0
        if first.has_ids:
            from qifldp.engines.seen_ids import SeenIds  # noqa: PLC0415  # compiled when first used

            self._seen = SeenIds()

    def count(self) -> Accumulator:
        """Count everything, and return the counts."""
        begun_at = self._place[1]
        try:
            for number, path in enumerate(self._files):
                done = math.inf if number < self._state.files else 0
                if number == self._state.files:
                    done = begun_at
                self._count_file(open_reports(path), number, done)
        except InputError as error:
            if self._place == (0, 0):
                raise
            raise InputError(f"{error} {self._kept()}") from None
        return self._save()

    def _kept(self) -> str:
        """Save the counts of the whole files before a damaged one, and return a sentence about it.

        The damaged file will be another one when it is mended, so nothing of it can be kept.
        """
        whole, begun = self._workers.gather()
        n = whole.n + begun.n
        reports = "1 report was" if n == 1 else f"{n:,} reports were"
        if self._checkpoint is None:
            return f"{reports} counted before."
        replace(self._state, files=self._place[0], counts=whole, begun=None).save(self._checkpoint)
        name = shown(str(self._checkpoint))
        if self._place[1] == 0:
            return f"{reports} counted before, and are kept in {name}."
        return f"{reports} counted before; those of whole files, {whole.n:,}, are in {name}."

    def _count_file(self, file: ReportFile, number: int, done: float) -> None:
        why = file.refusal(self._first.header)
        if why is not None:
            if done == 0:
                self._workers.refuse(why, file.count_rows())
        else:
            self._count_rows(file, number, done)
        if done < math.inf:
            self._workers.end_file()
            self._place = number + 1, 0

    def _count_rows(self, file: ReportFile, number: int, done: float) -> None:
        file.check_ids(self._first)
        self.simulated |= file.header.simulated
        if done == math.inf and not file.has_ids:
            return
        before, after = self._bytes[number : number + 2]
        for piece in file.pieces(0 if file.has_ids else int(done)):
            fresh = None if piece.ids is None else self._fresh(piece.ids, refusing=piece.end > done)
            if piece.end <= done:
                continue
            if piece.start < done:
                raise InputError(
                    f"The checkpoint ends inside a piece of {shown(file.path.name)}: "
                    "start again to count that file from its first row."
                )
            for reason, times in piece.refused.items():
                self._workers.refuse(reason, times)
            self._workers.count(piece, piece.reports if fresh is None else piece.reports.filter(fresh))
            self._place = number, piece.end
            self._rows += piece.end - piece.start
            self._progress((before + piece.share * (after - before)) / self._bytes[-1], self._rows)
            if self._checkpoint is not None and time.monotonic() - self._saved > self._pause:
                self._save()

    def _fresh(self, ids: pa.Array, *, refusing: bool) -> pa.Array:
        """Return which rows have an id that was not seen before, and refuse the others."""
        named = ids.is_valid()
        fresh = named.to_numpy(zero_copy_only=False).copy()
        present = int(np.count_nonzero(fresh))
        fresh[fresh] = self._seen.add(ids.filter(named))
        if refusing:
            self._workers.refuse(NO_ID, len(ids) - present)
            self._workers.refuse(SEEN_BEFORE, present - int(np.count_nonzero(fresh)))
        return pa.array(fresh)

    def _save(self) -> Accumulator:
        """Write the checkpoint if one is kept, and return the counts of whole files."""
        whole, begun = self._workers.gather()
        if self._checkpoint is None:
            return whole
        start = time.monotonic()
        files, rows = self._place
        part = Begun(rows, begun) if rows else None
        replace(self._state, files=files, counts=whole, begun=part).save(self._checkpoint)
        self._saved = time.monotonic()
        self._pause = max(SECONDS, 10 * (self._saved - start))
        return whole
