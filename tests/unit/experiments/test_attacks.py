"""Simulated attacks agree with the theory, and would not agree with another one."""

from __future__ import annotations

import dataclasses
import json
import math
import tracemalloc
from itertools import product

import numpy as np
import pytest

from qifldp.adversaries import gain as gains
from qifldp.adversaries.gain import Gain
from qifldp.adversaries.prior import Prior
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.experiments.attacks import NOT_FROM_THE_PRIOR, SimulatedAttack, simulate_attack
from qifldp.experiments.intervals import each_of
from qifldp.leakage.vulnerability import posterior_vulnerability, prior_vulnerability
from qifldp.protocols.local_hashing import OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE, UE

VALUES = 6
SPECS = (
    *("grr:epsilon=1", "ss:epsilon=1,omega=2", "ss:epsilon=2", "blh:epsilon=1", "lh:epsilon=1,g=3", "olh:epsilon=2"),
    *("sue:epsilon=1", "oue:epsilon=1", "the:epsilon=1", "the:epsilon=2,theta=1", "ue:p=0.2,q=0.6", "ue:p=0.9,q=0.3"),
    "mix:epsilon=1,parts=0.3*ss@2+0.4*oue+0.2*blh",
)
PRIORS = {
    "uniform": Prior.uniform(VALUES),
    "zipf": Prior.zipf(VALUES),
    "two ties": Prior([0.3, 0.3, 0.2, 0.2, 0.0, 0.0]),
    "exact": Prior(["1/2", "1/10", "1/10", "1/10", "1/10", "1/10"]),
}
ADVERSARIES = {
    "one guess": gains.bayes(),
    "two guesses": gains.guesses(2),
    "all but one": gains.guesses(VALUES - 1),
    "one of two": gains.membership([0, 3]),
    "one of half": gains.membership([1, 3, 5]),
}
CASES = list(product(SPECS, PRIORS, ADVERSARIES))

FALSE_ALARMS = 1e-4
"""Chance, over seeds, that any of the cases fails though all is right (Bonferroni)."""

REPORTS = 40_000


def attack(spec: str, prior: str = "uniform", adversary: str = "one guess", n: int = REPORTS) -> SimulatedAttack:
    protocol = parse_spec(spec).build(VALUES)
    confidence = each_of(len(CASES), 1 - FALSE_ALARMS)
    rng = np.random.default_rng(CASES.index((spec, prior, adversary)))
    return simulate_attack(protocol, ADVERSARIES[adversary], prior=PRIORS[prior], n=n, rng=rng, confidence=confidence)


@pytest.mark.parametrize(("spec", "prior", "adversary"), CASES)
def test_success_is_the_posterior_vulnerability(spec: str, prior: str, adversary: str) -> None:
    found = attack(spec, prior, adversary)
    theory = posterior_vulnerability(parse_spec(spec).build(VALUES), PRIORS[prior], ADVERSARIES[adversary])
    assert found.closed_form == float(theory)
    assert found.low <= float(theory) <= found.high
    assert found.without_report == float(prior_vulnerability(PRIORS[prior], ADVERSARIES[adversary]))
    assert (found.n, found.successes / found.n, found.reasons) == (REPORTS, found.rate, {})


MANY = 200_000


@pytest.mark.parametrize("adversary", ["one guess", "two guesses"])
@pytest.mark.parametrize("name", ["grr", "ss:omega=2", "blh", "olh", "sue", "oue", "the"])
def test_another_budget_is_rejected(name: str, adversary: str) -> None:
    """The theory at ε ± 30 % is outside the interval at ε = 2, which holds that of ε."""
    protocols = [parse_spec(name).build(VALUES, budget) for budget in map(Budget.read, ("1.4", "2", "2.6"))]
    theories = [float(posterior_vulnerability(protocol, gain=ADVERSARIES[adversary])) for protocol in protocols]
    rng = np.random.default_rng(1)
    found = simulate_attack(protocols[1], ADVERSARIES[adversary], n=MANY, rng=rng, confidence=1 - FALSE_ALARMS)
    assert theories[0] < found.low <= theories[1] <= found.high < theories[2]


