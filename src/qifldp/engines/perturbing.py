"""From values to a file of reports, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from qifldp.collection.client import SecureClient
from qifldp.collection.reports import Reports
from qifldp.engines.pieces import rows_a_piece
from qifldp.engines.report_files import write_reports
from qifldp.engines.report_schema import ReportHeader, to_batch
from qifldp.errors import InputError


@dataclass(frozen=True, eq=False)
class People:
    """Some people's values.

    Attributes:
        places: The values, as places in the domain.
        ids: An id of each, if they have one.
        share: Share of all people up to these.
    """

    places: NDArray[np.int64]
    ids: list[str] | None = None
    share: float = 1.0


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        header: What the file says about itself.
        epsilon: The ε that is actually given: that of the probabilities as they are drawn.
        reports: Number of reports.
        file_bytes: Size of the file.
    """

    header: ReportHeader
    epsilon: float
    reports: int
    file_bytes: int


def perturb_to_file(
    path: str | Path,
    header: ReportHeader,
    people: Iterable[People],
    *,
    rng: np.random.Generator | None = None,
    ids: bool = False,
    progress: Callable[[float, int], None] | None = None,
) -> Written:
    """Draw a report for each of many people, and write them to a file, whole or not at all.

    Args:
        path: The file; its ending says the format.
        header: Of the file.
        people: The people, in order; how they are grouped makes no difference.
        rng: Draws a simulation; without it the secure client draws.
        ids: Whether people have ids, which are written beside their reports.
        progress: Called with the share of people that have reported, and their number.

    Raises:
        InputError: If there is nobody, or the file cannot be written.
    """
    protocol, schema = header.protocol, header.schema(ids=ids)
    client = SecureClient(protocol)
    written = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal written
        for part in regrouped(people, rows_a_piece(protocol.mechanism.width)):
            reports: Reports = client.reports(part.places) if rng is None else protocol.perturb(part.places, rng=rng)
            written += len(reports)
            yield to_batch(reports, schema, part.ids)
            if progress is not None:
                progress(part.share, written)
        if not written:
            raise InputError("There is nobody to report: the data have no rows.")

    size = write_reports(path, schema, batches())
    return Written(header, client.epsilon, written, size)


def regrouped(people: Iterable[People], size: int) -> Iterator[People]:
    """Group people anew, in order, so that each group but the last has one size."""
    waiting: list[People] = []
    for some in people:
        waiting.append(some)
        if sum(len(part.places) for part in waiting) < size:
            continue
        whole = _together(waiting)
        for start in range(0, len(whole.places) - size + 1, size):
            yield _part(whole, start, start + size)
        waiting = [_part(whole, len(whole.places) // size * size, len(whole.places))]
    if waiting and len((rest := _together(waiting)).places):
        yield rest


def _together(parts: list[People]) -> People:
    ids = None if parts[0].ids is None else [name for part in parts for name in part.ids or ()]
    return People(np.concatenate([part.places for part in parts]), ids, parts[-1].share)


def _part(whole: People, start: int, end: int) -> People:
    return People(whole.places[start:end], None if whole.ids is None else whole.ids[start:end], whole.share)
