"""``qifldp protocol``: the full description that a client in another language needs."""

from __future__ import annotations

from typing import Annotated

import typer

from qifldp.channels.profile import check_domain_size
from qifldp.cli.application import application, show
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.client_description import describe_client
from qifldp.protocols.specs import parse_spec
from qifldp.rendering.client_description import client_view


@application.command("protocol")
def protocol_command(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="NAME[:key=value,…].")],
    domain_size: Annotated[int, typer.Option(help="Number of values.")],
    epsilon: Annotated[str | None, typer.Option(help="Budget: 1, ln(3) or 2*ln(3).")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    out: Annotated[str | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
) -> None:
    """Describe a protocol for a client in another language: probabilities, bytes, hash and test vectors.

    [bold]Examples[/bold]

      qifldp protocol olh --domain-size 1000 --epsilon 1

      qifldp protocol the:theta=0.9 --domain-size 50 --epsilon "ln(3)" --json
    """
    parsed = parse_spec(spec)
    size = check_domain_size(domain_size)
    if epsilon is not None and not parsed.has_budget:
        raise InputError(f"The parameters of {parsed.name} are p and q, not a budget: leave --epsilon out.")
    protocol = parsed.build(size, None if epsilon is None else Budget.read(epsilon))
    description = describe_client(protocol) | {"header": ReportHeader(protocol).to_json()}
    show(description, client_view(description), as_json=as_json, out=out)
