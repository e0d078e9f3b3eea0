"""Recommendations: under the limit, never dominated, and the same as a search over a fine grid finds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from qifldp import InputError, shannon_capacity
from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.comparison.candidates import ALIKE, Candidate, Goal, Kind
from qifldp.comparison.frontier import frontier
from qifldp.comparison.recommend import MATERIAL, Recommendation, recommend
from qifldp.exact.budget import Budget
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.specs import SEVEN, parse_spec

GOALS: list[tuple[int, Goal]] = [
    (k, goal)
    for k in (2, 5, 40, 300)
    for goal in (
        Goal("epsilon", Budget.read("0.5")),
        Goal("epsilon", Budget.read("ln(3)")),
        Goal("epsilon", Budget.read(4)),
        Goal("asr", 1.5 / k),
        Goal("asr", min(0.9, 4 / k)),
        Goal("bits", 0.02),
        Goal("bits", 0.6),
        Goal("error", 0.05),
        Goal("error", 0.002),
    )
]


def figures(candidate: Candidate, kind: Kind) -> tuple[float, float]:
    leak = candidate.bits if kind == "bits" else candidate.asr
    assert leak is not None
    assert candidate.standard_error is not None
    return leak, candidate.standard_error


def limited(candidate: Candidate, goal: Goal) -> float:
    value = {
        "epsilon": candidate.tight_epsilon,
        "asr": candidate.asr,
        "bits": candidate.bits,
        "error": candidate.standard_error,
    }[goal.kind]
    assert value is not None
    return value


@pytest.fixture(scope="module", params=GOALS, ids=lambda g: f"k={g[0]},{g[1].kind}={g[1].number:.4g}")
def found(request: pytest.FixtureRequest) -> Recommendation:
    k, goal = request.param
    return recommend(domain_size=k, n=20_000, goal=goal)


def test_the_limit_is_kept_and_nothing_listed_is_better(found: Recommendation) -> None:
    chosen, goal = found.chosen, found.goal
    assert chosen is not None
    assert chosen.outcome == "recommended"
    leak, error = figures(chosen, goal.kind)
    for candidate in (chosen, *(other for other in found.others if other.outcome != "infeasible")):
        assert limited(candidate, goal) <= goal.number * (1 + ALIKE)
        theirs = figures(candidate, goal.kind)
        assert not (theirs[0] < leak * (1 - ALIKE) and theirs[1] <= error * (1 + ALIKE))
        assert not (theirs[0] <= leak * (1 + ALIKE) and theirs[1] < error * (1 - ALIKE))


def test_figures_are_those_of_the_spec(found: Recommendation) -> None:
    for candidate in (found.chosen, *found.others):
        assert candidate is not None
        if candidate.epsilon is None:
            assert candidate.outcome == "infeasible"
            continue
        protocol = parse_spec(candidate.spec).build(found.domain_size)
        assert candidate.asr == asr(protocol)
        assert candidate.bits == shannon_capacity(protocol)
        assert candidate.standard_error == weighted_standard_error(protocol.profile, found.n)
        assert candidate.report_bytes == protocol.report_bytes
        assert protocol.accumulator().n == 0  # it can be run


def test_every_protocol_has_an_outcome_and_a_reason(found: Recommendation) -> None:
    assert found.chosen is not None
    names = [c.protocol for c in (found.chosen, *found.others)]
    assert sorted(name for name in names if name != "MIX") in (
        sorted(name.upper() for name in SEVEN),
        sorted([*(name.upper() for name in SEVEN), "SS"]),  # another size than the default one
    )
    assert all(other.reason for other in found.others)
    for other in found.others:
        if other.outcome == "dominated":
            name = other.reason.removeprefix("dominated by ").split(": ")[0]
            mine = figures(other, found.goal.kind)
            assert any(
                all(a <= b * (1 + ALIKE) for a, b in zip(figures(better, found.goal.kind), mine, strict=True))
                for better in (found.chosen, *found.others)
                if better.protocol == name and better.epsilon is not None and better is not other
            )
    json.dumps(found.to_json(), allow_nan=False)


@pytest.mark.parametrize(
    "goal",
    [Goal(kind, value, cap=Budget.read(6)) for kind, value in (("asr", 0.1), ("bits", 0.2), ("error", 0.01))],  # type: ignore[arg-type]
    ids=lambda goal: goal.kind,
)
def test_no_epsilon_of_the_seven_does_better(goal: Goal) -> None:
    """Against a grid of budgets, from the figures alone."""
    k, n = 20, 20_000
    chosen = recommend(domain_size=k, n=n, goal=goal).chosen
    assert chosen is not None
    mine = figures(chosen, goal.kind)[0 if goal.kind == "error" else 1]
    for name in SEVEN:
        for epsilon in np.linspace(0.05, 6, 120):
            protocol = parse_spec(f"{name}:epsilon={epsilon:.4f}").build(k)
            error = weighted_standard_error(protocol.profile, n)
            leak = shannon_capacity(protocol) if goal.kind == "bits" else float(asr(protocol))
            limit, other = (error, leak) if goal.kind == "error" else (leak, error)
            if limit <= goal.number and protocol.tight_epsilon <= 6:
                assert other >= mine * (1 - ALIKE)


def test_a_mixture_is_recommended_where_it_gains() -> None:
    found = recommend(domain_size=20, n=100_000, goal=Goal("asr", 0.12))
    assert found.chosen is not None
    assert found.chosen.protocol == "MIX"
    assert "by mixing set sizes at one ε" in found.chosen.reason
    best = min(figures(other, "asr")[1] for other in found.others if other.epsilon is not None)
    assert figures(found.chosen, "asr")[1] <= best * (1 - MATERIAL)


def test_an_epsilon_beside_another_limit() -> None:
    """Under both limits the frontier's protocol is the best there is; BLH, unlimited in ε otherwise, is at the cap."""
    goal = Goal("asr", 0.12, cap=Budget.read(2))
    found = recommend(domain_size=20, n=100_000, goal=goal)
    assert found.chosen is not None
    assert found.chosen.epsilon == 2
    measured = {other.protocol: other for other in found.others}
    assert measured["BLH"].epsilon == 2
    assert all((c.tight_epsilon or 0) <= 2 * (1 + ALIKE) for c in (found.chosen, *found.others))
    _, error = figures(found.chosen, "asr")
    points = frontier(20, 2).points(100_000)
    assert error == pytest.approx(float(np.interp(0.12, *points)), rel=1e-3)  # between corners the error is not linear
    alone = recommend(domain_size=20, n=100_000, goal=Goal("asr", 0.12))
    reason = {other.protocol: other.reason for other in alone.others}["BLH"]
    assert reason == "its chance of a right guess is at most 12 % at every ε: say with --epsilon how large it may be"
    dear = recommend(domain_size=20, n=1000, goal=Goal("error", 0.01, cap=Budget.read(1)))
    assert dear.chosen is None
    assert all("above 1" in other.reason for other in dear.others)


