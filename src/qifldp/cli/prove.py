"""``qifldp prove``: the paper's statements, checked by running their checks."""

from __future__ import annotations

from typing import Annotated

import typer

from qifldp.cli.application import application, errors, progress_bar, show
from qifldp.errors import InputError
from qifldp.proofs.ledger.epsilon_k import thresholds
from qifldp.proofs.prove import EVERYTHING, export_theorems, find_claims, prove
from qifldp.rendering.claims import claims_document, claims_page, claims_view
from qifldp.rendering.text import plain


@application.command("prove")
def prove_command(
    claim: Annotated[str, typer.Argument(metavar="CLAIM|all", help="A claim of the ledger, or all.")] = EVERYTHING,
    smt_out: Annotated[
        str | None, typer.Option(metavar="DIR", help="Write the theorems to this folder as SMT-LIB 2 files.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a page of Markdown and nothing else.")] = False,
) -> None:
    """Check the statements of the paper: definitions, equations, lemmas, remarks with numbers in them.

    Each is checked by enumeration in exact numbers, as an identity, by two SMT provers for every ε, by certificates of
    refinement, in balls, or by simulation; and the same check must refute a wrong form of it.
    Exit code 1 if a claim is false or unchecked.

    [bold]Examples[/bold]

      qifldp prove

      qifldp prove lemma-10

      qifldp prove all --smt-out theorems --json
    """
    if as_json and markdown:
        raise InputError("Give either --json or --markdown, not both.")
    claims = find_claims(claim)
    if smt_out is not None:
        count = export_theorems(claims, smt_out)
        errors().print(plain(f"{count} theorems are in {smt_out} (SMT-LIB 2)."), markup=False, soft_wrap=True)
    with progress_bar() as progress:
        task = progress.add_task("checking claims", total=len(claims))
        checked = prove(claims, lambda done: progress.update(task, completed=done))
    if markdown:
        typer.echo(claims_page(checked, thresholds() if claim == EVERYTHING else ()), nl=False)
    else:
        show(claims_document(checked), claims_view(checked), as_json=as_json, out=None)
    if not all(item.is_settled for item in checked):
        raise typer.Exit(1)
