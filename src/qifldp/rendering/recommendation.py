"""Recommendations as text, readable at 80 columns and without colour."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from qifldp.comparison.candidates import Candidate, percent
from qifldp.comparison.recommend import Recommendation
from qifldp.rendering.tables import PROTOCOL_WIDTH, number
from qifldp.rendering.text import in_lines, plain


def recommendation_view(found: Recommendation) -> RenderableType:
    """Return a recommendation: its sentences, a table of all that could be taken, and why not the others."""
    first, *rest = found.sentences
    parts: list[RenderableType] = [Text(plain(first), style="bold"), *(Text(plain(line)) for line in rest)]
    measured = [c for c in (found.chosen, *found.others) if c is not None and c.epsilon is not None]
    if measured:
        parts += [Text(), _table(found, measured)]
    if found.others:
        parts += [Text(), Text("Why not the others", style="italic")]
        parts += [Text(plain(f"  {found.called(other)}: {other.reason}.")) for other in found.others]
    return Group(*parts)


def _table(found: Recommendation, candidates: list[Candidate]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("protocol", max_width=PROTOCOL_WIDTH, overflow="fold")
    for heading in ("ε", "tight ε", "guess\n(blind)", "Shannon\nbits", "standard\nerror", "bytes per\nreport"):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, candidate in enumerate(candidates):
        table.add_row(
            Text(in_lines(plain(found.called(candidate)), PROTOCOL_WIDTH), style="bold green" if place == 0 else ""),
            _shown(candidate.epsilon),
            _shown(candidate.tight_epsilon),
            _share(candidate.asr),
            _shown(candidate.bits),
            _share(candidate.standard_error),
            "–" if candidate.report_bytes is None else f"{candidate.report_bytes:,}",
        )
    return table


def _shown(value: float | None) -> str:
    return "–" if value is None else number(value)


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)
