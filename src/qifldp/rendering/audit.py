"""The result of an audit for a terminal, readable at 80 columns and without colour."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from qifldp.audit.bounds import MeanBounds
from qifldp.audit.result import Audit, Finding, Server
from qifldp.rendering.text import plain

STYLES = {"consistent": "bold green", "violates": "bold red", "inconclusive": "bold"}

NEVER_A_PROOF = "A lower bound never proves privacy: what was not looked for can still leak. Certificates prove."


def audit_view(audit: Audit) -> RenderableType:
    """Return the result in sentences."""
    return Group(
        Text(plain(f"{audit.verdict}: {audit.reason}"), style=STYLES[audit.verdict]),
        Text(),
        *(Text(plain(line)) for line in _lines(audit)),
    )


def _lines(audit: Audit) -> Iterator[str]:
    declared = f"ε = {audit.epsilon_claimed:.6g}" if audit.spec is None else audit.spec
    rounds = f", {audit.rounds} reports of each" if audit.rounds > 1 else ""
    yield f"{audit.source}: {declared} claimed, over {audit.domain_size:,} values; {audit.samples:,} users{rounds}"
    yield f"  ε claimed .......... {audit.epsilon_claimed:.6g}"
    yield f"  ε at least ......... {audit.epsilon_lower_bound:.4g} (confidence {audit.confidence:.10g})"
    blind = audit.leakage.prior_vulnerability
    yield f"  one guess is right . {_percent(audit.leakage.asr)}; without report {blind:.2%}"
    shannon = audit.leakage.shannon
    yield f"  Shannon leakage .... at least {shannon.low:.4f} bits (estimated {shannon.value:.4f})"
    if audit.leakage.gain is not None:
        yield f"  one who {audit.leakage.gain_words}: gains {_interval(audit.leakage.gain)}"
    yield f"  power .............. {audit.power:.3f} of finding 1.5 ε{_enough(audit)}"
    if audit.findings:
        yield ""
        yield "Events that tell inputs apart (found on one half, tested on the other)"
        for finding in audit.findings:
            yield from _finding(finding)
    if audit.fits:
        yield ""
        yield "Does the whole report follow the declared law?"
        for family in audit.fits:
            yield f"  {'yes' if family.fits else 'NO ':<3} {family.name} (p = {family.p_value:.2g})"
            if not family.fits:
                yield f"      {family.worst}"
    if audit.by_rounds:
        yield ""
        yield "After so many reports of one user"
        for line in audit.by_rounds:
            yield f"  {line.rounds:>4}: ε at least {line.epsilon:.4g}; one guess is right {_percent(line.asr)}"
    if audit.server is not None:
        yield ""
        yield from _server(audit.server)
    yield ""
    yield from (f"Note: {note}" for note in audit.notes)
    yield NEVER_A_PROOF


def _finding(finding: Finding) -> Iterator[str]:
    tally = finding.tally
    bound = "says nothing" if finding.epsilon is None else f"ε ≥ {finding.epsilon:.4g}"
    yield f"  {bound}: {finding.words}"
    yield f"      on {finding.first}: {tally.hits:,} of {tally.trials:,}, chance ≥ {finding.low:.4g}"
    seen = f"{tally.other_hits:,} of {tally.other_trials:,}"
    if finding.unseen is not None:
        seen = f"never seen in {finding.unseen:,} reports"
    yield f"      on {finding.second}: {seen}, chance ≤ {finding.high:.4g}"


def _server(server: Server) -> Iterator[str]:
    yield f"The server on known data, {server.runs:,} times"
    worst = max(range(len(server.bias)), key=lambda place: abs(server.bias[place]))
    ends = f"{server.bias_low[worst]:+.5f} to {server.bias_high[worst]:+.5f}"
    yield f"  largest bias ....... {server.bias[worst]:+.5f} ({ends})"
    yield f"  values with bias ... {_listed(server.biased)}"
    if server.coverage is not None and server.nominal is not None:
        least = min(server.coverage)
        yield f"  intervals hold ..... {least:.1%} of the time at the least, {server.nominal:.1%} are said"
        yield f"  too seldom for ..... {_listed(server.uncovered)}"


def _listed(labels: tuple[str, ...]) -> str:
    return ", ".join(labels[:10]) + (f" and {len(labels) - 10} more" if len(labels) > 10 else "") or "none"


def _enough(audit: Audit) -> str:
    return "" if audit.enough is None else f"; about {float(f'{audit.enough:.2g}'):,.0f} users would do"


def _percent(bounds: MeanBounds) -> str:
    return f"{bounds.value:.2%} ({bounds.low:.2%} to {bounds.high:.2%})"


def _interval(bounds: MeanBounds) -> str:
    return f"{bounds.value:.4f} ({bounds.low:.4f} to {bounds.high:.4f})"
