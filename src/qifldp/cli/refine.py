"""``qifldp refine`` and ``qifldp verify``: is one protocol safer against every adversary, and is that proved?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from qifldp.cli.application import application, check_output, progress_bar, show
from qifldp.comparison.subjects import MatrixSubject, build, read_subject
from qifldp.errors import ConvergenceError, InputError, TooLargeError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.bracket import bracket_deficiency
from qifldp.refinement.certificate import Certificate, Side, load_document
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision, Undecided
from qifldp.refinement.deficiency_certificate import KIND as DEFICIENCY
from qifldp.refinement.deficiency_certificate import DeficiencyCertificate
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate
from qifldp.refinement.verify_deficiency import verify_deficiency
from qifldp.rendering.decision import bracket_json, decision_json, decision_view, outward, verified_words
from qifldp.storage import same_file


class Orders(StrEnum):
    """The two refinement orders."""

    average = "average"
    max = "max"


@application.command("refine")
def refine_command(
    original: Annotated[str, typer.Option(help="What would be garbled: NAME[:key=value,…], or file:PATH.")],
    refined: Annotated[str, typer.Option(help="What may be the safer one.")],
    domain_size: Annotated[int | None, typer.Option(help="Number of values (not for two matrices).")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Budget of both, unless a spec has its own.")] = None,
    order: Annotated[Orders, typer.Option(help="On average (refinement), or in the luckiest case.")] = Orders.average,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for the search, and for each figure.")] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Divide rows of file: channels by their sums.")
    ] = False,
    certificate: Annotated[str | None, typer.Option(help="Write the proof to this file.")] = None,
    deficiency: Annotated[
        str | None, typer.Option(help="Write a proof of the deficiency's first digits to this file (two protocols).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Decide whether one protocol is at least as safe as another against every adversary, with a proof.

    [bold]Examples[/bold]

      qifldp refine --original sue --refined the --domain-size 1000 --epsilon 1

      qifldp refine --original oue:epsilon=1 --refined the:epsilon=1,theta=0.75 --domain-size 200

      qifldp refine --original sue --refined oue --domain-size 3 --epsilon 2 --certificate proof.json

      qifldp refine --original grr --refined oue --domain-size 50 --epsilon 1 --deficiency how-far.json
    """
    matrices = [spec.partition(":")[2] for spec in (original, refined) if spec.startswith("file:")]
    for output in (certificate, deficiency):
        check_output(output, *matrices)
    if certificate is not None and deficiency is not None and same_file(certificate, deficiency):
        raise InputError("--certificate and --deficiency need a file each.")
    if time_limit is not None and not time_limit > 0:
        raise InputError.expected("--time-limit", "a positive number of seconds", time_limit)
    sides = [_side(spec, domain_size, epsilon, normalize=normalize) for spec in (original, refined)]
    names = tuple(
        side.spec if isinstance(side, Protocol) else spec for side, spec in zip(sides, (original, refined), strict=True)
    )
    if deficiency is not None and not all(isinstance(side, Protocol) for side in sides):
        raise InputError("--deficiency proves the deficiency between two protocols; a side here is a matrix.")
    bracket, lacking = None, ""
    with progress_bar() as progress:
        progress.add_task("deciding", total=None)
        decision = decide_refinement(original=sides[0], refined=sides[1], order=order.value, time_limit=time_limit)
        written = None if certificate is None else _written(decision, certificate)
        if deficiency is not None:
            bracket, lacking = _bracketed(decision, deficiency, time_limit)
    pair = names[0], names[1]
    document = decision_json(decision, pair, written, bracket)
    if deficiency is not None:
        document |= bracket_json(bracket, deficiency, lacking, decision)
    show(document, decision_view(decision, pair, bracket), as_json=as_json, out=None)
    if lacking:
        raise ConvergenceError(f"The deficiency could not be bracketed: {lacking}")


def _written(decision: Decision, file: str) -> str | None:
    """Write the proof to a file, if there is one, and return its name."""
    if isinstance(decision, Undecided):
        _say_if_left(file)
        return None
    decision.certificate.save(file)
    return file


def _bracketed(decision: Decision, file: str, seconds: float | None) -> tuple[DeficiencyCertificate | None, str]:
    """Bracket the deficiency and write the proof to a file; or return why not: the verdict holds all the same."""
    original, refined = decision.original, decision.refined
    assert isinstance(original, Protocol)
    assert isinstance(refined, Protocol)
    try:
        bracket = bracket_deficiency(original=original, refined=refined, time_limit=seconds)
    except (ConvergenceError, TooLargeError) as error:
        _say_if_left(file)
        return None, str(error)
    bracket.save(file)
    return bracket, ""


def _say_if_left(file: str) -> None:
    if Path(file).exists():
        typer.echo(f"Nothing is proved: {file!r} was there before, and is left as it was.", err=True)


@application.command("verify")
def verify_command(
    certificate: Annotated[str, typer.Argument(metavar="FILE", help="A certificate written by qifldp refine.")],
) -> None:
    """Check a proof of refinement, or of a deficiency, in exact and ball arithmetic; exit 0 if it holds, 1 if not.

    Both channels are rebuilt from their descriptions; neither solver nor search is used.

    [bold]Examples[/bold]

      qifldp verify proof.json
    """
    document = load_document(certificate)
    try:
        if isinstance(document, dict) and document.get("kind") == DEFICIENCY:
            proved = _proved_deficiency(DeficiencyCertificate.from_json(document))
        else:
            proved = verified_words(verify_certificate(Certificate.from_json(document)))
    except CertificateError as error:
        typer.echo(f"Not proved: {error}", err=True)
        raise typer.Exit(1) from None
    typer.echo(proved)


def _proved_deficiency(claim: DeficiencyCertificate) -> str:
    precision = verify_deficiency(claim)
    least, most = outward(claim)
    return (
        f"Proved in balls of {precision} bits: the deficiency of {claim.original.spec} for {claim.refined.spec} is "
        f"between {least} and {most}, over {claim.original.domain_size:,} values."
    )


def _side(spec: str, domain_size: int | None, epsilon: str | None, *, normalize: bool) -> Side:
    subject = read_subject(spec, normalize=normalize)
    if isinstance(subject, MatrixSubject):
        return build(subject, subject.channel.domain_size if domain_size is None else domain_size, None)
    if domain_size is None:
        raise InputError("Say how many values there are: --domain-size K.")
    return build(subject, domain_size, None if epsilon is None else Budget.read(epsilon))
