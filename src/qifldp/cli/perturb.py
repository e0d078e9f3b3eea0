"""``qifldp perturb``: a column of values becomes a file of reports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from qifldp.channels.profile import check_domain_size
from qifldp.cli.application import Pace, application, check_output, errors, progress_bar, show
from qifldp.cli.compare import OtherValues
from qifldp.data.columns import column_title, read_columns, read_domain
from qifldp.data.datasets import load_dataset
from qifldp.data.places import Places
from qifldp.data.transactions import ENDING, read_items
from qifldp.engines.perturbing import People, perturb_to_file
from qifldp.engines.pieces import ROWS_A_PIECE
from qifldp.engines.report_files import check_ending
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import parse_spec
from qifldp.rendering.collection import perturb_document, perturb_view

NO_DOMAIN = "Declare the values that may occur (--domain FILE): a domain that is read from the data is itself a leak."

OWN_IDS = (
    "--ids and --column name the same column: ids are written as they are, and would give the values away that the "
    "reports protect."
)

LONGEST_SIZE = 8
"""Digits of a domain that is given as a number."""


class ItemRule(StrEnum):
    """Which item of a transaction is reported."""

    first = "first"
    random = "random"


@application.command("perturb")
def perturb_command(
    context: typer.Context,
    protocol: Annotated[str, typer.Option(help="NAME[:key=value,…].")],
    out: Annotated[str, typer.Option(help="The file of reports: .parquet, .arrow, .feather or .csv.")],
    data: Annotated[
        str | None, typer.Argument(help="A CSV or Parquet file, or transactions (.dat: items, a line each).")
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column of DATA with the values.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Embedded real data in place of DATA: kosarak, …")] = None,
    domain: Annotated[
        str | None, typer.Option(help="File with the values that may occur, one a line; K for items 1 to K.")
    ] = None,
    other: Annotated[OtherValues, typer.Option(help="Values outside the domain: an error, or one more value.")] = (
        OtherValues.reject
    ),
    item: Annotated[ItemRule, typer.Option(help="Of a transaction: the first item, or a random one.")] = ItemRule.first,
    ids: Annotated[str | None, typer.Option(help="A column of DATA with ids to write beside the reports.")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Budget: 1, ln(3) or 2*ln(3).")] = None,
    seed: Annotated[int | None, typer.Option(help="Simulate from a seed: for tests, never for people's data.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Draw a report for each row of a column: what the clients of a protocol would send.

    Randomness comes from the operating system, and every choice is exact. With --seed it is a simulation.

    [bold]Examples[/bold]

      qifldp perturb survey.csv --column answer --domain answers.txt --protocol oue --epsilon 1 --out reports.parquet

      qifldp perturb clicks.dat --domain 41270 --item random --protocol olh --epsilon "ln(3)" --out reports.parquet

      qifldp perturb --dataset kosarak --protocol ss --epsilon 1 --seed 7 --out simulated.parquet
    """
    check_output(out, data, domain)
    check_ending(out)
    if seed is not None and seed < 0:
        raise InputError.expected("seed", "a whole number of at least 0", seed)
    rng = None if seed is None else np.random.default_rng(seed)
    _check_rules(context, data, dataset)
    source = _source(data, column, dataset, domain, other, item, ids, rng)
    spec = parse_spec(protocol)
    if epsilon is not None and not spec.has_budget:
        raise InputError(f"The parameters of {spec.name} are p and q, not a budget: leave --epsilon out.")
    size = check_domain_size(len(source.values))
    built = spec.build(size, None if epsilon is None else Budget.read(epsilon))
    header = ReportHeader(built, source.values, simulated=seed is not None)
    if seed is not None:
        errors().print("Simulation: reports drawn from a seed protect nobody.", markup=False)
    with progress_bar() as progress:
        pace = Pace(progress, "perturbing")
        written = perturb_to_file(out, header, source.people, rng=rng, ids=ids is not None, progress=pace.advance)
    document = perturb_document(written, file=out, seed=seed, notes=source.notes)
    show(document, perturb_view(written, file=out, notes=source.notes), as_json=as_json, out=None)


