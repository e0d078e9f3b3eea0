"""``qifldp compare``: several protocols on one domain."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from qifldp.cli.application import application, check_output, errors, progress_bar, show
from qifldp.comparison.compare import compare
from qifldp.comparison.findings import Findings, find
from qifldp.comparison.ordering import LARGEST_BY_DEFAULT, LARGEST_WITH_FIGURES, order_comparison
from qifldp.comparison.question import Limit, Question
from qifldp.comparison.subjects import FILE_PREFIX, read_subject
from qifldp.data.columns import count_column, read_domain
from qifldp.data.datasets import load_dataset
from qifldp.data.population import Population
from qifldp.errors import InputError, shown
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN, split_specs
from qifldp.refinement.order import hasse_text
from qifldp.rendering.charts import check_altair
from qifldp.rendering.tables import comparison_view
from qifldp.rendering.text import plain
from qifldp.storage import same_file, write_atomically

DEFAULT_N = 100_000

LARGE_PAGE = 3_000_000
"""Bytes of a page from which on its size is told: mail servers and readers take note."""


class Matched(StrEnum):
    """What is made equal between the protocols."""

    epsilon = "epsilon"
    tight_epsilon = "tight-epsilon"
    asr = "asr"
    shannon = "shannon"


class OtherValues(StrEnum):
    """What becomes of values outside the declared domain."""

    reject = "reject"
    bucket = "bucket"


@application.command("compare")
def compare_command(
    data: Annotated[str | None, typer.Argument(help="A CSV or Parquet file with the column to be collected.")] = None,
    column: Annotated[str | None, typer.Option(help="The column of DATA.")] = None,
    dataset: Annotated[
        str | None, typer.Option(help="Embedded real data: kosarak, adult-education, adult-age, …")
    ] = None,
    domain_size: Annotated[int | None, typer.Option(help="Number of values, when there are no data.")] = None,
    domain: Annotated[str | None, typer.Option(help="File with the values that may occur, one a line.")] = None,
    other: Annotated[OtherValues, typer.Option(help="Values outside the domain: an error, or one more value.")] = (
        OtherValues.reject
    ),
    epsilon: Annotated[str | None, typer.Option(help="Budgets: 1 or 0.5,1,2 or ln(3) or 2*ln(3).")] = None,
    protocols: Annotated[
        str, typer.Option(help="Specs: NAME[:key=value,…], or file:PATH for a channel matrix.")
    ] = ",".join(SEVEN),
    n: Annotated[
        int | None, typer.Option("--n", help="Number of reports; by default the data's, else 100,000.")
    ] = None,
    match: Annotated[
        Matched, typer.Option(help="Compare at equal …: solves each ε to match the first protocol.")
    ] = Matched.epsilon,
    max_asr: Annotated[float | None, typer.Option(help="Largest chance of a right guess, no prior knowledge.")] = None,
    max_bits: Annotated[float | None, typer.Option(help="Largest Shannon capacity in bits.")] = None,
    max_error: Annotated[float | None, typer.Option(help="Largest standard error of a frequency.")] = None,
    order: Annotated[
        bool | None, typer.Option("--order/--no-order", help="Decide who is safer against everybody; if k ≤ 1,000.")
    ] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for the order; 20 by default.")] = None,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Divide rows of file: channels by their sums.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    out: Annotated[str | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
    html: Annotated[
        str | None, typer.Option(help="Write a page with charts for a decision meeting to this file.")
    ] = None,
) -> None:
    """Compare protocols on one domain: what each tells any adversary, and how well each estimates.

    [bold]Examples[/bold]

      qifldp compare --dataset kosarak --epsilon 1

      qifldp compare --domain-size 50 --epsilon "1,2,ln(3)" --protocols grr,oue,the:theta=0.9

      qifldp compare survey.csv --column answer --domain answers.txt --epsilon 1 --json

      qifldp compare --domain-size 100 --epsilon 2 --match asr

      qifldp compare --domain-size 100 --n 1000000 --max-error 0.001

      qifldp compare --domain-size 100 --epsilon "0.5,1,2" --html comparison.html
    """
    if time_limit is not None and not time_limit > 0:
        raise InputError.expected("--time-limit", "a positive number of seconds", time_limit)
    question = _question(epsilon, match, {"asr": max_asr, "bits": max_bits, "error": max_error})
    files = [spec.partition(":")[2] for spec in split_specs(protocols) if spec.lower().startswith(FILE_PREFIX)]
    for output in (out, html):
        check_output(output, data, domain, *files)
    if html is not None:
        check_altair()
        if out is not None and same_file(out, html):
            raise InputError("--out and --html need a file each.")
    subjects = [read_subject(spec, normalize=normalize) for spec in split_specs(protocols)]
    population, size = _domain(data, column, dataset, domain_size, domain, other)
    reports = n if n is not None else (population.n if population and population.n else DEFAULT_N)
    prior = population.prior if population and population.n else None
    with progress_bar() as progress:
        task = progress.add_task("", total=None)

        def advance(name: str, done: int, total: int) -> None:
            progress.update(task, description=name, completed=done, total=total)

        result = compare(
            subjects,
            domain_size=size,
            question=question,
            n=reports,
            prior=prior,
            prior_description=_describe(population),
            notes=population.notes if population else (),
            progress=advance,
        )
        wanted = size <= LARGEST_BY_DEFAULT if order is None else order
        shown = as_json or out is not None or html is not None
        figures = shown and (order is True or size <= LARGEST_WITH_FIGURES)
        orders = order_comparison(result, figures=figures, time_limit=time_limit, progress=advance) if wanted else ()
        findings = None
        if html is not None:
            findings = find(subjects, result, orders=orders, prior=prior, progress=advance)
            progress.update(task, description="page", total=None)
            _write_page(findings, html)
    entries = [entry for found in orders for entry in found.entries]
    document = result.to_json(entries) if findings is None else findings.to_json()
    view = comparison_view(result, {found.asked_epsilon: hasse_text(found.order) for found in orders})
    show(document, view, as_json=as_json, out=out)
    if html is not None:
        errors().print(plain(_page_note(html)), markup=False, soft_wrap=True)


def _page_note(path: str) -> str:
    size = Path(path).stat().st_size
    if size <= LARGE_PAGE:
        return f"The page is in {path} (HTML)."
    return f"The page is in {path} (HTML, {size / 1e6:.1f} MB: fewer budgets or protocols make it smaller)."


def _write_page(findings: Findings, path: str) -> None:
    """Write the comparison page, whole or not at all."""
    from qifldp.rendering.page.assemble import page_of  # noqa: PLC0415  # imports an extra

    text = page_of(findings)

    def write(file: Path) -> None:
        file.write_text(text, encoding="utf-8")

    write_atomically(path, write)


def _question(epsilon: str | None, match: Matched, limits: dict[Limit, float | None]) -> Question:
    given = [(name, value) for name, value in limits.items() if value is not None]
    if len(given) > 1:
        raise InputError("Give one limit only: --max-asr, --max-bits or --max-error.")
    budgets = tuple(Budget.read(part) for part in epsilon.split(",")) if epsilon is not None else ()
    if given:
        return Question(budgets, match.value, *given[0])
    return Question(budgets, match.value)


def _domain(
    data: str | None,
    column: str | None,
    dataset: str | None,
    domain_size: int | None,
    domain: str | None,
    other: OtherValues,
) -> tuple[Population | None, int]:
    """Return the population, if there are data, and the number of values."""
    named = [
        name
        for name, value in (("DATA", data), ("--dataset", dataset), ("--domain-size", domain_size))
        if value is not None
    ]
    if len(named) > 1:
        given = [f"DATA ({shown(data)})" if name == "DATA" else name for name in named]
        raise InputError(
            f"What is collected is said once, not by {' and '.join(given)}; "
            "several budgets are one text: --epsilon 1,2."
        )
    if not named and domain is None:
        raise InputError("Say what is collected: one of DATA with --column, --dataset, --domain-size or --domain.")
    if column is not None and data is None:
        raise InputError("--column names a column of DATA: give the file too.")
    if domain is not None and named and data is None:
        raise InputError(f"--domain declares the values of DATA: leave it out with {named[0]}.")
    if domain_size is not None:
        return None, domain_size
    if dataset is not None:
        population = load_dataset(dataset)
        return population, len(population.values)
    declared = read_domain(domain) if domain is not None else None
    if data is None:
        assert declared is not None
        return None, len(declared)
    if column is None:
        raise InputError("Say which column of DATA is collected: --column NAME.")
    with progress_bar() as progress:
        task = progress.add_task("reading", total=1.0)
        population = count_column(
            data,
            column,
            domain=declared,
            other=other.value,
            progress=lambda share: progress.update(task, completed=share),
        )
    return population, len(population.values)


def _describe(population: Population | None) -> dict[str, object]:
    if population is None:
        return {"kind": "uniform"}
    described: dict[str, object] = {"kind": "data", "title": population.title, "n": population.n}
    described["largest"] = max(population.counts) / population.n
    if population.source:
        described["source"] = population.source
    return described
