"""Recommendations: under the limit, never dominated, and the same as a search over a fine grid finds."""

from __future__ import annotations

import json
import math
from itertools import product

import numpy as np
import pytest

from qifldp import SS, InputError, shannon_capacity
from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.comparison.candidates import ALIKE, DEFAULT_CAP, Candidate, Goal, Kind, candidate_for
from qifldp.comparison.frontier import frontier
from qifldp.comparison.recommend import MATERIAL, Recommendation, _first, _rank, recommend
from qifldp.exact.budget import Budget
from qifldp.leakage import blocks
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
    measured = [candidate for candidate in (chosen, *found.others) if candidate.epsilon is not None]
    for candidate in measured:  # whatever became of it
        assert limited(candidate, goal) <= goal.number * (1 + ALIKE)
        assert goal.largest is None or (candidate.tight_epsilon or 0) <= goal.largest.epsilon * (1 + ALIKE)
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
                if name in (better.protocol, better.spec) and better.epsilon is not None and better is not other
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
    assert "by a public mixture at one ε" in found.chosen.reason
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
    dear = recommend(domain_size=20, n=1000, goal=Goal("error", 0.01, cap=Budget.read(1)))
    assert dear.chosen is None
    assert all("above 1" in other.reason for other in dear.others)
    assert dear.sentences[0].startswith("No protocol keeps the standard error to at most 1 % and the tight ε ")


def test_what_keeps_a_limit_at_every_epsilon_is_at_the_largest() -> None:
    """BLH hides a value from one guess at any ε: it is listed at the default, and is not better than what is taken."""
    found = recommend(domain_size=20, n=100_000, goal=Goal("asr", 0.12))
    blh = next(other for other in found.others if other.protocol == "BLH")
    assert (blh.outcome, blh.epsilon) == ("less_suitable", DEFAULT_CAP.epsilon)
    assert found.chosen is not None
    assert found.chosen.epsilon == DEFAULT_CAP.epsilon
    assert found.to_json()["max_epsilon"] == "4"
    assert figures(found.chosen, "asr")[1] < 0.0026  # what one subset selection reaches at 3.58


@pytest.mark.parametrize("seed", range(6))
def test_nothing_on_a_grid_of_protocols_is_better(seed: int) -> None:
    """Against one guess, or bits: no subset selection of any size and no protocol of the seven at any ε up to the cap.

    A gain below MATERIAL is not worth a mixture.
    """
    rng = np.random.default_rng(seed)
    k, cap, n = int(rng.integers(2, 40)), float(np.round(rng.uniform(0.3, 6), 3)), 10_000
    kind: Kind = ("asr", "bits")[seed % 2]
    top = parse_spec(f"ss:epsilon={cap}").build(k)
    share = rng.uniform(0.05, 0.9)
    limit = share * shannon_capacity(top) if kind == "bits" else (1 + share * (k * float(asr(top)) - 1)) / k
    found = recommend(domain_size=k, n=n, goal=Goal(kind, limit, cap=Budget.read(cap)))
    assert found.chosen is not None
    mine = figures(found.chosen, kind)[1]
    specs = [f"ss:omega={omega}" for omega in range(1, k)] + [name for name in SEVEN if name not in ("ss", "grr")]
    for spec in specs:
        for epsilon in np.linspace(cap / 40, cap, 40):
            protocol = parse_spec(f"{spec}{',' if ':' in spec else ':'}epsilon={epsilon:.6f}").build(k)
            leak = shannon_capacity(protocol) if kind == "bits" else float(asr(protocol))
            if leak <= limit and protocol.tight_epsilon <= cap:
                assert weighted_standard_error(protocol.profile, n) >= mine * (1 - MATERIAL)


@pytest.mark.parametrize("seed", range(4))
def test_no_subset_selection_of_small_reports_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, most, cap, n = int(rng.integers(12, 120)), int(rng.integers(1, 8)), 2.0, 10_000
    top = parse_spec(f"ss:epsilon={cap}").build(k)
    limit = (1 + rng.uniform(0.2, 1.2) * (k * float(asr(top)) - 1)) / k
    found = recommend(domain_size=k, n=n, goal=Goal("asr", limit, most, Budget.read(cap)))
    assert found.chosen is not None
    assert f"in reports of at most {most} byte" in found.sentences[1]
    for omega in range(1, k):
        protocol = parse_spec(f"ss:epsilon={cap},omega={omega}").build(k)
        if protocol.report_bytes is not None and protocol.report_bytes <= most and float(asr(protocol)) <= limit:
            error = weighted_standard_error(protocol.profile, n)
            assert error >= figures(found.chosen, "asr")[1] * (1 - MATERIAL)


