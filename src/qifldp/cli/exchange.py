"""``qifldp exchange``: the budgets at which one protocol is refined to another."""

from __future__ import annotations

from typing import Annotated

import typer

from qifldp.channels.profile import check_domain_size
from qifldp.cli.application import application, check_output, progress_bar, show
from qifldp.comparison.subjects import MatrixSubject, read_subject
from qifldp.errors import InputError
from qifldp.exact.budget import LARGEST_EPSILON, SMALLEST_EPSILON, Budget
from qifldp.protocols.specs import ProtocolSpec
from qifldp.refinement.exchange import exchange_rate
from qifldp.rendering.refinement import exchange_document, exchange_view

AROUND = 4.0
"""Without --range, from a fourth of the refined protocol's ε to four times it."""


@application.command("exchange")
def exchange_command(
    original: Annotated[str, typer.Option(help="The protocol whose ε is looked for: NAME[:key=value,…].")],
    refined: Annotated[str, typer.Option(help="The protocol that is to be at least as safe.")],
    domain_size: Annotated[int, typer.Option(help="Number of values.")],
    epsilon: Annotated[str | None, typer.Option(help="Budget of the refined protocol: 1, ln(3) or 2*ln(3).")] = None,
    between: Annotated[
        str | None, typer.Option("--range", help="Smallest and largest ε of the original: A,B (default: E/4,4E).")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which no more budgets are asked.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    out: Annotated[str | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
) -> None:
    """Find the budgets at which one protocol leaks at least as much as another, to every adversary.

    At these ε the original can be turned into the refined protocol by noise alone, so the refined one is the safer.

    [bold]Examples[/bold]

      qifldp exchange --original sue --refined oue --domain-size 3 --epsilon 1

      qifldp exchange --original ss --refined ss --domain-size 10 --epsilon 1 --range 0.5,3

      qifldp exchange --original oue --refined the:theta=0.9 --domain-size 50 --epsilon "ln(3)" --json
    """
    check_output(out)
    source, target = _protocol("--original", original), _protocol("--refined", refined)
    _check_original(source)
    size = check_domain_size(domain_size)
    if epsilon is not None and not target.has_budget:
        raise InputError(f"The parameters of {target.name} are p and q, not a budget: leave --epsilon out.")
    protocol = target.build(size, None if epsilon is None else Budget.read(epsilon))
    low, high = _range(between, protocol.epsilon)
    if time_limit is not None and not time_limit > 0:
        raise InputError.expected("--time-limit", "a positive number of seconds", time_limit)
    with progress_bar() as progress:
        task = progress.add_task("asking budgets", total=None)
        found = exchange_rate(
            original=lambda budget: source.build(size, budget),
            refined=protocol,
            low=low,
            high=high,
            jumps=lambda at: source.default_range(size, at),
            progress=lambda done, total: progress.update(task, completed=done, total=total),
            time_limit=time_limit,
        )
    document = exchange_document(found, original=source.text, refined=protocol)
    show(document, exchange_view(found, original=source.text, refined=protocol), as_json=as_json, out=out)


def _protocol(option: str, text: str) -> ProtocolSpec:
    subject = read_subject(text)
    if isinstance(subject, MatrixSubject):
        raise InputError(f"{option} must be a protocol: a channel matrix has no budget to exchange.")
    return subject


def _check_original(spec: ProtocolSpec) -> None:
    if not spec.has_budget:
        raise InputError(f"--original must be a protocol with a budget: the parameters of {spec.name} are p and q.")
    if spec.budget is not None:
        raise InputError("The budget of --original is what is looked for: leave epsilon out of its spec.")


def _range(text: str | None, epsilon: float) -> tuple[float, float]:
    """Return the smallest and the largest budget of the original that is asked."""
    if text is None:
        return max(epsilon / AROUND, SMALLEST_EPSILON), min(epsilon * AROUND, float(LARGEST_EPSILON))
    parts = text.split(",")
    if len(parts) != 2:
        raise InputError.expected("--range", "two budgets A,B", text)
    low, high = (Budget.read(part).epsilon for part in parts)
    if not low < high:
        raise InputError.expected("--range", "a smaller and a larger budget A,B", text)
    return low, high
