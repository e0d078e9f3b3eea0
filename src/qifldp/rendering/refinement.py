"""Exchange rates as documents, and as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from qifldp.protocols.protocol import Protocol
from qifldp.refinement.exchange import Bracket, ExchangeRate
from qifldp.rendering.text import plain

SCHEMA_VERSION = 1

DIGITS = 10
"""Digits of a budget in text: enough to tell the two sides of a jump apart, 1e-9 away."""


def exchange_document(rate: ExchangeRate, *, original: str, refined: Protocol) -> dict[str, object]:
    """Return an exchange rate as JSON.

    Args:
        rate: The exchange rate.
        original: Spec of the protocol whose budget was looked for.
        refined: The protocol at its own budget.
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "original": original,
        "refined": refined.spec,
        "domain_size": refined.domain_size,
        "epsilon": refined.epsilon,
        "range": [rate.low, rate.high],
        "intervals": [list(interval) for interval in rate.intervals],
        "brackets": [{"start": list(start), "end": list(end)} for start, end in rate.brackets],
        "refined_from": rate.refined_from,
        "bracket": list(rate.bracket),
        "undecided": [list(gap) for gap in rate.undecided],
        "scanned": [list(part) for part in rate.scanned],
    }


def exchange_view(rate: ExchangeRate, *, original: str, refined: Protocol) -> RenderableType:
    """Return an exchange rate as text: the intervals, how their ends are proved, and what is not."""
    head = f"{original} that can be turned into {refined.spec}, {refined.domain_size:,} values"
    lines = [*_intervals(rate), "", _always(rate), *_notes(rate)]
    return Group(Text(plain(head), style="bold"), Text(), *(Text(plain(line)) for line in lines))


def _intervals(rate: ExchangeRate) -> Iterator[str]:
    if not rate.intervals:
        yield f"At no ε from {_shown(rate.low)} to {_shown(rate.high)} was this proved."
    for (start, end), (before, after) in zip(rate.intervals, rate.brackets, strict=True):
        yield f"ε from {_shown(start)} to {_shown(end)}"
        yield f"  start: {_end(rate.low, start, before)}"
        yield f"  end:   {_end(rate.high, end, after)}"


def _end(limit: float, place: float, bracket: Bracket) -> str:
    if place == limit:
        return "where the range ends"
    return f"proved; proved false at {_shown(bracket[0])}" if bracket[0] is not None else "proved; beyond, undecided"


def _always(rate: ExchangeRate) -> str:
    if rate.refined_from is None:
        open_end = any(end == rate.high for _, end in rate.undecided)
        return (
            f"At the end of the range, ε = {_shown(rate.high)}, it {'is undecided' if open_end else 'does not hold'}."
        )
    asked = any(end > rate.refined_from for _, end in rate.scanned)
    how = "it held wherever it was asked" if asked else "it always holds"
    return f"From ε = {_shown(rate.refined_from)} on {how}, up to {_shown(rate.high)}."


def _notes(rate: ExchangeRate) -> Iterator[str]:
    for start, end in rate.undecided:
        yield f"Note: from {_shown(start)} to {_shown(end)} it is undecided."
    for start, end in rate.scanned:
        yield (
            f"Note: from {_shown(start)} to {_shown(end)} only points were asked, and what lies between two of them "
            "was taken to be alike."
        )


def _shown(epsilon: float | None) -> str:
    return "–" if epsilon is None else f"{epsilon:.{DIGITS}g}"