def test_a_mixture_too_large_to_send_leaves_its_parts() -> None:
    goal = Goal("asr", 0.12, 3, Budget.read(2))
    found = recommend(domain_size=20, n=100_000, goal=goal)
    assert found.chosen is not None
    assert (found.chosen.spec, found.chosen.report_bytes) == ("ss:epsilon=2,omega=7", 3)
    assert "dominated by ss:epsilon=2,omega=7: " in next(o.reason for o in found.others if o.protocol == "SS")
    assert found.sentences[1].startswith(
        "Of those compared here that keep the chance of a right guess to at most 12 % "
    )


def test_the_frontier_is_tried_where_no_protocol_named_keeps_the_limit() -> None:
    """The set size that subset selection takes at this ε is not the most accurate one."""
    goal = Goal("error", 0.0058, cap=Budget.read("ln(2.34)"))
    found = recommend(domain_size=5, n=100_000, goal=goal)
    assert found.chosen is not None
    assert found.chosen.protocol == "MIX"
    assert {other.outcome for other in found.others} == {"infeasible"}
    assert found.sentences[1].startswith("Of all protocols that keep the standard error to at most 0.58 % ")


@pytest.mark.parametrize(
    ("k", "goal", "standing"),
    [
        (20, Goal("epsilon", Budget.read(1)), "Of all protocols that keep the tight ε (what is really spent) to at "),
        (50, Goal("asr", 0.043), "Of all protocols that keep the chance of a right guess to at most 4.3 % and the "),
        (50, Goal("error", 0.005), "Of those compared here, each at the least ε that keeps the standard error to at "),
        (50, Goal("bits", 0.2), "Of those compared here that keep a report to at most 0.2 bits and the tight ε "),
    ],
)
def test_no_more_is_said_than_is_so(k: int, goal: Goal, standing: str) -> None:
    assert recommend(domain_size=k, n=20_000, goal=goal).sentences[1].startswith(standing)


def test_a_plain_protocol_near_the_frontier_is_not_called_the_best_of_all() -> None:
    found = recommend(domain_size=50, n=20_000, goal=Goal("epsilon", Budget.read("1.93")), specs=("oue", "ss:omega=7"))
    assert found.chosen is not None
    best = frontier(50, "1.93").points(20_000)[1][-1]
    assert 1 + 1e-5 < figures(found.chosen, "epsilon")[1] / best < 1 + MATERIAL
    assert found.sentences[1] == (
        "No protocol that keeps the tight ε (what is really spent) to at most 1.93 estimates half a per cent better."
    )


def test_a_mixture_that_rounding_puts_over_the_limit_is_taken_a_digit_lower() -> None:
    """At a corner of the frontier the weight is one, and the figure may be a unit of a double too large."""
    over = 0
    for size in range(3, 15):
        limit = float(asr(SS(40, 3, omega=size))) * (1 - 2**-53)
        found = recommend(domain_size=40, n=20_000, goal=Goal("asr", limit, cap=Budget.read(3)), specs=("grr",))
        assert found.chosen is not None
        assert found.chosen.asr is not None
        assert found.chosen.asr <= limit
        assert found.chosen.protocol in ("MIX", "SS")
        over += found.chosen.protocol == "MIX"
    assert over


def test_a_single_selection_that_rounding_puts_over_the_limit_leaves_the_next() -> None:
    over = 0
    for size in range(6, 15):
        limit = float(asr(SS(40, 3, omega=size))) * (1 - 2**-53)
        goal = Goal("asr", limit, 5, Budget.read(3))  # sets of five and more take five bytes
        found = recommend(domain_size=40, n=20_000, goal=goal, specs=("grr",))
        assert found.chosen is not None
        assert found.chosen.asr is not None
        assert found.chosen.asr <= limit
        assert figures(found.chosen, "asr")[1] <= weighted_standard_error(SS(40, 3, omega=size + 1).profile, 20_000)
        over += found.chosen.spec == f"ss:epsilon=3,omega={size + 1}"
    assert over


