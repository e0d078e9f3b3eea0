"""Comparisons and leakage as tables in a terminal, readable at 80 columns and without colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from qifldp.comparison.candidates import percent
from qifldp.comparison.compare import Comparison, Row, least
from qifldp.comparison.single import Leakage
from qifldp.leakage.measures import MEASURES, Measure
from qifldp.protocols.wording import counted
from qifldp.rendering.text import in_lines, least_in_column, plain

LEAST_MARK = "*"

PROTOCOL_WIDTH = 18
"""Columns for the name of a protocol or channel file; a longer one goes on in the next line, behind a separator."""

_LEARNS = (
    ("tight_epsilon", "tight ε", "number"),
    ("asr_uniform", "guess\n(blind)", "percent"),
    ("asr_prior", "guess\n(informed)", "percent"),
    ("bayes_capacity", "Bayes\ncapacity", "factor"),
    ("shannon_capacity_bits", "Shannon\nbits", "number"),
    ("pairwise_advantage", "tell two\napart", "percent"),
)
_GETS = (
    ("standard_error_weighted", "standard\nerror", "percent"),
    ("standard_error", "plain\nerror", "percent"),
    ("detectable_frequency", "smallest\ndetectable", "percent"),
    ("report_bytes", "bytes per\nreport", "count"),
)
_WORDS = {
    "tight_epsilon": "worst single report (tight ε)",
    "asr_uniform": "one guess, no prior knowledge",
    "asr_prior": "one guess, knowing the frequencies",
    "bayes_capacity": "any adversary, on average (Bayes capacity)",
    "shannon_capacity_bits": "bits per report (Shannon)",
    "pairwise_advantage": "telling two values apart",
    "standard_error_weighted": "most accurate",
}


def comparison_view(comparison: Comparison, orders: Mapping[float | None, str] | None = None) -> RenderableType:
    """Return a comparison as tables: what adversaries learn, what the collector gets, and who leaks least.

    Args:
        comparison: The comparison.
        orders: For each budget asked, the refinement order as text.
    """
    parts: list[RenderableType] = []
    hidden = () if comparison.prior["kind"] != "uniform" else ("asr_prior",)  # the informed guess is the blind one
    learns = [column for column in _LEARNS if column[0] not in hidden]
    for epsilon, rows in comparison.groups():
        best = {key: specs for key, specs in least(rows).items() if key not in hidden}
        parts += [Text(_headline(comparison, epsilon), style="bold"), Text()]
        parts.append(Text("What an adversary learns from one report (less is safer)", style="italic"))
        parts.append(_table(rows, learns, best))
        whence = f"from {counted(comparison.n, 'report')}"
        parts += [Text(), Text(f"What the collector learns about one frequency {whence}", style="italic")]
        parts += [_table(rows, _GETS, best), Text()]
        parts += [Text(line) for line in _least_lines(rows, best)]
        if "largest" in comparison.prior and len(rows) > 1:
            share = percent(_float(comparison.prior["largest"]))
            parts.append(Text(f"Without any report an informed guess is right with {share}."))
        parts.append(Text())
        if orders and epsilon in orders and len(rows) > 1:
            parts.append(Text("Safer against everybody, proved (original → refined, the safer one)", style="italic"))
            parts += [Text(plain(orders[epsilon])), Text()]
    reasons = dict.fromkeys(
        f"{row.spec}: {_label(key)}: {reason}." for row in comparison.rows for key, reason in row.reasons.items()
    )
    repeated = dict.fromkeys(line for _, rows in comparison.groups() for line in _repeated(rows))
    parts += [Text(f"Note: {plain(line)}") for line in (*repeated, *reasons, *comparison.notes)]
    return Group(*parts)


def leakage_view(leakage: Leakage) -> RenderableType:
    """Return every measure of one channel, and its adversary, as tables."""
    claimed = "" if leakage.epsilon is None else f", claims ε = {number(leakage.epsilon)}"
    table = Table(title="Every measure", title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("measure", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("safer")
    table.add_column("what it says", style="dim")
    for measure in MEASURES:
        table.add_row(
            measure.title,
            _measured(leakage, measure),
            "less" if measure.private_end == "low" else "more",
            measure.meaning,
        )
    return Group(
        Text(plain(f"{leakage.spec} over {leakage.domain_size:,} values{claimed}"), style="bold"),
        Text(),
        table,
        Text(),
        *(Text(plain(line)) for line in _adversary_lines(leakage)),
        *(Text(plain(f"Note: {_label(key)}: {reason}.")) for key, reason in leakage.reasons.items()),
    )


def number(value: float) -> str:
    """Return a number to four digits."""
    return f"{value:.4g}"


def strength(value: float) -> str:
    """Return a margin or a ratio to four digits, and never one for what is below it."""
    return "< 1" if value < 1 and number(value) == "1" else number(value)


def _headline(comparison: Comparison, epsilon: float | None) -> str:
    prior = comparison.prior
    about = f"{prior['title']}: " if "title" in prior else ""
    question = comparison.question
    if question.limit is not None:
        limits = {"asr": "blind guess at most", "bits": "Shannon bits at most", "error": "standard error at most"}
        asked = f"{limits[question.limit]} {question.limit_value:g}"
    else:
        asked = f"ε = {number(epsilon or 0)}"
        if question.match != "epsilon":
            asked += f" for the first, the others at equal {question.match}"
    return plain(f"{about}{comparison.domain_size:,} values, {counted(comparison.n, 'report')}, {asked}")


def _table(rows: Sequence[Row], columns: Sequence[tuple[str, str, str]], best: dict[str, list[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("protocol", max_width=PROTOCOL_WIDTH, overflow="fold")
    table.add_column("ε", justify="right", no_wrap=True)
    for _, heading, _ in columns:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        cells = [_cell(row, key, kind, best) for key, _, kind in columns]
        claimed = "–" if row.epsilon is None else number(row.epsilon)
        name = _names(rows)[row.spec]
        table.add_row(Text(in_lines(plain(name), PROTOCOL_WIDTH)), claimed, *cells)
    return table


def _names(rows: Sequence[Row]) -> dict[str, str]:
    """Return what each spec is called: its protocol's name where that is enough, else the spec."""
    protocols = {row.spec: row.protocol for row in rows}
    count = Counter(protocols.values())
    return {spec: name if count[name] == 1 and name != "FILE" else spec for spec, name in protocols.items()}


