"""The audit of a client as a black box."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qifldp.adversaries.gain import Gain
from qifldp.audit.bounds import check_confidence
from qifldp.audit.claims import Question
from qifldp.audit.classifier import check_scikit_learn
from qifldp.audit.columns import MOST_ROUNDS
from qifldp.audit.encoding import Supports
from qifldp.audit.judging import FEWEST_USERS, Progress, judge
from qifldp.audit.posterior import check_gain
from qifldp.audit.result import Audit, Server
from qifldp.audit.samples import Domain, Samples, watched_of
from qifldp.audit.sources import Source, as_source
from qifldp.errors import InputError, shown
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol

MOST_SAMPLES = 10**8


def audit_client(
    source: object,
    *,
    domain: int | Sequence[object] | None = None,
    protocol: Protocol | None = None,
    epsilon: object = None,
    samples: int = 100_000,
    rounds: int = 1,
    confidence: float = 0.99,
    seed: int = 0,
    supports: Supports | None = None,
    outside: Sequence[object] = (),
    classifier: bool | None = None,
    gain: Gain | None = None,
    server: Server | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Measure what a client's reports leak at least, and whether it keeps what it claims.

    Args:
        source: A function from a value to a report, a protocol, a secure client, a :class:`Source`, or ``Samples``.
        domain: The number of values (which are then 0..k − 1) or their list; by default the protocol's or the samples'.
        protocol: The protocol that reports are said to be of, with all its parameters.
        epsilon: The claimed ε, where no protocol is declared: of all reports of a user together.
        samples: Users to draw, each with a uniform value of the domain.
        rounds: Reports of each user, which are taken together.
        confidence: 1 − the chance that a client that keeps its claims is said to violate one.
        seed: Of values, splits, and of clients that draw from a generator that can be seeded.
        supports: Says whether a report supports a value, where that is not seen from its form.
        outside: Values that are not in the domain, which the client must refuse.
        classifier: Whether a distinguisher is learned; by default if scikit-learn is there.
        gain: A further adversary.
        server: The audit of a server, to be judged with this one. What its confidence is above this one is left for the
            client: 1 − confidence is the chance of a false alarm of both.
        progress: Called with (what is done, done, in all).

    Raises:
        InputError: If an argument is out of range, or the client fails.
    """
    _check(samples, rounds, confidence, seed, protocol, epsilon)
    if supports is not None and not callable(supports):
        raise InputError.expected("supports", "a function of (report, value)", supports)
    if classifier:
        check_scikit_learn()
    rng = np.random.default_rng(seed)
    claimed = protocol.epsilon if protocol is not None else Budget.read(epsilon).epsilon
    if server is not None and not isinstance(server, Server):
        raise InputError.expected("server", "the audit of a server, as audit_server returns it", server)
    used = 0.0 if server is None else 1 - server.confidence
    if used >= 1 - confidence:
        raise InputError(f"The server must have been audited with a confidence above {confidence:.10g}.")
    question = Question(protocol, claimed, confidence, seed, supports, classifier, gain, used)
    values = source.domain if isinstance(source, Samples) else _domain(domain, protocol)
    watched = watched_of(values, source.places if isinstance(source, Samples) else None, rng)
    _check_values(values, watched, protocol, gain, outside)
    if isinstance(source, Samples):
        if outside:
            raise InputError("Values outside the domain can be tried on a client, not on samples.")
        share = float(np.isin(source.places, watched).mean())
        return judge(source, watched, question, share=share, server=server, progress=progress)
    client = as_source(source)
    drawn = _draw(client, values, watched, samples=samples, rounds=rounds, rng=rng, progress=progress)
    accepted = [value for value in outside if client.accepts(value)]
    share = len(watched) / len(values)
    return judge(drawn, watched, question, share=share, accepted=accepted, server=server, progress=progress)


def _domain(domain: int | Sequence[object] | None, protocol: Protocol | None) -> Domain:
    if domain is not None:
        return Domain.read(domain)
    if protocol is None:
        raise InputError("Say which values there are: a domain.")
    return Domain.read(protocol.domain_size)


def _check_values(
    values: Domain,
    watched: NDArray[np.int64],
    protocol: Protocol | None,
    gain: Gain | None,
    outside: Sequence[object],
) -> None:
    """Raise InputError where the domain, before anything is drawn, does not fit what is asked."""
    if protocol is not None and protocol.domain_size != len(values):
        raise InputError(f"The domain has {len(values)} values, the protocol {protocol.domain_size}.")
    if gain is not None:
        check_gain(gain, len(values), len(watched))
    known = set(values.labels) if outside else set()
    for value in outside:
        if str(value) in known:
            raise InputError(f"The value {shown(value)} is in the domain: a client need not refuse it.")


def _draw(
    client: Source,
    domain: Domain,
    watched: NDArray[np.int64],
    *,
    samples: int,
    rounds: int,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Samples:
    """Draw users with uniform values among the watched ones, and let the client report on them."""
    places = watched[rng.integers(len(watched), size=samples)]

    def told(done: int, total: int) -> None:
        if progress is not None:
            progress("drawing reports", done, total)

    reports = client.draw(domain.values, places, rounds=rounds, rng=rng, progress=told)
    return Samples(domain, places, reports, rounds, client.name)


def _check(
    samples: object, rounds: object, confidence: object, seed: object, protocol: object, epsilon: object
) -> None:
    for what, number, low, high in (
        ("samples", samples, FEWEST_USERS, MOST_SAMPLES),
        ("rounds", rounds, 1, MOST_ROUNDS),
        ("seed", seed, 0, 2**63 - 1),
    ):
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not low <= int(number) <= high:  # type: ignore[call-overload]
            raise InputError.expected(what, f"a whole number from {low} to {high:,}", number)
    check_confidence(confidence)
    if protocol is not None and not isinstance(protocol, Protocol):
        raise InputError.expected("protocol", "one of this package's protocols", protocol)
    if (protocol is None) == (epsilon is None):
        raise InputError("Say what is claimed: either a protocol or an epsilon.")
