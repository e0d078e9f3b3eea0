"""``qifldp audit``: what a client leaks at least, from its reports alone."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from qifldp.adversaries.gain import Gain
from qifldp.audit.auditing import audit_client
from qifldp.audit.bounds import check_confidence
from qifldp.audit.commands import PATIENCE, CommandSource
from qifldp.audit.estimator import audit_server
from qifldp.audit.result import Server
from qifldp.audit.samples import Domain, Samples
from qifldp.audit.sources import Source, load, load_object
from qifldp.audit.tables import read_samples
from qifldp.cli.application import application, check_output, progress_bar, show
from qifldp.cli.leakage import gain_option
from qifldp.cli.streams import stdout_kept_for_the_result
from qifldp.data.columns import read_domain
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec
from qifldp.rendering.audit import audit_view

COMMAND = "cmd:"

TABLES = (".csv", ".parquet")

LONGEST_SIZE = 8
"""Digits of a domain that is given as a number."""

SAMPLES = 100_000


class ReportForm(StrEnum):
    """How reports that come as text are read."""

    text = "text"
    json = "json"
    hex = "hex"


@application.command("audit")
def audit_command(
    source: Annotated[str, typer.Argument(help="module:function, a CSV or Parquet table, or cmd:COMMAND.")],
    domain: Annotated[str, typer.Option(help="File with the values, one a line; or K for the numbers 0 to K − 1.")],
    protocol: Annotated[str | None, typer.Option(help="The protocol that is claimed: NAME[:key=value,…].")] = None,
    epsilon: Annotated[str | None, typer.Option(help="The ε that is claimed, or the protocol's: 1, ln(3).")] = None,
    samples: Annotated[int | None, typer.Option(help=f"Users to draw; {SAMPLES:,} by default.")] = None,
    rounds: Annotated[int, typer.Option(help="Reports of each user, which are taken as one.")] = 1,
    supports: Annotated[
        str | None, typer.Option(help="module:function that says of (report, value) whether it supports the value.")
    ] = None,
    outside: Annotated[
        list[str] | None, typer.Option(help="A value outside the domain, which is to be refused; may be repeated.")
    ] = None,
    report_format: Annotated[ReportForm, typer.Option(help="How reports that come as text are read.")] = (
        ReportForm.text
    ),
    classifier: Annotated[
        bool | None, typer.Option(help="Learn a distinguisher; by default if scikit-learn is installed.")
    ] = None,
    gain: Annotated[
        str | None, typer.Option(help="A further adversary: guesses:T, member:FILE, distance, or a matrix file.")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="module:function from reports to frequencies, which is audited too.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds without a report after which a command is ended.")] = PATIENCE,
    confidence: Annotated[float, typer.Option(help="1 − the chance of a false alarm.")] = 0.99,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    out: Annotated[str | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
) -> None:
    """Measure what a client leaks at least, and whether it is what it claims to be; exit code 1 if it is not.

    [bold]Examples[/bold]

      qifldp audit myapp.privacy:client --domain 16 --protocol oue --epsilon 1

      qifldp audit "myapp.privacy:Client()" --domain answers.txt --epsilon 1 --rounds 20

      qifldp audit pairs.parquet --domain answers.txt --protocol ss --epsilon "ln(3)" --json

      qifldp audit "cmd:node client.js" --domain 16 --protocol grr --epsilon 1 --samples 20000
    """
    check_output(out, source, domain)
    values, file = _domain(domain)
    declared, budget = _claim(protocol, epsilon, len(values))
    if outside and file is None:
        probes: list[object] = [int(text) if text.removeprefix("-").isdecimal() else text for text in outside]
    else:
        probes = list(outside or [])
    wanted = None if gain is None else _gain(gain, values)
    with stdout_kept_for_the_result(), progress_bar() as progress:  # what a client prints is no part of it
        told = None if supports is None else _function(supports)
        client = _source(source, values, report_format, rounds, timeout, samples)
        pace = _Pace(progress)
        served = None if server is None else _serve(client, server, values, confidence, seed, pace)
        result = audit_client(
            client,
            domain=values.values,
            protocol=declared,
            epsilon=budget,
            samples=SAMPLES if samples is None else samples,
            rounds=rounds,
            confidence=confidence,
            seed=seed,
            supports=told,
            outside=probes,
            classifier=classifier,
            gain=wanted,
            server=served,
            progress=pace.advance,
        )
    show(result.to_json(), audit_view(result), as_json=as_json, out=out)
    if result.verdict == "violates":
        raise typer.Exit(1)


class _Pace:
    """A task of the progress bar for each thing that is done."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._tasks = progress, dict[str, Any]()

    def advance(self, what: str, done: int, total: int) -> None:
        if what not in self._tasks:
            for task in self._tasks.values():
                self._progress.update(task, visible=False)
            self._tasks[what] = self._progress.add_task(what, total=total)
        self._progress.update(self._tasks[what], completed=done)


def _domain(text: str) -> tuple[Domain, str | None]:
    if not text.isdecimal():
        return Domain.read(read_domain(text)), text
    if len(text) > LONGEST_SIZE:
        raise InputError.expected("--domain", "a file or a number of values", text)
    return Domain.read(int(text)), None


def _claim(protocol: str | None, epsilon: str | None, size: int) -> tuple[Protocol | None, Budget | None]:
    if protocol is None:
        if epsilon is None:
            raise InputError("Say what is claimed: --protocol SPEC, or --epsilon E.")
        return None, Budget.read(epsilon)
    spec = parse_spec(protocol)
    if epsilon is not None and not spec.has_budget:
        raise InputError(f"The parameters of {spec.name} are p and q, not a budget: leave --epsilon out.")
    return spec.build(size, None if epsilon is None else Budget.read(epsilon)), None


def _function(text: str) -> Callable[..., Any]:
    found, called = load_object(text)
    if called or not callable(found):
        raise InputError.expected("--supports and --server", "module:function", text)
    function: Callable[..., Any] = found
    return function


def _gain(text: str, values: Domain) -> Gain:
    return gain_option(text, values.labels, len(values))


def _source(
    text: str, values: Domain, form: ReportForm, rounds: int, timeout: float, samples: int | None
) -> Source | Samples:
    if text.startswith(COMMAND):
        if not 0 < timeout <= 10**6:
            raise InputError.expected("--timeout", "seconds from 0 to 1,000,000", timeout)
        return CommandSource(text.removeprefix(COMMAND), form=form.value, patience=timeout)
    if Path(text).suffix.lower() in TABLES:
        if samples is not None:
            raise InputError("A table is read whole: leave --samples out.")
        return read_samples(text, values, form=form.value, rounds=rounds)
    if ":" not in text:
        raise InputError.expected("SOURCE", "module:function, a table (.csv, .parquet) or cmd:COMMAND", text)
    return load(text)


def _serve(client: Source | Samples, server: str, values: Domain, confidence: float, seed: int, pace: _Pace) -> Server:
    if isinstance(client, Samples):
        raise InputError("A server is audited with a client: a table has no new reports to give.")
    check_confidence(confidence)
    half = (1 + confidence) / 2  # the other half of the error is the client's
    return audit_server(
        client, _function(server), domain=values.values, confidence=half, seed=seed, progress=pace.advance
    )