def _repeated(rows: Sequence[Row]) -> Iterator[str]:
    """Say which rows are one channel, asked for under several names."""
    names = _names(rows)
    for spec, count in Counter(row.spec for row in rows).items():
        if count > 1:
            yield f"{count} rows of {names[spec]} are one channel, {spec}."


def _cell(row: Row, key: str, kind: str, best: dict[str, list[str]]) -> Text:
    value = row.figures.get(key)
    if value is None:
        return Text("– ")
    text = _shown(value, kind)
    winner = row.spec in best.get(key, ()) and kind != "count"
    return Text(text + (LEAST_MARK if winner else " "), style="bold green" if winner else "")


def _shown(value: float, kind: str) -> str:
    if kind == "percent":
        return percent(value)
    if kind == "factor":
        return f"× {number(value)}"
    return f"{value:,}" if kind == "count" else number(value)


def _least_lines(rows: Sequence[Row], best: dict[str, list[str]]) -> Iterator[str]:
    if len(rows) < 2:
        return
    names = _names(rows)
    meaning = least_in_column(row.figures["asr_uniform"] for row in rows)
    yield f"{LEAST_MARK} {meaning}. Who leaks least depends on the adversary:"
    for key, words in _WORDS.items():
        if key in best:
            winners = [names[spec] for spec in best[key]]
            shared = "all alike" if len(winners) == len(names) else ", ".join(winners)
            yield plain(f"  {words + ' ':.<46} {shared}")


def _label(key: str) -> str:
    return {"epsilon": "ε"}.get(key, key.replace("_", " "))


def _measured(leakage: Leakage, measure: Measure) -> str:
    value = leakage.measures[measure.key]
    if value is None:
        return "infinite" if leakage.reasons[measure.key].startswith("infinite") else "see note"
    return f"× {value:.6g}" if measure.unit == "×" else f"{value:.6g}"


def _adversary_lines(leakage: Leakage) -> Iterator[str]:
    found = leakage.adversary
    prior = found["prior"]
    known = prior["kind"] if isinstance(prior, dict) else prior
    yield f"An adversary who knows the prior ({known}) and {found['gain']}"
    yield f"  gains before the report ..... {_six(found['prior_vulnerability'])}"
    interval = ""
    if found["method"] == "simulation":
        low, high = _six(found["posterior_vulnerability_low"]), _six(found["posterior_vulnerability_high"])
        interval = f"  (simulated: {low} to {high} at {percent(_float(found['confidence']))} confidence)"
    yield f"  gains after it, on average .. {_six(found['posterior_vulnerability'])}{interval}"
    more, factor = _six(found["additive_leakage"]), _six(found["multiplicative_leakage"])
    yield f"  more by ..................... {more}, a factor {factor}"
    worst = _six(found["max_case_posterior_vulnerability"])
    yield f"  best bet on a single value .. {worst}, after the luckiest report"


def _six(value: object) -> str:
    return "–" if value is None else f"{_float(value):.6g}"


def _float(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
