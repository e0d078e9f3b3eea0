"""``qifldp refine`` and ``qifldp verify``: is one protocol safer against every adversary, and is that proved?"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from qifldp.channels.profile import check_domain_size
from qifldp.cli.application import application, show
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec
from qifldp.refinement.decide import Undecided, decide_refinement
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate
from qifldp.rendering.decision import decision_json, decision_view


class Orders(StrEnum):
    """The two refinement orders."""

    average = "average"
    max = "max"


@application.command("refine")
def refine_command(
    original: Annotated[str, typer.Option(help="The protocol that would be garbled: NAME[:key=value,…].")],
    refined: Annotated[str, typer.Option(help="The protocol that may be the safer one.")],
    domain_size: Annotated[int, typer.Option(help="Number of values.")],
    epsilon: Annotated[str | None, typer.Option(help="Budget of both, unless a spec has its own.")] = None,
    order: Annotated[Orders, typer.Option(help="On average (refinement), or in the luckiest case.")] = Orders.average,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which the search gives up.")] = None,
    certificate: Annotated[str | None, typer.Option(help="Write the proof to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Decide whether one protocol is at least as safe as another against every adversary, with a proof.

    [bold]Examples[/bold]

      qifldp refine --original sue --refined the --domain-size 1000 --epsilon 1

      qifldp refine --original oue:epsilon=1 --refined the:epsilon=1,theta=0.75 --domain-size 200

      qifldp refine --original sue --refined oue --domain-size 3 --epsilon 2 --certificate proof.json
    """
    if time_limit is not None and not time_limit > 0:
        raise InputError.expected("--time-limit", "a positive number of seconds", time_limit)
    size = check_domain_size(domain_size)
    decision = decide_refinement(
        original=_protocol(original, size, epsilon),
        refined=_protocol(refined, size, epsilon),
        order=order.value,
        time_limit=time_limit,
    )
    if certificate is not None and not isinstance(decision, Undecided):
        decision.certificate.save(certificate)
    written = None if isinstance(decision, Undecided) else certificate
    show(decision_json(decision, written), decision_view(decision), as_json=as_json, out=None)


@application.command("verify")
def verify_command(
    certificate: Annotated[str, typer.Argument(metavar="FILE", help="A certificate written by qifldp refine.")],
) -> None:
    """Check a proof of refinement with exact and ball arithmetic; exit 0 if it holds, 1 if it does not.

    Both channels are rebuilt from their descriptions; neither solver nor search is used.

    [bold]Examples[/bold]

      qifldp verify proof.json
    """
    try:
        verified = verify_certificate(certificate)
    except CertificateError as error:
        typer.echo(f"Not proved: {error}", err=True)
        raise typer.Exit(1) from None
    claim = verified.certificate
    sides = [side.spec if isinstance(side, Protocol) else repr(side) for side in (claim.original, claim.refined)]
    sign = "⊑" if claim.verdict == "refines" else "⋢"
    exactness = f"in balls of {verified.precision} bits" if verified.precision else "exactly"
    typer.echo(f"Proved {exactness}: {sides[0]} {sign} {sides[1]} over {claim.original.domain_size:,} values.")


def _protocol(spec: str, domain_size: int, epsilon: str | None) -> Protocol:
    return parse_spec(spec).build(domain_size, None if epsilon is None else Budget.read(epsilon))