@pytest.mark.parametrize("k", [2, 3])
def test_an_attack_that_does_not_guess_on_empty_reports_is_rejected(k: int) -> None:
    """Without them (1 − p)(1 − q)^(k−1)/k would be missing; the adversary guesses by the prior."""
    protocol = OUE(k, 2)
    p, q = 1 / 2, 1 / (math.exp(2) + 1)
    found = simulate_attack(protocol, n=MANY, rng=np.random.default_rng(2), confidence=1 - FALSE_ALARMS)
    assert found.closed_form is not None
    assert found.low <= found.closed_form <= found.high
    assert found.closed_form - (1 - p) * (1 - q) ** (k - 1) / k < found.low


def test_full_reports_leave_the_prior() -> None:
    """Nearly every report supports everything: the likeliest value is guessed, or any one of them."""
    protocol = UE(4, p="0.999999", q="0.999998")
    skewed = simulate_attack(
        protocol, prior=Prior([0.1, 0.1, 0.7, 0.1]), n=20_000, rng=np.random.default_rng(3), confidence=1 - FALSE_ALARMS
    )
    assert skewed.low <= 0.7 <= skewed.high
    blind = simulate_attack(protocol, n=20_000, rng=np.random.default_rng(3), confidence=1 - FALSE_ALARMS)
    assert blind.low <= 0.25 <= blind.high


@pytest.mark.parametrize("spec", ["oue:epsilon=1", "olh:epsilon=1", "ss:epsilon=1,omega=3", "grr:epsilon=1"])
def test_ties_favour_no_value(spec: str) -> None:
    """All people have one value; an adversary who took the first of equals would know it from the last."""
    protocol = parse_spec(spec).build(VALUES)
    for value in (0, VALUES - 1):
        for gain in (gains.bayes(), gains.guesses(3)):
            found = simulate_attack(
                protocol,
                gain,
                values=np.full(MANY, value),
                rng=np.random.default_rng(value),
                confidence=each_of(16, 1 - FALSE_ALARMS),
            )
            theory = float(posterior_vulnerability(protocol, gain=gain))
            assert found.closed_form == theory
            assert found.low <= theory <= found.high


def test_ties_of_a_set_are_broken_by_a_coin() -> None:
    """Half of the values, and as many likelier ones inside as outside: the adversary says yes every other time."""
    protocol = parse_spec("ss:epsilon=1e-9,omega=2").build(2 * 2)
    found = simulate_attack(
        protocol,
        gains.membership([0, 1]),
        values=np.zeros(MANY, np.int64),
        rng=np.random.default_rng(5),
        confidence=1 - FALSE_ALARMS,
    )
    # A report is {0, 1}: yes; {2, 3}: no; one of each (4 of 6 reports): a coin.
    # If ties were a yes, 5 of 6 would be right, and if they were a no, 1 of 6.
    assert found.low <= 1 / 2 <= found.high
    assert (found.closed_form, found.reasons) == (None, {"closed_form": NOT_FROM_THE_PRIOR})


@pytest.mark.parametrize("prior", [None, Prior.uniform(VALUES), Prior(["1/6"] * VALUES)])
def test_a_uniform_prior_is_as_good_as_none(prior: Prior | None) -> None:
    """A blind adversary's rate is the same for all values, so given values leave it its closed form."""
    protocol, values = OUE(VALUES, 1), np.zeros(100, np.int64)
    found = simulate_attack(protocol, prior=prior, values=values, rng=np.random.default_rng(1))
    assert (found.closed_form, found.reasons) == (float(posterior_vulnerability(protocol)), {})
    zipf = simulate_attack(protocol, prior=Prior.zipf(VALUES), values=values, rng=np.random.default_rng(1))
    assert (zipf.closed_form, zipf.reasons) == (None, {"closed_form": NOT_FROM_THE_PRIOR})


