"""From samples to an audit: columns, events, bounds, the law, leakage."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.checks import Fit
from qifldp.audit.claims import Evidence, Question, conclude, coverage, strength
from qifldp.audit.classifier import has_scikit_learn, learn
from qifldp.audit.columns import Columns, changed, fold
from qifldp.audit.encoding import encode
from qifldp.audit.events import Event, pooled
from qifldp.audit.fit import fit, order_fit
from qifldp.audit.packed import encode_packed, packed_rows
from qifldp.audit.posterior import learn_beliefs, measure_leakage, success
from qifldp.audit.powers import WANTED, Coverage, enough_samples
from qifldp.audit.result import Audit, Finding, Round, Server
from qifldp.audit.samples import Samples
from qifldp.audit.search import best_of, compare_values, find_pooled, find_whole
from qifldp.audit.splitting import Half, both, split
from qifldp.collection.hashing import HashMechanism
from qifldp.collection.reports import Reports
from qifldp.errors import InputError
from qifldp.protocols.protocol import Protocol

NO_CLASSIFIER = "No learned distinguisher was tried: pip install 'qifldp[audit]' brings it."

STEPS = (1, 2, 5, 10, 20, 50, 100, 200)
"""Numbers of rounds after which leakage is stated, beside the last."""

FEWEST_USERS = 100
"""Users of the values that are looked at, whose reports are judged at least: of fewer next to nothing can be said."""

Progress = Callable[[str, int, int], None]

Places = NDArray[np.int64]


def judge(
    samples: Samples,
    watched: Places,
    question: Question,
    *,
    share: float = 1.0,
    accepted: Sequence[object] = (),
    server: Server | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Return what samples say about the claims.

    Args:
        samples: Reports and their values.
        watched: Places of the values that are looked at.
        question: The claims.
        share: How many of all users have one of these values.
        accepted: Values outside the domain that the client has reported on.
        server: The audit of a server.
        progress: Called with (what is done, done, in all).

    Raises:
        InputError: If there are too few samples, or reports that cannot be judged.
    """

    def told(what: str, done: int) -> None:
        if progress is not None:
            progress(what, done, 4)

    rng, error = np.random.default_rng([question.seed, 1]), 1 - question.confidence
    column_of = np.full(len(samples.domain), -1)
    column_of[watched] = np.arange(len(watched))
    own = column_of[samples.places]
    if (users := int((own >= 0).sum())) < FEWEST_USERS:
        what = "users" if len(watched) == len(samples.domain) else f"users of the {len(watched)} most frequent values"
        raise InputError(f"An audit needs at least {FEWEST_USERS} {what}, got {users}.")
    first, second = split(own, rng)
    labels = tuple(samples.domain.labels[place] for place in watched.tolist())
    told("reading reports", 0)
    flat = _columns(samples, watched, first, question)
    columns = fold(flat, samples.rounds, samples.rounds)
    told("looking for events", 1)
    findings, finalists, compared = _findings(columns, first, second, labels, question)
    told("measuring leakage", 2)
    beliefs = learn_beliefs(columns, first, len(watched))
    leakage = measure_leakage(
        columns, beliefs, second, error, rng, domain_size=len(samples.domain), share=share, gain=question.gain
    )
    by_rounds = _by_rounds(samples.rounds, flat, first, second, labels, error, share, rng)
    told("checking the law", 3)
    fits = _fits(samples, flat, columns, own, both(first, second), labels, question, accepted)
    bound = max((finding.epsilon for finding in findings if finding.epsilon is not None), default=0.0)
    evidence = Evidence(
        bound=max(bound, 0.0),
        findings=findings,
        finalists=finalists,
        compared=compared,
        fits=fits,
        columns=columns,
        first=first,
        second=second,
        watched=len(watched),
        domain_size=len(samples.domain),
    )
    found = strength(question, evidence)
    power = found(1.0)
    covered = coverage(question, evidence)
    verdict, claim, reason = conclude(question, evidence, power, server, covered)
    factor = enough_samples(found) if power < WANTED else None
    return Audit(
        source=samples.source,
        spec=None if question.protocol is None else question.protocol.spec,
        domain_size=len(samples.domain),
        watched=len(watched),
        verdict=verdict,
        claim=claim,
        reason=reason,
        epsilon_claimed=question.epsilon,
        epsilon_lower_bound=evidence.bound,
        confidence=question.confidence,
        samples=len(samples),
        rounds=samples.rounds,
        seed=question.seed,
        findings=tuple(findings),
        leakage=leakage,
        fits=tuple(fits),
        power=power,
        covered=covered,
        enough=None if factor is None else math.ceil(factor * len(samples)),
        by_rounds=tuple(by_rounds),
        server=server,
        notes=tuple(_notes(samples, evidence, question)),
        reasons=_reasons(power, factor, covered, question),
    )


def _columns(samples: Samples, watched: Places, first: Half, question: Question) -> Columns:
    """Return all reports as columns, in the form that says most about the declared protocol."""
    reports, protocol = samples.reports, question.protocol
    if isinstance(reports, Reports) and question.supports is None:
        of = reports.protocol
        assert isinstance(of, Protocol)
        if protocol is None:
            return encode_packed(reports.rows, of, watched, declared=False)
        if of.mechanism.width == protocol.mechanism.width and type(of.mechanism) is type(protocol.mechanism):
            return encode_packed(reports.rows, protocol, watched, declared=True)
    listed = list(reports)
    if protocol is not None and question.supports is None:
        packed = packed_rows(listed, protocol.mechanism.width)
        if packed is not None:
            return encode_packed(packed[0], protocol, watched, declared=True, shapes=packed[1])
    return encode(
        listed,
        samples.domain.labels,
        watched,
        values=[samples.domain.values[place] for place in watched.tolist()],
        learn=(first.rows[:, None] * samples.rounds + np.arange(samples.rounds)).ravel(),
        declared=protocol,
        supports=question.supports,
    )