def test_bits_are_limited_where_small_sets_say_less() -> None:
    """At a small ε a single value carries fewer bits than a set: the least leaky part is then the smallest."""
    found = recommend(domain_size=50, n=20_000, goal=Goal("bits", 0.15, cap=Budget.read(2)))
    assert found.chosen is not None
    assert found.chosen.bits is not None
    assert found.chosen.bits <= 0.15
    assert found.chosen.bits == pytest.approx(0.15, rel=1e-4)
    alone = SS(50, 2, omega=2)
    share = 0.15 / shannon_capacity(alone)
    information = float(blocks.information_per_report(alone.profile.hyper)) * share
    if share < 1:
        assert figures(found.chosen, "bits")[1] <= math.sqrt((1 / information - 49 / 2500) / 20_000) * (1 + MATERIAL)


def test_the_tight_epsilon_of_the_thresholding_protocol_is_limited_and_not_its_claim() -> None:
    goal = Goal("error", 0.02, cap=Budget.read("0.7"))
    found = recommend(domain_size=50, n=20_000, goal=goal, specs=("the",))
    (the,) = [c for c in (found.chosen, *found.others) if c is not None and c.protocol == "THE"]
    assert the.outcome != "infeasible"
    assert the.epsilon is not None
    assert the.tight_epsilon is not None
    assert the.tight_epsilon <= 0.7 < the.epsilon


def test_of_two_alike_the_one_that_leaks_less_is_taken() -> None:
    first = Candidate("A", "a", 1, 1, 0.2, 1, 0.01, 9)
    second = Candidate("B", "b", 1, 1, 0.1, 1, 0.01 * (1 + ALIKE / 2), 9)
    for goal in (Goal("epsilon", Budget.read(1)), Goal("asr", 0.5)):
        assert _first([first, second], goal) is second
        assert _rank(first, goal) == (0.01, 0.2)


def test_reports_that_cannot_be_sent_are_never_offered() -> None:
    """A mixture takes a byte more than its largest part."""
    for most in (1, 2, 3, 4):
        found = recommend(domain_size=20, n=20_000, goal=Goal("asr", 0.12, most, Budget.read(2)))
        assert found.chosen is not None
        assert (found.chosen.report_bytes or 99) <= most
        assert len(found.chosen.spec.split("+")) == (2 if most == 4 else 1)


def test_safer_for_everybody_is_proved() -> None:
    found = recommend(domain_size=5, n=1000, goal=Goal("asr", 0.4), specs=("sue", "the"))
    safer = [other.protocol for other in found.others if other.safer]
    assert any(f"{safer[0]}, proved." in one for one in found.sentences) if safer else "proved" not in str(found)


def test_large_reports_can_be_left_out() -> None:
    found = recommend(domain_size=1000, n=1000, goal=Goal("epsilon", Budget.read(1), most_bytes=20))
    assert found.chosen is not None
    assert found.chosen.report_bytes is not None
    assert found.chosen.report_bytes <= 20
    assert {"OUE: its reports have 125 bytes, above 20"} <= {f"{o.protocol}: {o.reason}" for o in found.others}


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


@pytest.mark.parametrize("kind", ["asr", "bits"])
@pytest.mark.parametrize("name", ["ss", "olh", "the"])
def test_no_jump_of_a_rounded_parameter_leads_beyond_the_largest_epsilon(name: str, kind: Kind) -> None:
    """Just below what a protocol leaks at the largest ε, where sets next in size leak less at a larger one."""
    many = 0
    for k, cap in product((3, 10, 100), ("0.5", "2", "3", "4", "5")):
        figure = shannon_capacity if kind == "bits" else asr
        blind = 0 if kind == "bits" else 1 / k
        most = float(figure(parse_spec(name).build(k, Budget.read(cap))))
        for share in (0.9, 0.97, 0.99):
            goal = Goal(kind, blind + share * (most - blind), cap=Budget.read(cap))
            found = candidate_for(parse_spec(name), k, 1000, goal)
            if found.outcome != "infeasible":
                assert goal.is_kept(found)
                many += 1
    assert many > 30