def _check_rules(context: typer.Context, data: str | None, dataset: str | None) -> None:
    """Raise InputError if a rule is asked for that has nothing to decide."""
    sources = {name: context.get_parameter_source(name) for name in ("item", "other")}
    given = {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}
    if dataset is not None and given:
        raise InputError("--item and --other are about DATA: leave them out with --dataset.")
    if data is not None and "item" in given and not _of_transactions(data):
        raise InputError("--item is about transactions (.dat): a row of other DATA has one value.")


def _of_transactions(data: str) -> bool:
    return Path(data).suffix.lower() == ENDING


@dataclass(eq=False)
class _Source:
    """People of a known domain, and what is to be said about them when all were read."""

    values: tuple[str, ...]
    people: Iterator[People]
    notes: list[str] = field(default_factory=list)


def _source(
    data: str | None,
    column: str | None,
    dataset: str | None,
    domain: str | None,
    other: OtherValues,
    item: ItemRule,
    ids: str | None,
    rng: np.random.Generator | None,
) -> _Source:
    if (data is None) == (dataset is None):
        raise InputError("Say what is perturbed: either DATA with --column, or --dataset.")
    if dataset is not None:
        if column is not None or domain is not None or ids is not None:
            raise InputError("--column, --domain and --ids are about DATA: leave them out with --dataset.")
        population = load_dataset(dataset)
        people = np.repeat(np.arange(len(population.values)), population.counts)
        (rng or np.random.default_rng()).shuffle(people)  # the order of values in the data set is by frequency
        return _Source(population.values, _in_parts(people))
    assert data is not None
    if domain is None:
        raise InputError(NO_DOMAIN)
    if _of_transactions(data):
        if column is not None or ids is not None:
            raise InputError("Transactions have no columns: leave --column and --ids out.")
        return _transactions(data, Places(_items(domain), other.value, f"{Path(data).name}"), item, rng)
    if column is None:
        raise InputError("Say which column of DATA is perturbed: --column NAME.")
    if ids == column:
        raise InputError(OWN_IDS)
    return _column(data, column, ids, Places(read_domain(domain), other.value, column_title(data, column)))


def _in_parts(places: NDArray[np.int64]) -> Iterator[People]:
    for start in range(0, len(places), ROWS_A_PIECE):
        part = places[start : start + ROWS_A_PIECE]
        yield People(part, None, (start + len(part)) / len(places))


def _items(domain: str) -> tuple[str, ...]:
    """Return the domain of items: a file's, or 1 to K."""
    if not domain.isdecimal():
        return read_domain(domain)
    if len(domain) > LONGEST_SIZE:
        raise InputError.expected("--domain", "a file or a number of items", domain)
    return tuple(map(str, range(1, check_domain_size(int(domain)) + 1)))


def _column(data: str, column: str, ids: str | None, places: Places) -> _Source:
    def people() -> Iterator[People]:
        row = 0
        for share, texts in read_columns(data, [column] if ids is None else [column, ids]):
            names = None if ids is None else texts[1].to_pylist()
            if names is not None and not all(names):
                raise InputError(f"Row {row + [bool(name) for name in names].index(False) + 1:,} has no id.")
            row += len(texts[0])
            yield People(places.find(texts[0]), names, share)
        _note_strangers(source, places)

    source = _Source(places.values, people())
    return source


def _transactions(data: str, places: Places, item: ItemRule, rng: np.random.Generator | None) -> _Source:
    def people() -> Iterator[People]:
        empty = 0
        for some in read_items(data, item=item.value, rng=rng):
            empty += some.empty
            yield People(places.find(some.texts), None, some.share)
        if empty:
            source.notes.append(f"Lines without items, which report nothing: {empty:,}.")
        _note_strangers(source, places)

    source = _Source(places.values, people())
    return source


def _note_strangers(source: _Source, places: Places) -> None:
    if places.strangers:
        source.notes.append(f"Rows outside the declared domain, reported as (other): {places.strangers:,}.")