def test_small_beliefs_are_no_tie() -> None:
    """Half of the reports of OUE at ε = 40 support nothing: beliefs are of the order of e^−40, and three to one."""
    found = simulate_attack(
        OUE(4, 40), gains.membership([0]), n=20_000, rng=np.random.default_rng(1), confidence=1 - FALSE_ALARMS
    )
    assert found.closed_form is not None
    assert found.closed_form == pytest.approx(1 / 2 + 1 / 2 * 3 / 4, rel=1e-9)  # but for reports of other values
    assert found.low <= found.closed_form <= found.high
    assert found.low > 1 / 2 + 1 / 2 * 1 / 2  # if a coin were thrown


def test_one_seed_gives_one_result() -> None:
    def run(seed: int) -> SimulatedAttack:
        return simulate_attack(OLH(20, 1), prior=Prior.zipf(20), n=50_000, rng=np.random.default_rng(seed))

    assert run(7) == run(7)
    assert run(7).successes != run(8).successes


def test_memory_does_not_grow_with_the_reports() -> None:
    """All supports at once would take 80 MB, and all posteriors eight times as much."""
    tracemalloc.start()
    simulate_attack(OUE(2_000, 1), prior=Prior.zipf(2_000), n=40_000, rng=np.random.default_rng(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_progress_ends_with_all_reports() -> None:
    told: list[tuple[int, int]] = []
    simulate_attack(
        GRR(100, 1), n=10_000, rng=np.random.default_rng(1), progress=lambda done, total: told.append((done, total))
    )
    assert len(told) > 2
    assert [done for done, _ in told] == sorted({done for done, _ in told})
    assert told[-1] == (10_000, 10_000)


def test_a_result_is_a_frozen_value_with_json() -> None:
    found = attack("grr:epsilon=1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.n = 1  # type: ignore[misc]
    document = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert document == {
        "schema_version": 1,
        "spec": "grr:epsilon=1",
        "domain_size": VALUES,
        "adversary": "guesses the value in one try",
        "n": REPORTS,
        "successes": found.successes,
        "rate": found.rate,
        "low": found.low,
        "high": found.high,
        "confidence": found.confidence,
        "interval": "Clopper-Pearson",
        "without_report": found.without_report,
        "closed_form": found.closed_form,
        "reasons": {},
    }


def test_no_closed_form_is_said() -> None:
    protocol, gain = OUE(2_000, 1), gains.membership([0, 1])
    found = simulate_attack(protocol, gain, prior=Prior.zipf(2_000), n=100, rng=np.random.default_rng(1))
    assert found.closed_form is None
    assert found.reasons["closed_form"].startswith("There is no closed form for this adversary at domain size 2000")


RIGHT_OR_WRONG = "An attack is right or wrong: simulate gains.guesses or gains.membership."


@pytest.mark.parametrize(
    ("protocol", "adversary", "options", "sentence"),
    [
        (OUE(4, 1), gains.distance(), {}, RIGHT_OR_WRONG),
        (OUE(4, 1), gains.from_matrix([[1, 0, 0, 0]]), {}, RIGHT_OR_WRONG),
        (OUE(4, 1), gains.membership([4]), {}, "sensitive set must be of values 0 to 3, got 4."),
        (OUE(4, 1), None, {"n": 0}, "n must be a whole number of at least 1, got 0."),
        (OUE(4, 1), None, {"n": True}, "n must be a whole number of at least 1, got True."),
        (OUE(4, 1), None, {"values": []}, "n must be a whole number of at least 1, got 0."),
        (OUE(4, 1), None, {"values": [4]}, "A value must be a place from 0 to 3, got 4."),
        (OUE(4, 1), None, {"confidence": 1}, "confidence must be between 0 and 1, got 1."),
        (
            OUE(4, 1),
            None,
            {"prior": Prior.uniform(5)},
            "The prior must have one probability for each of the 4 secrets, got 5.",
        ),
    ],
)
def test_refused_arguments(protocol: Protocol, adversary: Gain, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        simulate_attack(protocol, adversary, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]
    assert str(refused.value) == sentence