@pytest.mark.parametrize(
    ("limit", "cap", "spec"),
    [(1.965, None, "mix:epsilon=4,parts=0.0453438*ss@1+0.9546562*ss@2"), (1.2506, "3", None)],
)
def test_a_limit_on_bits_just_below_a_jump_keeps_the_largest_epsilon(
    limit: float, cap: str | None, spec: str | None
) -> None:
    goal = Goal("bits", limit, cap=None if cap is None else Budget.read(cap))
    chosen = recommend(domain_size=100, n=10**5, goal=goal).chosen
    assert chosen is not None
    assert goal.is_kept(chosen)
    assert spec in (None, chosen.spec)


@pytest.mark.slow
@pytest.mark.parametrize(
    "goal", [Goal("asr", 1e-5), Goal("bits", 0.1), Goal("error", 1e-4), Goal("epsilon", Budget.read(1))]
)
def test_a_million_values(goal: Goal) -> None:
    """About half a minute each: figures over so many values are drafted, and drafted few times."""
    found = recommend(domain_size=10**6, n=10**6, goal=goal)
    assert found.chosen is not None
    assert limited(found.chosen, goal) <= goal.number * (1 + ALIKE)


NEAR_THE_TOP = [(2, 20, 0.9999999), (5, 20, 0.9999999), (50, 20, 0.999999), (20, 20, 0.999999), (50, 20, 0.99999)]


@pytest.mark.parametrize(("k", "epsilon", "limit"), NEAR_THE_TOP)
def test_next_to_the_top_of_the_frontier_weights_have_the_digits_it_takes(k: int, epsilon: int, limit: float) -> None:
    """There the square of the error is what the smaller weight is: a millionth of the larger would be most of it."""
    found = recommend(domain_size=k, n=100_000, goal=Goal("asr", limit, cap=Budget.read(epsilon)))
    assert found.chosen is not None
    assert found.chosen.asr is not None
    assert found.chosen.asr <= limit
    information = frontier(k, epsilon).information_at(k * limit - 1)
    least = math.sqrt((1 / information - (k - 1) / k**2) / 100_000)
    assert figures(found.chosen, "asr")[1] == pytest.approx(least, rel=1e-4)


@pytest.mark.parametrize(("most_bytes", "specs"), [(4, SEVEN), (4, ("ss",)), (40, ("ss",)), (2, ("ss", "oue"))])
def test_small_reports_have_a_larger_epsilon_where_sets_shrink_with_it(most_bytes: int, specs: tuple[str, ...]) -> None:
    """SS's sets fit from some ε on: that is its least ε, and a fixed smaller set is tried too."""
    goal = Goal("error", 0.01, most_bytes=most_bytes)
    found = recommend(domain_size=1000, n=100_000, goal=goal, specs=specs)
    assert found.chosen is not None
    best = [
        asr(protocol)
        for size in (1, 2, 3, 10, 27, 28)
        for epsilon in np.arange(0.1, 8, 0.1)
        if (protocol := parse_spec(f"ss:epsilon={epsilon:.2f},omega={size}").build(1000)).report_bytes <= most_bytes  # type: ignore[operator]
        and weighted_standard_error(protocol.profile, 100_000) <= 0.01
    ]
    assert best
    assert found.chosen.asr is not None
    assert found.chosen.asr <= min(best)
    assert found.chosen.report_bytes is not None
    assert found.chosen.report_bytes <= most_bytes


def test_a_limit_beyond_any_error_is_kept_by_something_that_can_be_written() -> None:
    found = recommend(domain_size=5, n=100_000, goal=Goal("error", 1e50, cap=Budget.read(1)))
    assert found.chosen is not None
    assert found.chosen.standard_error is not None
    assert found.chosen.standard_error < 1e50


def test_protocols_of_one_kind_are_told_apart() -> None:
    found = recommend(
        domain_size=10,
        n=100_000,
        goal=Goal("epsilon", Budget.read(1)),
        specs=("ss", "ss:omega=3", "ss:omega=4", "sue"),
    )
    assert found.chosen is not None
    words = " ".join((*found.sentences, *(other.reason for other in found.others)))
    assert found.called(found.chosen) == found.chosen.spec == "ss:epsilon=1,omega=3"
    assert "at least as safe" not in words  # as itself, by another name
    assert "dominated by ss:epsilon=1,omega=4: " in words
    assert "dominated by SS" not in words