def test_safer_for_everybody_is_proved() -> None:
    found = recommend(domain_size=5, n=1000, goal=Goal("asr", 0.4), specs=("sue", "the"))
    safer = [other.protocol for other in found.others if other.safer]
    assert any(f"{safer[0]}, proved." in one for one in found.sentences) if safer else "proved" not in str(found)


def test_a_large_epsilon_that_nothing_limits_is_pointed_out() -> None:
    """One guess is not all: BLH keeps it down at any ε, with reports that tell nearly everything now and then."""
    goal = Goal("error", 0.001)
    found = recommend(domain_size=1000, n=10**6, goal=goal)
    assert found.chosen is not None
    assert found.chosen.protocol == "BLH"
    assert "its tight ε is 7.197, and SS keeps the limit with 1.761." in found.sentences[-1]
    capped = recommend(domain_size=1000, n=10**6, goal=Goal("error", 0.001, cap=Budget.read(8)))
    assert not any("tight ε is" in one for one in capped.sentences)
    alike = recommend(domain_size=1000, n=10**6, goal=goal, specs=("oue", "olh"))
    assert not any("tight ε is" in one for one in alike.sentences)


def test_few_per_cent_are_told_as_such() -> None:
    found = recommend(domain_size=1000, n=10**6, goal=Goal("epsilon", Budget.read(2)))
    reasons = {other.protocol: other.reason for other in found.others}
    errors = {c.protocol: figures(c, "epsilon")[1] for c in (found.chosen, *found.others) if c is not None}
    assert reasons["OUE"].startswith(f"errs {100 * (errors['OUE'] / errors['SS'] - 1):.2g} % more, ")
    assert reasons["BLH"].startswith(f"errs {errors['BLH'] / errors['SS']:.3g} times as much, ")


