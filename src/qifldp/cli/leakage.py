"""``qifldp leakage``: every measure of one channel, and one adversary."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from qifldp.adversaries import gain as gains
from qifldp.adversaries.files import read_gain, read_prior, read_sensitive_set
from qifldp.adversaries.gain import Gain
from qifldp.adversaries.prior import Prior
from qifldp.channels.profile import check_domain_size
from qifldp.cli.application import application, check_output, progress_bar, show
from qifldp.comparison.single import measure
from qifldp.comparison.subjects import MatrixSubject, build, read_subject
from qifldp.errors import InputError
from qifldp.exact.budget import Budget, parse_rational
from qifldp.protocols.protocol import Protocol
from qifldp.rendering.tables import leakage_view
from qifldp.storage import exists

LONGEST_COUNT = 18
"""Digits of a number of guesses that are read at most."""


@application.command("leakage")
def leakage_command(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="NAME[:key=value,…], or file:PATH for a channel matrix.")],
    domain_size: Annotated[int | None, typer.Option(help="Number of values (not for file:).")] = None,
    epsilon: Annotated[str | None, typer.Option(help="Budget: 1, ln(3) or 2*ln(3).")] = None,
    prior: Annotated[
        str, typer.Option(help="What the adversary knows: uniform, zipf:S, or a file with one number a line.")
    ] = "uniform",
    gain: Annotated[
        str, typer.Option(help="What they want: bayes, guesses:T, member:FILE, distance, or a matrix file.")
    ] = "bayes",
    samples: Annotated[int, typer.Option(help="Simulated reports, where no exact way exists.")] = 100_000,
    confidence: Annotated[float, typer.Option(help="Confidence of the interval of a simulation.")] = 0.99,
    seed: Annotated[int, typer.Option(help="Seed of a simulation.")] = 0,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Divide rows of a file: channel by their sums.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
    out: Annotated[str | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
) -> None:
    """Show every measure of one protocol or channel matrix, and what one adversary gains.

    [bold]Examples[/bold]

      qifldp leakage oue --domain-size 50 --epsilon 1

      qifldp leakage the:theta=0.9 --domain-size 1000 --epsilon "2*ln(3)" --prior zipf:1 --gain guesses:10

      qifldp leakage file:channel.csv --gain member:sensitive.txt --json
    """
    check_output(out, spec.partition(":")[2], prior, gain, gain.partition(":")[2])
    subject = read_subject(spec, normalize=normalize)
    if isinstance(subject, MatrixSubject):
        if epsilon is not None:
            raise InputError("A channel matrix has no budget: leave --epsilon out.")
        size = check_domain_size(subject.channel.domain_size if domain_size is None else domain_size)
        labels = subject.channel.inputs
    else:
        if domain_size is None:
            raise InputError("Say how many values there are: --domain-size K.")
        size, labels = check_domain_size(domain_size), None
        if epsilon is not None and not subject.has_budget:
            raise InputError(f"The parameters of {subject.name} are p and q, not a budget: leave --epsilon out.")
    source = build(subject, size, None if epsilon is None else Budget.read(epsilon))
    known, description = _prior(prior, size)
    wanted = gain_option(gain, labels, size)
    if seed < 0:
        raise InputError.expected("seed", "a whole number of at least 0", seed)
    with progress_bar() as progress:
        task = progress.add_task("simulating reports", total=None, visible=False)
        result = measure(
            source,
            spec=source.spec if isinstance(source, Protocol) else spec,
            prior=known,
            gain=wanted,
            prior_description=description,
            samples=samples,
            confidence=confidence,
            rng=np.random.default_rng(seed),
            progress=lambda done, total: progress.update(task, completed=done, total=total, visible=True),
        )
    show(result.to_json(), leakage_view(result), as_json=as_json, out=out)


def _prior(text: str, domain_size: int) -> tuple[Prior, dict[str, object]]:
    kind, _, rest = text.partition(":")
    if kind.lower() == "uniform" and not rest:
        return Prior.uniform(domain_size), {"kind": "uniform"}
    if kind.lower() == "zipf":
        exponent = float(parse_rational(rest or "1", "the exponent of zipf"))
        return Prior.zipf(domain_size, exponent), {"kind": "zipf", "exponent": exponent}
    if not exists(text):
        raise InputError.expected("--prior", "uniform, zipf:S or the name of a file", text)
    return read_prior(text), {"kind": "file", "path": text}


def gain_option(text: str, labels: tuple[str, ...] | None, domain_size: int) -> Gain:
    """Return the gain function that an option names.

    Raises:
        InputError: If it names none.
    """
    kind, _, rest = text.partition(":")
    name = kind.lower()
    if name in ("bayes", "distance") and not rest:
        return gains.bayes() if name == "bayes" else gains.distance()
    if name == "guesses":
        if not rest.isdecimal() or len(rest) > LONGEST_COUNT:
            raise InputError.expected("the number of guesses", "a positive whole number", rest)
        return gains.guesses(int(rest))
    if name == "member":
        return read_sensitive_set(rest, labels, domain_size)
    if not Path(text).suffix:
        raise InputError.expected("--gain", "bayes, guesses:T, member:FILE, distance or the name of a file", text)
    return read_gain(text)
