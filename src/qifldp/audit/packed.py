"""From packed reports of this package's protocols to columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.columns import HOLDS, POSITIONS, SUPPORTS, Columns, Field, Statistic
from qifldp.audit.encoding import find_distinct
from qifldp.audit.headers import header_fields
from qifldp.audit.parts import categories
from qifldp.collection.mechanism import FAULTS
from qifldp.collection.subsets import SubsetMechanism
from qifldp.protocols.protocol import Protocol


def packed_rows(reports: Sequence[object], width: int) -> tuple[NDArray[np.uint8], list[str] | None] | None:
    """Return reports as rows of so many bytes, if most of them are; the others as zeros.

    Returns:
        The rows, and the type and length of each report if one is of another (else None); or None.
    """
    fits = [type(report) is bytes and len(report) == width for report in reports]
    if 2 * sum(fits) <= len(fits):
        return None
    parts = (report if fit else bytes(width) for report, fit in zip(reports, fits, strict=True))
    rows = np.frombuffer(b"".join(parts), np.uint8).reshape(-1, width)  # type: ignore[arg-type]  # bytes, where they fit
    if all(fits):
        return rows, None
    codes, distinct, _ = find_distinct([report for report, fit in zip(reports, fits, strict=True) if not fit])
    shapes = iter([distinct[code].shape for code in codes.tolist()])
    usual = f"bytes of {width}"
    return rows, [usual if fit else next(shapes) for fit in fits]


def encode_packed(
    rows: NDArray[np.uint8],
    protocol: Protocol,
    watched: NDArray[np.int64],
    *,
    declared: bool,
    shapes: Sequence[str] | None = None,
) -> Columns:
    """Return packed reports of a protocol as columns; what cannot be such a report is counted, if it is declared.

    Args:
        rows: The reports.
        protocol: Their protocol.
        watched: Places of the values that are looked at.
        declared: Whether the client says that it is this one.
        shapes: Type and length of each report, where some are not of the protocol's width: these are zeros in ``rows``.
    """
    mechanism, width = protocol.mechanism, len(watched)
    support = np.empty((len(rows), width), bool)
    sizes = np.empty(len(rows), np.int64)
    faults = mechanism.faults(rows)
    step = max(1, (1 << 24) // mechanism.domain_size)
    for start in range(0, len(rows), step):
        part = rows[start : start + step].copy()
        part[faults[start : start + step] == 3] = 0  # values that there are not
        found = mechanism.supports(part)
        support[start : start + step], sizes[start : start + step] = found[:, watched], found.sum(axis=1)
    impossible: Counter[str] = Counter()
    misfits = None
    if shapes is not None:
        misfits = np.array([shape != f"bytes of {mechanism.width}" for shape in shapes])
        support[misfits], sizes[misfits], faults[misfits] = False, 0, 0
        impossible[f"not {mechanism.width} bytes"] = int(misfits.sum())
    statistics = [Statistic(SUPPORTS, support.view(np.uint8))]
    fields = [Field("the number of values", sizes, tuple(map(str, range(mechanism.domain_size + 1))), ordered=True)]
    if isinstance(mechanism, SubsetMechanism) and mechanism.listed and mechanism.size > 1:
        statistics.append(Statistic(POSITIONS, _listed_positions(mechanism, rows, watched), (1, HOLDS[1])))
    fields += header_fields(mechanism, rows)
    if shapes is not None:
        fields.append(categories("its type and length", shapes, np.arange(len(rows))))
    whole = None
    if rows.shape[1] <= 8:  # one machine word
        words_of = np.zeros((len(rows), 8), np.uint8)
        words_of[:, : rows.shape[1]] = rows
        _, first, codes = np.unique(words_of.view(np.int64).ravel(), return_index=True, return_inverse=True)
        whole = Field("the whole report", codes.astype(np.int64), [f"0x{row.tobytes().hex()}" for row in rows[first]])
    for fault, times in zip(*np.unique(faults[faults > 0], return_counts=True), strict=True):
        impossible[FAULTS[int(fault)]] = int(times)
    if not declared:
        return Columns(statistics, fields, whole, None, sizes, rows=rows, misfits=misfits)
    return Columns(statistics, fields, whole, support, sizes, impossible, rows, misfits)


def _listed_positions(
    mechanism: SubsetMechanism, rows: NDArray[np.uint8], watched: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """Return where in packed lists each watched value is: levels of POSITIONS."""
    members = mechanism.members(rows)
    levels = np.zeros((len(rows), len(watched)), np.uint8)
    for column, place in enumerate(watched.tolist()):
        at = members == place
        found_at = at.argmax(axis=1)
        levels[:, column] = np.where(
            at.any(axis=1), np.where(found_at == 0, 1, np.where(found_at == mechanism.size - 1, 3, 2)), 0
        )
    return levels
