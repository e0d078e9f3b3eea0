"""Threads that count pieces: the kernels release the interpreter's lock."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Lock
from types import TracebackType
from typing import Self

import pyarrow as pa

from qifldp.collection.accumulator import Accumulator
from qifldp.engines.pieces import Piece


@dataclass(eq=False)
class _Part:
    """One thread's counts, and the number of the file that they are of."""

    file: int
    counts: Accumulator


class Workers:
    """Threads that count pieces, each into counts of its own; only so many pieces wait.

    Counts of the file that is being read are kept apart from those of the files before it, without waiting at the end
    of a file: a thread hands in what it has when it meets a piece of another file.
    """

    def __init__(self, whole: Accumulator, begun: Accumulator, threads: int) -> None:
        """Start threads.

        Args:
            whole: Counts of whole files, added to.
            begun: Counts of the file that is read next, up to where its reading starts.
            threads: How many.
        """
        self._whole, self._begun = whole, begun
        self._file = 0
        self._handing_in = Lock()
        self._pool = ThreadPoolExecutor(threads)
        self._waiting: deque[Future[None]] = deque()
        self._window = threads + 1
        self._idle: SimpleQueue[_Part] = SimpleQueue()
        for _ in range(threads):
            self._idle.put(_Part(0, whole.fresh()))
        self._threads = threads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)

    def count(self, piece: Piece, reports: pa.Array) -> None:
        """Have reports of a piece of the file that is being read counted, after waiting for room."""
        while len(self._waiting) >= self._window:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(self._work, self._file, piece, reports))

    def refuse(self, reason: str, times: int) -> None:
        """Count reports of the file that is being read which are refused."""
        with self._handing_in:
            self._begun.refuse(reason, times)

    def end_file(self) -> None:
        """Take the file that is being read for whole, and what is counted from now on for the next one's."""
        with self._handing_in:
            self._file += 1
            if self._begun.n or self._begun.refused:
                self._whole.merge(self._begun)
                self._begun = self._whole.fresh()

    def gather(self) -> tuple[Accumulator, Accumulator]:
        """Wait for all, and return the counts of the whole files, and of the one that is being read."""
        while self._waiting:
            self._waiting.popleft().result()
        for _ in range(self._threads):
            part = self._idle.get()
            self._idle.put(self._handed_in(part, part.file))
        return self._whole, self._begun

    def _work(self, file: int, piece: Piece, reports: pa.Array) -> None:
        part = self._idle.get()
        try:
            if part.file != file:
                part = self._handed_in(part, file)
            piece.count(reports, part.counts)
        finally:
            self._idle.put(part)

    def _handed_in(self, part: _Part, file: int) -> _Part:
        """Add a thread's counts to those of the whole files, or of the one being read, and return none of a file."""
        if not part.counts.n and not part.counts.refused:
            return _Part(file, part.counts)
        with self._handing_in:
            (self._begun if part.file == self._file else self._whole).merge(part.counts)
        return _Part(file, part.counts.fresh())
