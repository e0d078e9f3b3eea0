"""``qifldp recommend``: which protocol to take, with which parameters and ε, and why not the others."""

from __future__ import annotations

from typing import Annotated

import typer

from qifldp.cli.application import application, check_output, progress_bar, show
from qifldp.comparison.candidates import Goal, Kind
from qifldp.comparison.recommend import recommend
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN, split_specs
from qifldp.rendering.recommendation import recommendation_view


@application.command("recommend")
def recommend_command(
    domain_size: Annotated[int, typer.Option(help="Number of values.")],
    n: Annotated[int, typer.Option("--n", help="Number of reports.")],
    epsilon: Annotated[
        str | None,
        typer.Option(
            help="Largest tight ε: 1, ln(3) or 2*ln(3); alone, or beside another limit (4 beside asr and bits)."
        ),
    ] = None,
    max_asr: Annotated[float | None, typer.Option(help="Largest chance of a right guess, no prior knowledge.")] = None,
    max_bits: Annotated[float | None, typer.Option(help="Largest Shannon capacity in bits.")] = None,
    max_error: Annotated[float | None, typer.Option(help="Largest standard error of a frequency.")] = None,
    max_report_bytes: Annotated[int | None, typer.Option(help="Largest report that a client can send.")] = None,
    protocols: Annotated[str, typer.Option(help="Specs to choose from, without ε.")] = ",".join(SEVEN),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    out: Annotated[str | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
) -> None:
    """Recommend a protocol under one limit: on ε, on what a guess or a report may tell, or on the error.

    [bold]Examples[/bold]

      qifldp recommend --domain-size 50 --n 100000 --epsilon 1

      qifldp recommend --domain-size 100 --n 1000000 --max-asr 0.05 --epsilon 4

      qifldp recommend --domain-size 1000 --n 1000000 --max-error 0.001 --max-report-bytes 32
    """
    check_output(out)
    budget = None if epsilon is None else Budget.read(epsilon)
    limits: dict[Kind, float | None] = {"asr": max_asr, "bits": max_bits, "error": max_error}
    given = [(kind, value) for kind, value in limits.items() if value is not None]
    if len(given) > 1 or (not given and budget is None):
        raise InputError("Give one limit: --epsilon, --max-asr, --max-bits or --max-error (and --epsilon beside it).")
    if given:
        goal = Goal(*given[0], max_report_bytes, budget)
    else:
        assert budget is not None
        goal = Goal("epsilon", budget, max_report_bytes)
    with progress_bar() as progress:
        task = progress.add_task("", total=None)

        def advance(name: str, done: int, total: int) -> None:
            progress.update(task, description=name, completed=done, total=total)

        found = recommend(domain_size=domain_size, n=n, goal=goal, specs=split_specs(protocols), progress=advance)
    show(found.to_json(), recommendation_view(found), as_json=as_json, out=out)
