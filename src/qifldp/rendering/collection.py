"""Reports written and frequencies estimated, as documents and for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from qifldp.collection.accumulator import Weights
from qifldp.collection.estimates import Estimates
from qifldp.engines.local import Counted
from qifldp.engines.perturbing import Written
from qifldp.protocols import wording
from qifldp.rendering.text import REPLACEMENT, plain

SCHEMA_VERSION = 1

IMPLAUSIBLE = 6
"""Standard errors outside 0 to 1 from which estimates are not believed: chance 1e-9 for each value."""

SHOWN = 20
"""Values that a terminal shows unless it is asked for all."""

BAR_WIDTH = 16
EIGHTHS = " ▏▎▍▌▋▊▉"

VALUE_WIDTH = 24
"""Columns for a value; a longer one goes on in the next line."""

DETECTED_MARK = "*"


def perturb_document(written: Written, *, file: str, seed: int | None, notes: Sequence[str]) -> dict[str, object]:
    """Return what was written as JSON."""
    protocol = written.header.protocol
    return {
        "schema_version": SCHEMA_VERSION,
        "protocol": protocol.name,
        "spec": protocol.spec,
        "domain_size": protocol.domain_size,
        "fingerprint": written.header.to_json()["fingerprint"],
        "epsilon": protocol.epsilon,
        "epsilon_given": written.epsilon,
        "reports": written.reports,
        "report_bytes": protocol.report_bytes,
        "file": file,
        "file_bytes": written.file_bytes,
        "simulated": written.header.simulated,
        "seed": seed,
        "notes": list(notes),
    }


def perturb_view(written: Written, *, file: str, notes: Sequence[str]) -> RenderableType:
    """Return what was written in sentences."""
    protocol = written.header.protocol
    drawn = "simulated from a seed" if written.header.simulated else "drawn from the system's entropy"
    lines = [
        f"{protocol.spec} over {protocol.domain_size:,} values: {wording.counted(written.reports, 'report')}, {drawn}",
        f"  ε claimed ......... {protocol.epsilon:.10g}",
        f"  ε actually given .. {written.epsilon:.10g}",
        f"  bytes a report .... {protocol.report_bytes:,}",
        f"  written ........... {file}, {_size(written.file_bytes)}",
        *(f"Note: {note}" for note in notes),
    ]
    return Group(*(Text(plain(line)) for line in lines))


def _size(count: int) -> str:
    """Return a number of bytes to two digits: the last ones of a file of random reports are random too."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= size:
            return f"{float(f'{count / size:.2g}'):g} {unit}"
    return f"{count} bytes"


def estimate_document(
    counted: Counted, estimates: Estimates, *, weights: Weights, places: Sequence[int]
) -> dict[str, object]:
    """Return estimates as JSON.

    Args:
        counted: What they were made from.
        estimates: Of all values.
        weights: How reports were weighed.
        places: The values that are listed.
    """
    header, columns = counted.header, {name: column.tolist() for name, column in estimates.columns.items()}
    return {
        "schema_version": SCHEMA_VERSION,
        "protocol": header.protocol.name,
        "spec": header.protocol.spec,
        "domain_size": header.protocol.domain_size,
        "epsilon": header.protocol.epsilon,
        "simulated": header.simulated,
        "n": estimates.n,
        "refused": dict(sorted(counted.accumulator.refused.items())),
        "weights": weights,
        "post": estimates.post,
        "confidence": estimates.confidence,
        "rows": [
            {"value": label(counted, place)} | {name: column[place] for name, column in columns.items()}
            for place in places
        ],
    }


def label(counted: Counted, place: int) -> str:
    """Return what a value is called: its label, or its place if the reports have no labels."""
    values = counted.header.values
    return str(place) if values is None else values[place]


def estimate_view(counted: Counted, estimates: Estimates, *, places: Sequence[int], all_values: bool) -> RenderableType:
    """Return estimates as a table of the values, the most frequent first, with notes.

    Args:
        counted: What they were made from.
        estimates: Of all values.
        places: The values that may be shown.
        all_values: Whether all of them are; else the first few.
    """
    listed = sorted(places, key=lambda place: -estimates.frequency[place])[: None if all_values else SHOWN]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("value", max_width=VALUE_WIDTH, overflow="fold")
    table.add_column("estimate", justify="right", no_wrap=True)
    table.add_column(f"{_confidence(estimates.confidence)} interval", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    largest = max(float(estimates.frequency[listed].max(initial=0.0)), 1e-300)
    for place in listed:
        found = bool(estimates.detected[place])
        table.add_row(
            Text(plain(label(counted, place)).replace("\n", REPLACEMENT)),  # a value is a row: none looks like two
            Text(_share(estimates.frequency[place]) + (DETECTED_MARK if found else " "), style="bold" if found else ""),
            f"{_share(estimates.low[place])} – {_share(estimates.high[place])}",
            Text(_bar(float(estimates.frequency[place]) / largest), style="green" if found else "dim"),
        )
    protocol = counted.header.protocol
    head = f"{protocol.spec} over {protocol.domain_size:,} values: {wording.counted(estimates.n, 'report')}"
    left_out = len(places) - len(listed)
    return Group(
        Text(plain(head), style="bold"),
        Text(),
        table,
        Text(),
        *(Text(plain(line)) for line in _notes(counted, estimates, left_out)),
    )


def refusals(refused: dict[str, int]) -> str:
    """Return how many reports were refused, and why."""
    return f"{sum(refused.values()):,} ({'; '.join(f'{reason}: {n:,}' for reason, n in sorted(refused.items()))})"


def _notes(counted: Counted, estimates: Estimates, left_out: int) -> Iterator[str]:
    yield f"{DETECTED_MARK} occurs: above zero even if the intervals of all values are to hold at once."
    yield "Intervals are about those who reported, one value at a time; not about privacy."
    spread = IMPLAUSIBLE * estimates.standard_error
    if np.any((estimates.frequency > 1 + spread) | (estimates.frequency < -spread)):
        yield f"Estimates lie more than {IMPLAUSIBLE} standard errors outside 0 to 1: clients do not do that."
    if left_out:
        yield f"Not shown: {left_out:,} values of smaller estimates (--all shows them)."
    if estimates.post != "none":
        yield f"Estimates were made frequencies of sum 1 ({estimates.post}): no longer unbiased."
    if counted.accumulator.refused:
        yield f"Refused: {refusals(counted.accumulator.refused)}."
    if counted.header.simulated:
        yield "Simulation: reports drawn from a seed, not by the secure client."


def _confidence(value: float) -> str:
    """Return a confidence as a percentage with all its digits: one below 1 is never shown as 100 %."""
    return f"{float(Decimal(repr(float(value))) * 100)!r}".removesuffix(".0") + " %"


def _share(value: float) -> str:
    return f"{value * 100:.3f} %"


def _bar(share: float) -> str:
    eighths = round(8 * BAR_WIDTH * min(max(share, 0.0), 1.0))
    return "█" * (eighths // 8) + (EIGHTHS[eighths % 8] if eighths % 8 else "")
