"""The contract of every protocol that is run: the law of its reports, exactly, and clients that draw from it.

The law is enumerated from the whole numbers that a mechanism draws with; it holds for the package's clients by the
statistical checks, which are shown to reject other laws.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm

from oracles.report_laws import WORD, each_part_misfit, largest_law_ratio, misfit, report_law, seeds_of
from qifldp.collection.client import SecureClient, secure_client
from qifldp.collection.entropy import Entropy
from qifldp.collection.hashing import HashMechanism
from qifldp.collection.mechanism import ROWS_A_STREAM, Mechanism, Rows
from qifldp.collection.mixture import MixMechanism
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.local_hashing import BLH, OLH
from qifldp.protocols.protocol import BudgetedProtocol, Protocol
from qifldp.protocols.specs import PROTOCOLS
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""

EPSILONS = ("ln(3)", "1", "1e-6", "20", "50", "700")
MOST_LISTED = 300
"""Buckets up to which the reports of one seed are enumerated."""

KEPT = Fraction(999_999, 1_000_000)
"""Share of e^ε − 1 that rounding to 2⁻⁶⁴ leaves at least, where no probability is below 1e-10: 2⁻⁶⁴ is 5e-20."""

MOST_GIVEN = Fraction(1 << 60)
"""Rounded to 2⁻⁶⁴ a probability is from 2⁻⁶⁴ to 1 − 2⁻⁶⁴: a ratio larger than about 2⁶⁴/k is cut, never below this."""

SETTINGS: dict[str, list[dict[str, object]]] = {
    "ss": [{}, {"omega": 2}, {"omega": 4}],
    "lh": [{"g": 2}, {"g": 3}, {"g": 300}],
    "the": [{}, {"theta": "0.9"}, {"theta": "1/2"}],
    "ue": [{"p": "1/2", "q": "1/10"}, {"p": "0.2", "q": "0.7"}, {"p": "0.9", "q": "0.89"}],
    "mix": [
        {"parts": "0.3*ss@2+0.7*sue"},
        {"parts": "1/3*grr+1/2*oue"},  # a sixth of the reports say nothing
        {"parts": "0.5*blh+0.25*grr+0.25*ss"},
    ],
}
"""What a constructor is given beside the domain size and ε; nothing, for a protocol that is not named here."""


@dataclass(frozen=True)
class Run:
    """A protocol to be run, and e^ε of what it may give."""

    name: str
    k: int
    epsilon: str
    extra: tuple[tuple[str, object], ...]

    @cached_property
    def protocol(self) -> Protocol:
        build: Callable[..., Protocol] = PROTOCOLS[self.name]
        budget = {} if self.name == "ue" else {"epsilon": self.epsilon}
        return build(self.k, **budget, **dict(self.extra))

    @property
    def limit(self) -> Fraction:
        """e^ε of the definition, to sixty digits; for the two that do not have the ε that they claim, their own."""
        if isinstance(self.protocol, UE):
            p, q = self.protocol.p, self.protocol.q
            return max(p * (1 - q) / ((1 - p) * q), (1 - p) * q / (p * (1 - q)))
        if self.epsilon == "ln(3)" and not isinstance(self.protocol, THE):
            return Fraction(3)
        epsilon = Decimal(3).ln() if self.epsilon == "ln(3)" else Decimal(self.epsilon)
        if not isinstance(self.protocol, THE):
            return Fraction(epsilon.exp())
        theta = Decimal(self.protocol.theta.numerator) / self.protocol.theta.denominator
        stay, rise = ((theta - 1) * epsilon / 2).exp() / 2, (-theta * epsilon / 2).exp() / 2
        return Fraction((1 - stay) * (1 - rise) / (stay * rise))

    def __str__(self) -> str:
        extra = "".join(f",{key}={value}" for key, value in self.extra)
        return f"{self.name}-k={self.k},epsilon={self.epsilon}{extra}"


def runs(domains: tuple[int, ...], epsilons: tuple[str, ...]) -> list[Run]:
    """Return every listed protocol with its settings, domains and budgets, where it is defined and can be run."""
    found = []
    for name, k, epsilon in itertools.product(PROTOCOLS, domains, epsilons):
        for extra in SETTINGS.get(name, [{}]):
            too_large = isinstance(omega := extra.get("omega"), int) and omega >= k
            too_large |= "ss@2" in str(extra.get("parts")) and k == 2
            too_many_buckets = name == "olh" and epsilon in ("50", "700")
            if not too_large and not too_many_buckets and not (name == "ue" and epsilon != epsilons[0]):
                found.append(Run(name, k, epsilon, tuple(extra.items())))
    return found


ENUMERATED = runs((2, 3, 4, 5), EPSILONS)
NOT_SEEN = ("g=300", "q=0.89")
"""Cells too small, and an ε too small, for some thousand reports to tell another ε from the right one."""

SMALL = [run for run in runs((3,), ("1",)) if not str(run).endswith(NOT_SEEN)] + [Run("ss", 9, "1", (("omega", 2),))]
LARGE = [Run(name, 1000, "3", tuple(SETTINGS.get(name, [{}])[0].items())) for name in PROTOCOLS]


def wrong(protocol: Protocol) -> Mechanism:
    """Return the mechanism of a protocol with the same reports and ε one and a half times as large."""
    if isinstance(protocol, UE):
        # p and q a fifth nearer to 1 and to 0
        p, q = ((max(c, 1 - c) + 4 * c) / 5 if c > Fraction(1, 2) else c * 4 / 5 for c in (protocol.p, protocol.q))
        return UE(protocol.domain_size, p=min(p, Fraction(99, 100)), q=q).mechanism
    assert isinstance(protocol, BudgetedProtocol)
    return protocol.at(Budget.read(1.5 * protocol.epsilon)).mechanism


def test_every_listed_protocol_is_run() -> None:
    for cases in (ENUMERATED, SMALL, LARGE):
        assert {case.name for case in cases} == set(PROTOCOLS)


@pytest.mark.parametrize("run", ENUMERATED, ids=str)
def test_likelihood_ratio_of_whole_reports_is_the_one_stated_and_within_the_budget(run: Run) -> None:
    mechanism = run.protocol.mechanism
    stated = mechanism.likelihood_ratio
    assert 1 < stated <= run.limit
    assert stated - 1 >= min((run.limit - 1) * KEPT, MOST_GIVEN)
    hashing = hashing_of(mechanism)
    if hashing is not None and hashing.buckets > MOST_LISTED:
        return
    seeds = [b""] if hashing is None else list(seeds_of(run.k, hashing.buckets))
    ratios = []
    for seed in seeds:
        laws = [report_law(mechanism, value, seed) for value in range(run.k)]
        assert {sum(law.values()) for law in laws} == {1}
        assert {len(report) for report in laws[0]} == {mechanism.width} == {run.protocol.report_bytes}
        ratios.append(largest_law_ratio(laws))
    assert max(ratios) == stated


def hashing_of(mechanism: Mechanism) -> HashMechanism | None:
    """Return the mechanism, or the part of it, that hashes."""
    parts = mechanism.parts if isinstance(mechanism, MixMechanism) else (mechanism,)
    return next((part for part in parts if isinstance(part, HashMechanism)), None)


def chances_in_one_bucket(mechanism: Mechanism) -> tuple[Fraction, Fraction]:
    """Return the chances of support where a hash puts all values into one bucket: any is then supported as the own."""
    if isinstance(mechanism, MixMechanism):
        shares = [Fraction(chance, WORD) for chance in mechanism.chances]
        pairs = [chances_in_one_bucket(part) for part in mechanism.parts]
        p, q = (
            sum((share * pair[which] for share, pair in zip(shares, pairs, strict=True)), Fraction(0))
            for which in (0, 1)
        )
        return p, q
    p, q = mechanism.support_chances
    return (p, p) if isinstance(mechanism, HashMechanism) else (p, q)


@pytest.mark.parametrize("run", ENUMERATED, ids=str)
def test_the_epsilon_that_is_said_to_be_given_is_given(run: Run) -> None:
    given = secure_client(run.protocol).epsilon
    ratio = run.protocol.mechanism.likelihood_ratio
    exact = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
    assert given == pytest.approx(float(exact), rel=1e-13)  # two logarithms of at most 90, each to 1e-16 of itself
    assert given <= run.protocol.tight_epsilon * (1 + 1e-13) <= run.protocol.epsilon * (1 + 2e-13)


@pytest.mark.parametrize("run", [run for run in ENUMERATED if run.epsilon in ("ln(3)", "20")], ids=str)
def test_chances_of_support_are_those_of_the_reports(run: Run) -> None:
    """So (1[x in S] − q)/(p − q) is unbiased for 1[x is the value], exactly, and its variance is the Bernoulli one.

    For hashing q = 1/g is the mean over seeds (pairwise independence, exact to 2⁻³²), and p is conditional on each.
    """
    mechanism = run.protocol.mechanism
    hashing = hashing_of(mechanism)
    if hashing is not None and hashing.buckets >= MOST_LISTED:
        return
    p, q = chances_in_one_bucket(mechanism)
    assert p == mechanism.support_chances[0]
    for value in range(run.k):
        law = report_law(mechanism, value, b"" if hashing is None else next(seeds_of(run.k, 2)))
        supports = mechanism.supports(np.frombuffer(b"".join(law), np.uint8).reshape(len(law), mechanism.width))
        for x in range(run.k):
            chance = sum(
                (each for each, held in zip(law.values(), supports[:, x].tolist(), strict=True) if held), Fraction(0)
            )
            assert chance == (p if x == value else q)  # the first seed puts all values into one bucket


@dataclass(frozen=True)
class Client:
    """A way to draw reports."""

    name: str
    draw: Callable[[Protocol, NDArray[np.int64]], Rows]

    def __str__(self) -> str:
        return self.name


CLIENTS = [
    Client("simulation", lambda protocol, values: protocol.perturb(values, rng=np.random.default_rng(1)).rows),
    Client("secure", lambda protocol, values: recorded_client(protocol).reports(values).rows),
]

every_client = pytest.mark.parametrize("client", CLIENTS, ids=str)


def recorded_client(protocol: Protocol, seed: int = 1) -> SecureClient:
    """Return a secure client whose entropy is the same at every run of the tests."""
    return SecureClient(protocol, Entropy(np.random.default_rng(seed).bytes))


@every_client
@pytest.mark.parametrize("run", SMALL, ids=str)
def test_clients_draw_from_the_law(run: Run, client: Client) -> None:
    values = np.arange(9_000 if run.k == 3 else 4_500) % run.k
    rows = client.draw(run.protocol, values)
    assert not run.protocol.mechanism.faults(rows).any()
    assert misfit(run.protocol.mechanism, values, rows) > FALSE_ALARM
    assert misfit(wrong(run.protocol), values, rows) < FALSE_ALARM


def large_misfit(mechanism: Mechanism, value: int, rows: Rows) -> float:
    """Return a p-value of reports on one value; of a mixture, of its parts."""
    if isinstance(mechanism, MixMechanism):
        values = np.full(len(rows), value)
        return each_part_misfit(mechanism, values, rows, lambda part, _, own: simple_misfit(part, value, own))
    return simple_misfit(mechanism, value, rows)


def simple_misfit(mechanism: Mechanism, value: int, rows: Rows) -> float:
    """Return a p-value of reports on one value: how often they support it, and others, and how many others.

    Sizes are binomial (of hashing: measured to be), or one. The smallest of three p-values, times three. Squared
    counts Σ (C − nq)²/(nq(1 − q)) have mean k − 1, and variance 2 + 1/(nq) each at most (Poisson).
    """
    p, q = (float(chance) for chance in mechanism.support_chances)
    n, others = len(rows), mechanism.domain_size - 1
    supports = mechanism.supports(rows)
    own = int(supports[:, value].sum())
    found = [2 * min(binom.cdf(own, n, p), binom.sf(own - 1, n, p))]
    counts = np.delete(supports.sum(axis=0), value)
    statistic = ((counts - n * q) ** 2).sum() / (n * q * (1 - q))
    found.append(2 * norm.sf(abs(statistic - others) / np.sqrt(others * (2 + 1 / (n * q)))))
    sizes = supports.sum(axis=1)
    if mechanism.fixed_size is not None:
        return 0.0 if (sizes != mechanism.fixed_size).any() else min(1.0, 3 * min(found))
    company = sizes - supports[:, value]
    edges = binom.ppf(np.arange(1, 10) / 10, others, q)
    expected = np.diff(binom.cdf(edges, others, q), prepend=0.0, append=1.0) * n
    seen = np.bincount(np.searchsorted(edges, company), minlength=10)
    used = expected > 0
    worst = float(np.max(np.abs(seen - expected)[used] / np.sqrt(expected * (1 - expected / n))[used]))
    return min(1.0, 3 * min(*found, 10 * 2 * norm.sf(worst)))


@every_client
@pytest.mark.parametrize("run", LARGE, ids=str)
def test_clients_draw_from_the_law_over_large_domains(run: Run, client: Client) -> None:
    n, value = 3_000, 617
    rows = client.draw(run.protocol, np.full(n, value))
    assert not run.protocol.mechanism.faults(rows).any()
    assert large_misfit(run.protocol.mechanism, value, rows) > FALSE_ALARM
    assert large_misfit(wrong(run.protocol), value, rows) < FALSE_ALARM
    assert large_misfit(run.protocol.mechanism, value + 1, rows) < FALSE_ALARM


@pytest.mark.parametrize("run", SMALL, ids=str)
def test_one_entropy_gives_one_result_and_reports_are_anew(run: Run) -> None:
    values = np.arange(60) % run.k
    once = recorded_client(run.protocol).reports(values)
    again = recorded_client(run.protocol)
    assert [*again.reports(values)] == [*once]
    assert [*again.reports(values)] != [*once]
    assert [*recorded_client(run.protocol, seed=2).reports(values)] != [*once]
    assert [*secure_client(run.protocol).reports(values)] != [*once]  # 60 reports are equal by chance below 2⁻⁵⁰
    assert len(recorded_client(run.protocol).report(2)) == run.protocol.report_bytes


def test_stretches_of_a_simulation_are_drawn_apart() -> None:
    """They have streams of their own: reports of two stretches are equal as often as independent ones."""
    mechanism = GRR(1000, 1).mechanism
    rows = mechanism.draw(np.full(3 * ROWS_A_STREAM, 5), np.random.default_rng(1)).reshape(3, ROWS_A_STREAM, -1)
    p, q = (float(chance) for chance in mechanism.support_chances)
    least, most = binom.ppf(np.array([FALSE_ALARM / 6, 1 - FALSE_ALARM / 6]), ROWS_A_STREAM, p**2 + 999 * q**2)
    for one, other in itertools.combinations(rows, 2):
        assert least <= (one == other).all(axis=1).sum() <= most


BAD_VALUES: list[object] = [
    [3], [-1], [0, 2**40], np.array([2**63], np.uint64), np.array([-1], np.int8),
]  # fmt: skip
NOT_VALUES: list[object] = [
    [True], [True, 2], np.array([False]), [1.0], [0.5], [float("nan")], ["1"], "1", [None], None, 1, [[0, 1]],
    [[0], [0, 1]], [2**70], np.zeros((2, 2), int), np.array([1 + 0j]), {"a": 1},
]  # fmt: skip


def draws(protocol: Protocol) -> list[Callable[[object], object]]:
    """Return everything that takes values."""
    rng = np.random.default_rng(1)
    return [
        lambda values: protocol.perturb(values, rng=rng),
        lambda values: protocol.mechanism.draw(values, rng),
        lambda values: protocol.mechanism.draw_securely(values, Entropy()),
        secure_client(protocol).reports,
    ]


DRAWN = [GRR(3, 1), SS(3, 1, omega=2), OUE(3, 1), OLH(3, 1)]
every_drawn = pytest.mark.parametrize("protocol", DRAWN, ids=lambda protocol: protocol.name)


@every_drawn
@pytest.mark.parametrize("values", BAD_VALUES, ids=str)
def test_places_outside_the_domain_are_refused(protocol: Protocol, values: list[int]) -> None:
    for draw in draws(protocol):
        with pytest.raises(InputError) as refused:
            draw(values)
        assert str(refused.value) == f"A value must be a place from 0 to 2, got {values[-1]}."


@every_drawn
@pytest.mark.parametrize("values", NOT_VALUES, ids=repr)
def test_what_is_no_list_of_places_is_refused(protocol: Protocol, values: object) -> None:
    for draw in draws(protocol):
        with pytest.raises(InputError) as refused:
            draw(values)
        assert str(refused.value) == "Values must be a list of whole numbers, the places of values in the domain."


@pytest.mark.parametrize("value", [3, -1, True, 1.0, float("nan"), "1", None, np.True_, [1]], ids=repr)
def test_a_single_value_is_a_place(value: int) -> None:
    with pytest.raises(InputError, match=r"^A value must be a place from 0 to 2, got .*\.$"):
        secure_client(OUE(3, 1)).report(value)
    assert len(secure_client(OUE(3, 1)).report(np.int8(2))) == 1


def test_a_client_that_maps_values_into_the_domain_is_told_apart() -> None:
    """The check above, run on a client that takes places modulo k: it refuses nothing, so that the check fails."""

    def wrapped(values: list[int]) -> Rows:
        return OUE(3, 1).perturb(np.array(values) % 3, rng=np.random.default_rng(1)).rows

    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"), pytest.raises(InputError):
        wrapped([9])


@pytest.mark.parametrize("name", [name for name in PROTOCOLS if name != "ue"])
@pytest.mark.parametrize("epsilon", [float("nan"), float("inf"), 0, -1, "nan", 701, True, None, [1]])
def test_budgets_that_are_none_are_refused(name: str, epsilon: object) -> None:
    build: Callable[..., Protocol] = PROTOCOLS[name]
    with pytest.raises(InputError):
        build(4, epsilon, **SETTINGS.get(name, [{}])[0])


TOO_CLOSE = "This protocol cannot be run: its probabilities are within 2^-64 of 0, of 1 or of each other."


@pytest.mark.parametrize("make", [GRR, OUE, SUE, BLH, THE, OLH, lambda k, e: SS(k, e, omega=2)])
def test_budgets_below_the_unit_are_refused_and_above_it_are_outward(make: Callable[[int, str], Protocol]) -> None:
    """Where rounding to 2⁻⁶⁴ would leave nothing of p − q, or more than there is, there is no mechanism."""
    run = 0
    for k, exponent in itertools.product((3, 7, 10), range(17, 24)):
        protocol = make(k, f"1e-{exponent}")
        with contextlib.suppress(InputError):
            assert 1 < protocol.mechanism.likelihood_ratio < Fraction(Decimal(f"1e-{exponent}").exp())
            run += 1
        if exponent > 20:  # of 2⁻⁶⁴ = 5e-20 nothing is left
            with pytest.raises(InputError) as refused:
                protocol.mechanism  # noqa: B018
            assert str(refused.value) == TOO_CLOSE
    assert run > 0


def test_too_many_buckets_are_refused() -> None:
    with pytest.raises(InputError) as refused:
        OLH(4, 50).mechanism  # noqa: B018
    assert str(refused.value).startswith("The number of buckets of a hash that is run must be at most 2^31, got 51847")
    assert OLH(4, 50).report_bytes is None
    assert OLH(4, 20).mechanism.likelihood_ratio < WORD