def test_large_reports_can_be_left_out() -> None:
    found = recommend(domain_size=1000, n=1000, goal=Goal("epsilon", Budget.read(1), most_bytes=20))
    assert found.chosen is not None
    assert found.chosen.report_bytes is not None
    assert found.chosen.report_bytes <= 20
    assert {"OUE: its reports have 125 bytes, above 20"} <= {f"{o.protocol}: {o.reason}" for o in found.others}


def test_nothing_keeps_an_impossible_limit() -> None:
    found = recommend(domain_size=4, n=1000, goal=Goal("asr", 0.2))
    assert found.chosen is None
    assert {other.outcome for other in found.others} == {"infeasible"}
    assert found.sentences == (
        "No protocol keeps the chance of a right guess to at most 20 % over 4 values and 1,000 reports.",
    )
    assert found.to_json()["recommended"] is None


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    recommend(
        domain_size=4,
        n=10,
        goal=Goal("epsilon", Budget.read(1)),
        progress=lambda *step: told.append(step),
    )
    assert [name for name, _, _ in told] == [*SEVEN, "mixture", "refinement"]
    assert [done for _, done, _ in told] == list(range(9))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: Goal("asr", 0.0), "--max-asr must be above 0 and at most 1, got 0.0."),
        (lambda: Goal("error", -1.0), "--max-error must be positive and finite, got -1.0."),
        (lambda: Goal("bits", Budget.read(1)), "A goal of kind epsilon is a budget, any other a number."),
        (lambda: Goal("epsilon", Budget.read(1), cap=Budget.read(2)), "A goal of kind epsilon is its own cap."),
        (lambda: Goal("bits", 1.0, 0), "--max-report-bytes must be at least 1, got 0."),
        (
            lambda: recommend(domain_size=4, n=10, goal=Goal("bits", 1.0), specs=("oue:epsilon=1",)),
            "The budget of oue:epsilon=1 is what is looked for: leave it out of the spec.",
        ),
        (
            lambda: recommend(domain_size=4, n=10, goal=Goal("bits", 1.0), specs=("ue:p=0.5,q=0.1",)),
            "The budget of ue:p=0.5,q=0.1 is what is looked for: leave it out of the spec.",
        ),
        (
            lambda: recommend(domain_size=4, n=10, goal=Goal("bits", 1.0), specs=()),
            "A recommendation needs at least one protocol to choose from.",
        ),
        (
            lambda: recommend(domain_size=4, n=0, goal=Goal("bits", 1.0)),
            "n must be a whole number from 1 to 10^15, got 0.",
        ),
    ],
)
def test_what_cannot_be_asked(call: object, sentence: str) -> None:
    assert callable(call)
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == sentence


def test_a_parameter_that_a_domain_does_not_have_is_infeasible() -> None:
    found = recommend(domain_size=3, n=10, goal=Goal("bits", 0.1), specs=("ss:omega=5", "oue"))
    reasons = [other.reason for other in found.others if other.outcome == "infeasible"]
    assert reasons == ["omega must be a whole number from 1 to 2, got '5'"]
    assert found.chosen is not None
    assert {found.chosen.protocol} | {other.protocol for other in found.others} == {"MIX", "OUE", "SS"}
