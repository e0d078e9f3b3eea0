"""What the explorer answers, computed from a question by the same functions as ``qifldp compare`` and ``refine``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from qifldp.adversaries.prior import Prior
from qifldp.app.state import MATRIX, NO_DATA, UPLOADED, State
from qifldp.channels.channel import Channel
from qifldp.channels.files import to_json as channel_to_json
from qifldp.comparison.advice import Advice, advise
from qifldp.comparison.compare import Comparison, compare
from qifldp.comparison.curves import Curves, curves
from qifldp.comparison.findings import Findings
from qifldp.comparison.naming import subject_names
from qifldp.comparison.ordering import ComparedOrder
from qifldp.comparison.plane import Plane, plane
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import MatrixSubject, Subject, build
from qifldp.comparison.sweep import Sweep
from qifldp.data.datasets import load_dataset
from qifldp.data.population import Population
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec, parse_spec
from qifldp.refinement.certificate import Certificate, Side
from qifldp.refinement.verify import verify_certificate
from qifldp.rendering.decision import verified_words

Sources = dict[str, Protocol | Channel]


@dataclass(frozen=True, eq=False)
class Files:
    """What was uploaded in a session: a column's counts, a channel matrix, both or neither.

    Attributes:
        population: The counts.
        matrix: The channel.
    """

    population: Population | None = None
    matrix: MatrixSubject | None = None

    @cached_property
    def key(self) -> str:
        """What tells these files from others: a digest of all that they hold, so that no answer outlives its files."""
        return hashlib.blake2b(json.dumps(self.to_json()).encode(), digest_size=16).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return both as JSON."""
        population, matrix = self.population, self.matrix
        return {
            "population": None if population is None else vars(population),
            "matrix": None if matrix is None else {"spec": matrix.spec} | channel_to_json(matrix.channel),
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Files:
        """Read what :meth:`to_json` returned."""
        population, matrix = document["population"], document["matrix"]
        if population is not None:
            title, source = population["title"], population["source"]
            values, counts, notes = (tuple(population[key]) for key in ("values", "counts", "notes"))
            population = Population(title, values, counts, notes, source)
        if matrix is not None:
            channel = Channel(matrix["matrix"], inputs=matrix["inputs"], outputs=matrix["outputs"])
            matrix = MatrixSubject(matrix["spec"], channel)
        return cls(population, matrix)


@dataclass(frozen=True)
class Asked:
    """A question as far as the figures depend on it; equal questions have equal answers.

    Attributes:
        k: Number of values.
        epsilon: The budget as it was given.
        n: Number of reports.
        specs: The protocols.
        data: Where the prior comes from.
        files: The uploaded files, if any of them has a part in it.
    """

    k: int
    epsilon: str
    n: int
    specs: tuple[str, ...]
    data: str = NO_DATA
    files: str = ""

    @property
    def budget(self) -> Budget:
        """The budget."""
        return Budget.read(self.epsilon)


def population_in(state: State, files: Files) -> Population | None:
    """Return the counts that are in use, if any."""
    if state.data == NO_DATA:
        return None
    return files.population if state.data == UPLOADED else load_dataset(state.data)


def asked(state: State, files: Files) -> Asked:
    """Return the question that a state asks: with data, they say how many values and reports there are."""
    found = population_in(state, files)
    k, n = (state.k, state.n) if found is None else (len(found.values), found.n)
    if files.matrix is not None and found is None:
        k = files.matrix.channel.domain_size
    own = files.key if files.matrix is not None or state.data == UPLOADED else ""
    return Asked(k, state.epsilon, n, state.specs, state.data, own)


def addressed(state: State, files: Files) -> State:
    """Return a state as its address is to say it: beside an uploaded channel that sets k, with this k and a mark of it.

    How many values and rows an uploaded column has is not in an address: that would tell about the data.
    """
    if files.matrix is None:
        return state
    k = asked(state, files).k if state.data == NO_DATA else state.k
    return replace(state, k=k, channel=UPLOADED)


def subjects_of(question: Asked, files: Files) -> list[Subject]:
    """Return what is compared: the protocols, and the uploaded channel if it has as many rows as there are values."""
    found: list[Subject] = [parse_spec(spec) for spec in question.specs]
    if files.matrix is not None and files.matrix.channel.domain_size == question.k:
        found.append(files.matrix)
    return found


def prior_in(question: Asked, files: Files) -> tuple[Prior | None, dict[str, object], tuple[str, ...]]:
    """Return the prior of the informed adversary, how it was made, and what to know about it."""
    state = State(data=question.data)
    found = population_in(state, files)
    if found is None:
        return None, {"kind": "uniform"}, ()
    described: dict[str, object] = {"kind": "data", "title": found.title, "n": found.n}
    described["largest"] = max(found.counts) / found.n
    if found.source:
        described["source"] = found.source
    return found.prior, described, found.notes


def comparison_of(question: Asked, files: Files) -> Comparison:
    """Return the figures of everything that is compared."""
    prior, described, notes = prior_in(question, files)
    return compare(
        subjects_of(question, files),
        domain_size=question.k,
        question=Question((question.budget,)),
        n=question.n,
        prior=prior,
        prior_description=described,
        notes=notes,
    )


def names_of(question: Asked, files: Files) -> tuple[str, ...]:
    """Return what each is called."""
    return subject_names(subjects_of(question, files))


def advice_of(question: Asked, files: Files, comparison: Comparison) -> Advice:
    """Return the recommendation under the budget."""
    ((epsilon, rows),) = comparison.groups()
    return advise(subjects_of(question, files), comparison, epsilon, rows, question.budget)


def sources_of(question: Asked, files: Files, comparison: Comparison) -> Sources:
    """Return the protocol or the channel of each row, by its spec."""
    found: Sources = {}
    for row, subject in zip(comparison.rows, subjects_of(question, files), strict=True):
        found[row.spec] = build(subject, question.k, question.budget)
    return found


def plane_of(question: Asked, files: Files, comparison: Comparison, marks: Sequence[dict[str, object]]) -> Plane:
    """Return leakage against error, the adversary's figure among the leakages.

    Args:
        question: The question.
        files: The uploaded files.
        comparison: Its answer.
        marks: The adversary's figure of each row.
    """
    ((epsilon, rows),) = comparison.groups()
    sources = sources_of(question, files, comparison)
    found = plane(epsilon, rows, names_of(question, files), sources, question.n)
    more = {mark["series"]: mark for mark in marks}
    return replace(found, points=tuple(more[point["series"]] | point for point in found.points))


def curves_of(question: Asked, files: Files, comparison: Comparison) -> Curves:
    """Return the trade-off curves."""
    ((epsilon, rows),) = comparison.groups()
    return curves(epsilon, rows, names_of(question, files), sources_of(question, files, comparison))


def marks_of(
    question: Asked,
    files: Files,
    comparison: Comparison,
    figure: Callable[[Protocol | Channel], float | None],
    key: str,
) -> list[dict[str, object]]:
    """Return the adversary's figure of each row, as the records of a chart; a matrix stands at its tight ε."""
    sources = sources_of(question, files, comparison)
    found: list[dict[str, object]] = []
    for name, row in zip(names_of(question, files), comparison.rows, strict=True):
        place = row.figures["tight_epsilon"] if row.epsilon is None else row.epsilon
        if place is not None:
            found.append({"series": name, "protocol": row.protocol, "epsilon": place, key: figure(sources[row.spec])})
    return found


def document_of(
    comparison: Comparison, names: Sequence[str], orders: Sequence[ComparedOrder] = ()
) -> dict[str, object]:
    """Return a comparison, and orders if they were decided, as the JSON document that the page's tables read."""
    parts = Findings(comparison, tuple(names), tuple(orders), (), Sweep((), ()), (), (), ())
    return parts.to_json()


def side_of(name: str, state: State, files: Files) -> Side:
    """Return one of two sides, head to head.

    Raises:
        InputError: If it is the uploaded channel and there is none.
    """
    question = asked(state, files)
    if name == MATRIX:
        if files.matrix is None:
            raise InputError("There is no uploaded channel.")
        return files.matrix.channel
    spec: ProtocolSpec = parse_spec(state.spec(name))
    return spec.build(question.k, question.budget)


def verify_text(text: str) -> str:
    """Return what a certificate proves, read as anybody would read it who got the file; nothing else is used.

    Raises:
        QifldpError: If it is no certificate, or proves nothing.
    """
    return verified_words(verify_certificate(Certificate.from_json(json.loads(text))))


def certificate_text(certificate: Certificate) -> str:
    """Return a certificate as the text of its file."""
    return json.dumps(certificate.to_json(), indent=1) + "\n"