def _findings(
    columns: Columns, first: Half, second: Half, labels: tuple[str, ...], question: Question
) -> tuple[list[Finding], int, int]:
    """Choose events on the first half, and test them on the second: the error is shared among them.

    Of a declared protocol one is chosen beforehand, that the report supports x and not x′: it is what a claim of
    consistency is about. Where an ε alone is claimed, that is about the event that exceeds it most clearly.

    Returns:
        What was found, how many events are tested if that one is none of the others, and among how many comparisons it
        is chosen.
    """
    error = question.error
    chosen: list[Event] = []
    if question.protocol is not None and columns.statistics:
        levels = range(1, len(columns.statistics[0].words))
        p, q = question.protocol.mechanism.support_chances
        chosen.append(pooled(columns, 0, tuple((level, 0) if p > q else (0, level) for level in levels)))
    compared = compare_values(columns, first, labels, error, question.epsilon)
    candidates = [find_pooled(columns, first, error), compared.best]
    if has_scikit_learn() if question.classifier is None else question.classifier:
        candidates.append(learn(columns, first, error, question.seed))
    chosen += [found.event for found in candidates if found is not None and found.event not in chosen]
    finalists = len(chosen) + 1
    if compared.clearest is not None and compared.clearest not in chosen:
        chosen.append(compared.clearest)
    findings = [_tested(event, columns, first, second, error / len(chosen)) for event in chosen]
    findings.sort(key=lambda found: -math.inf if found.epsilon is None else found.epsilon, reverse=True)
    return findings, finalists, compared.comparisons


def _tested(event: Event, columns: Columns, first: Half, second: Half, error: float) -> Finding:
    tally = event.count(columns, second)
    low, high, epsilon = tally.bound(error)
    unseen = None
    if not tally.other_hits:
        before = event.count(columns, first)
        unseen = (tally.other_trials + before.other_trials or None) if not before.other_hits else None
    found = epsilon if math.isfinite(epsilon) else None
    return Finding(event.words, event.first, event.second, tally, low, high, found, unseen)


def _fits(
    samples: Samples,
    flat: Columns,
    columns: Columns,
    own: Places,
    whole: Half,
    labels: tuple[str, ...],
    question: Question,
    accepted: Sequence[object],
) -> list[Fit]:
    """Check the declared law; of users with several reports that of the first, and that the others are the same."""
    others = []
    if accepted:
        words = f"reports on {', '.join(map(repr, accepted))}, which are to be refused"
        others.append(Fit("values outside the domain", 1, 0.0, words, fits=False))
    if question.protocol is None:
        return others
    if samples.rounds > 1:
        differ = changed(flat, samples.rounds)
        words = f"{differ:,} of {len(samples):,} users do not send one and the same report"
        others.append(Fit("one answer for ever", 1, 0.0 if differ else 1.0, words, fits=True))
    if question.supports is None and not isinstance(question.protocol.mechanism, HashMechanism):  # lists of values
        order = order_fit(columns, whole)
        others += [] if order is None else [order]
    return fit(columns, question.protocol.mechanism, own, labels, question.error, others)


def _by_rounds(
    rounds: int,
    flat: Columns,
    first: Half,
    second: Half,
    labels: tuple[str, ...],
    error: float,
    share: float,
    rng: np.random.Generator,
) -> list[Round]:
    """Return the bound on ε and the success of one guess after more and more rounds, all bounds together.

    The error is shared by all of them, two for each number of rounds. Of each number of rounds one event is tested: how
    many of them say something of a value, or all of them in turn.
    """
    if rounds == 1:
        return []
    steps = sorted({step for step in STEPS if step < rounds} | {rounds})
    each, lines = error / (2 * len(steps)), []
    for step in steps:
        columns = fold(flat, rounds, step)
        found = best_of([find_pooled(columns, first, each), find_whole(columns, first, labels, each)])
        epsilon = 0.0 if found is None else max(0.0, found.event.count(columns, second).bound(each)[2])
        posterior = learn_beliefs(columns, first, len(labels)).posterior(columns, second.rows)
        lines.append(Round(step, epsilon, success(posterior, second.own, each, rng, share=share)))
    return lines


def _notes(samples: Samples, evidence: Evidence, question: Question) -> list[str]:
    notes, watched, domain_size = [], evidence.watched, len(samples.domain)
    if watched < domain_size:
        notes.append(
            f"Of {domain_size:,} values {watched} were looked at. Of the others nothing is said; what is gained counts "
            "their users, of whom nothing is learned."
        )
    if evidence.seen < watched:
        notes.append(f"Of {watched} values {watched - evidence.seen} have no samples: nothing is said of them.")
    if evidence.seen == 1:
        notes.append("All samples have one value: what tells values apart cannot be seen.")
    if question.classifier is None and not has_scikit_learn():
        notes.append(NO_CLASSIFIER)
    return notes


def _reasons(power: float, factor: float | None, covered: Coverage | None, question: Question) -> dict[str, str]:
    reasons = {}
    if power >= WANTED:
        reasons["samples_enough"] = "These are enough."
    elif factor is None:
        reasons["samples_enough"] = "No number of samples would be: too little is known."
    if question.protocol is not None:
        reasons["covered"] = "The power is that of finding the declared protocol at 1.5 times its ε."
    elif covered is None:
        reasons["covered"] = "Too few of the reports that could carry a leak are frequent enough to be looked at."
    return reasons
