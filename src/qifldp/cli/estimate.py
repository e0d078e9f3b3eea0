"""``qifldp estimate``: files of reports become frequencies with their errors."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from qifldp.cli.application import Pace, application, check_output, errors, progress_bar, show
from qifldp.collection.reports import fingerprint as protocol_fingerprint
from qifldp.data.columns import read_values
from qifldp.engines.local import Counted, count_reports
from qifldp.engines.report_files import look_into, open_reports
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError, shown
from qifldp.rendering.collection import estimate_document, estimate_view, refusals
from qifldp.rendering.text import plain
from qifldp.storage import same_file

NEAREST_AMONG = 100_000
"""Labels among which the nearest to an unknown one is looked for."""


class Engine(StrEnum):
    """What counts."""

    local = "local"
    spark = "spark"


class WeightsOption(StrEnum):
    """How reports are weighed."""

    value = "value"
    plain = "plain"


class PostOption(StrEnum):
    """What is done to the unbiased estimates."""

    none = "none"
    normsub = "normsub"
    simplex = "simplex"
    mle = "mle"


@application.command("estimate")
def estimate_command(
    reports: Annotated[str, typer.Argument(help="A file of reports, or a folder of such files.")],
    engine: Annotated[Engine, typer.Option(help="Count on this machine, or on a Spark cluster.")] = Engine.local,
    master: Annotated[str | None, typer.Option(help="Spark's master URL; by default local[*].")] = None,
    weights: Annotated[
        WeightsOption, typer.Option(help="Weigh reports by size, for each value; or all alike (the textbook).")
    ] = WeightsOption.value,
    post: Annotated[
        PostOption, typer.Option(help="Leave estimates unbiased, or make them frequencies of sum one.")
    ] = PostOption.none,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    candidates: Annotated[str | None, typer.Option(help="File with the values to show, one a line.")] = None,
    fingerprint: Annotated[
        str | None, typer.Option(help="Count reports of this protocol only; qifldp protocol prints it.")
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(help="Keep the counts in this file, and go on from it after a kill.")
    ] = None,
    all_values: Annotated[bool, typer.Option("--all", help="Show all values, not the largest 20.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    out: Annotated[str | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
) -> None:
    """Estimate how frequent each value is among the people who reported, with errors and intervals.

    [bold]Examples[/bold]

      qifldp estimate reports.parquet

      qifldp estimate reports/ --checkpoint counts.json --post simplex --json

      qifldp estimate reports.parquet --candidates watched.txt --confidence 0.99
    """
    if not 0 < confidence < 1:
        raise InputError.expected("confidence", "between 0 and 1", confidence)
    if engine is Engine.local and master is not None:
        raise InputError("--master is about --engine spark: give both.")
    if engine is Engine.spark and checkpoint is not None:
        raise InputError("--checkpoint is about --engine local: Spark counts lost pieces again by itself.")
    source = look_into(reports)
    check_output(out, candidates, checkpoint, *map(str, source.files))
    _check_checkpoint(checkpoint, candidates, *map(str, source.files))
    if fingerprint is not None:
        _check_fingerprint(source.files[0], fingerprint)
    for note in source.notes:
        errors().print(plain(note), markup=False, soft_wrap=True)
    wanted = None if candidates is None else _read_candidates(candidates)
    with progress_bar() as progress:
        pace = Pace(progress, "counting")
        counted = _count(reports, engine, master, weights, checkpoint, pace.advance)
    accumulator = counted.accumulator
    if not accumulator.n and accumulator.refused:
        raise InputError(f"All reports were refused: {refusals(accumulator.refused)}.")
    places = range(len(accumulator.counts)) if wanted is None else _places(wanted, counted.header)
    estimates = accumulator.estimate(post=post.value, confidence=confidence)
    document = estimate_document(counted, estimates, weights=weights.value, places=places)
    view = estimate_view(counted, estimates, places=places, all_values=all_values or wanted is not None)
    show(document, view, as_json=as_json, out=out)
    if checkpoint is not None:
        Path(checkpoint).unlink(missing_ok=True)


def _check_checkpoint(checkpoint: str | None, *inputs: str | None) -> None:
    """Raise InputError if counts would be kept in a file that the result is made from."""
    if checkpoint is not None and any(same_file(checkpoint, path) for path in inputs if path):
        raise InputError(
            f"--checkpoint would overwrite {shown(checkpoint)}, which the result is made from: name another file."
        )


def _check_fingerprint(first: Path, wanted: str) -> None:
    found = protocol_fingerprint(open_reports(first).header.protocol)
    if found != wanted.strip().lower():
        raise InputError(f"{shown(first.name)} is of another protocol or other parameters: its fingerprint is {found}.")


def _count(
    reports: str,
    engine: Engine,
    master: str | None,
    weights: WeightsOption,
    checkpoint: str | None,
    progress: Callable[[float, int], None],
) -> Counted:
    if engine is Engine.local:
        return count_reports(reports, weights=weights.value, checkpoint=checkpoint, progress=progress)
    from qifldp.engines import spark  # noqa: PLC0415  # an extra

    return spark.count_reports(reports, master=master, weights=weights.value, progress=progress)


def _read_candidates(path: str) -> tuple[str, ...]:
    values = tuple(dict.fromkeys(read_values(path)))
    if not values:
        raise InputError(f"The file of candidates {shown(path)} names no value.")
    return values


def _places(wanted: tuple[str, ...], header: ReportHeader) -> list[int]:
    """Return the places of values in the domain of the reports."""
    labels = tuple(map(str, range(header.protocol.domain_size))) if header.values is None else header.values
    place_of = {value: place for place, value in enumerate(labels)}
    for value in wanted:
        if value not in place_of:
            near = difflib.get_close_matches(value, labels[:NEAREST_AMONG], n=1, cutoff=0)
            raise InputError(
                f"There is no value {shown(value)} in the domain of the reports: did you mean {shown(near[0])}?"
            )
    return [place_of[value] for value in wanted]
