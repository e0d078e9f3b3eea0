"""The audit of a client as a black box."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from qifldp.adversaries.gain import Gain
from qifldp.audit.claims import Question
from qifldp.audit.classifier import check_scikit_learn
from qifldp.audit.columns import MOST_ROUNDS
from qifldp.audit.encoding import Supports
from qifldp.audit.judging import Progress, judge
from qifldp.audit.result import Audit, Server
from qifldp.audit.samples import Domain, Samples, watched_of
from qifldp.audit.sources import Source, as_source
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol

FEWEST_SAMPLES, MOST_SAMPLES = 100, 10**8


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
        server: The audit of a server, to be judged with this one.
        progress: Called with (what is done, done, in all).

    Raises:
        InputError: If an argument is out of range, or the client fails.
    """
    _check(samples, rounds, confidence, seed, protocol, epsilon)
    if classifier:
        check_scikit_learn()
    rng = np.random.default_rng(seed)
    claimed = protocol.epsilon if protocol is not None else Budget.read(epsilon).epsilon
    question = Question(protocol, claimed, confidence, seed, supports, classifier, gain)
    if isinstance(source, Samples):
        if outside:
            raise InputError("Values outside the domain can be tried on a client, not on samples.")
        drawn, accepted = source, []
        watched = watched_of(source.domain, source.places, rng)
    else:
        client = as_source(source)
        listed = domain if domain is not None else None if protocol is None else protocol.domain_size
        if listed is None:
            raise InputError("Say which values there are: a domain.")
        values = Domain.read(listed)
        watched = watched_of(values, None, rng)
        drawn = _draw(client, values, watched, samples=samples, rounds=rounds, rng=rng, progress=progress)
        accepted = [value for value in outside if client.accepts(value)]
    if protocol is not None and protocol.domain_size != len(drawn.domain):
        raise InputError(f"The domain has {len(drawn.domain)} values, the protocol {protocol.domain_size}.")
    return judge(drawn, watched, question, accepted=accepted, server=server, progress=progress)


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
    samples: object, rounds: object, confidence: float, seed: object, protocol: Protocol | None, epsilon: object
) -> None:
    for what, number, low, high in (
        ("samples", samples, FEWEST_SAMPLES, MOST_SAMPLES),
        ("rounds", rounds, 1, MOST_ROUNDS),
        ("seed", seed, 0, 2**63 - 1),
    ):
        whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
        if not whole or not low <= int(number) <= high:  # type: ignore[call-overload]
            raise InputError.expected(what, f"a whole number from {low} to {high:,}", number)
    if not 0 < confidence < 1:
        raise InputError.expected("confidence", "between 0 and 1", confidence)
    if (protocol is None) == (epsilon is None):
        raise InputError("Say what is claimed: either a protocol or an epsilon.")
