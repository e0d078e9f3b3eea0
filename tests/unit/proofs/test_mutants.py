"""A row whose formula is not the product's, or not what its theorem is about, is not found true."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpz_poly

from qifldp.channels.channel import Channel
from qifldp.proofs import checks, lemmas
from qifldp.proofs.claim import UncheckedError
from qifldp.proofs.formulas import All, above, at_least
from qifldp.proofs.ledger import (
    adversaries,
    appendix,
    attacks,
    bits,
    comparisons,
    epsilon_k,
    epsilon_k_growth,
    families,
    figure_7,
    limits,
    minimum,
    orders,
    threshold_remarks,
    unary_protocols,
)
from qifldp.proofs.prove import find_claims
from qifldp.proofs.provers import Proved
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Bit, bit_of, variables
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.certificate import Order, Side
from qifldp.refinement.decision import Undecided

Patch = Callable[[pytest.MonkeyPatch], None]


def replaced(name: str, wrong: Callable[[Any], Any], *places: Any) -> Patch:
    """Return the patch that puts a wrong function, made of the right one, in its places."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        right = getattr(places[0], name)
        for place in places:
            monkeypatch.setattr(place, name, wrong(right))

    return patch


def times(top: list[int], bottom: list[int]) -> Callable[[Any], Any]:
    """Return what multiplies both parts of a quotient by polynomials in s."""
    return lambda right: lambda k: tuple(x * fmpz_poly(y) for x, y in zip(right(k), (top, bottom), strict=True))


def slightly_more(right: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a number that is larger by a billionth of it."""
    return lambda protocol: right(protocol) * (10**9 + 1) / 10**9


def shifted_places(right: Callable[[int, int], Channel]) -> Callable[[int, int], Channel]:
    """E with 1/g^k at (h, h(x) − 1): the same entries at other places."""

    def wrong(k: int, g: int) -> Channel:
        table = right(k, g).matrix.reshape(k, g**k, g)
        return Channel([row.ravel().tolist() for row in table[:, :, [(y + 1) % g for y in range(g)]]])

    return wrong


MUTANTS: dict[str, tuple[str, Patch]] = {
    "another root above 1": (
        "epsilon-k",
        replaced("closed_polynomial", lambda right: lambda k: right(k) * fmpz_poly([-7, 1]), epsilon_k),
    ),
    "no root above 1": ("epsilon-k", replaced("closed_polynomial", lambda _: lambda _: fmpz_poly([1, 1]), epsilon_k)),
    "the bit of another LH": (
        "lh-family",
        replaced("lh_bit", lambda _: lambda s, g: Bit(1 / (g + 1), (g - 1) / (s**2 + g - 1)), lemmas),
    ),
    "the chance of another SS": (
        "ss-family",
        replaced("subset_chance", lambda _: lambda r, k, o: o * r / (o * r + k), lemmas),
    ),
    "the noise of another SS": (
        "ss-family",
        replaced("subset_weight", lambda right: lambda *terms: right(*terms) / 2, lemmas, families),
    ),
    "another capacity": (
        "blh-small",
        replaced("binary_capacity", lambda _: lambda x, y: (2 * x * y + 1 - x) / ((x + 1) * y), limits),
    ),
    "a quotient that is not 1 at s = 1": ("epsilon-k-once", replaced("quotient", times([2, 1], [1, 1]), epsilon_k)),
    "a quotient that tends to another number": (
        "epsilon-k-once",
        replaced("quotient", times([-1, 2], [0, 1]), epsilon_k),
    ),
    "another quotient": (
        "epsilon-k-growth",
        replaced("log_quotient", lambda _: lambda k, v, a, b: v + k * a - k * b, epsilon_k_growth),
    ),
    "another leakage": (
        "equation-9",
        replaced("max_case_leakage", lambda right: lambda *case: (right(*case) + 1) / 2, adversaries),
    ),
    "the same entries elsewhere": ("equation-40", replaced("_encoding", shifted_places, appendix)),
    "another ratio": (
        "the-spends-less",
        replaced("whole_ratio", lambda _: lambda bit: (1 - bit.beta) / bit.beta, lemmas, bits),
    ),
    "another ratio of all": (
        "definition-9",
        replaced("whole_ratio", lambda _: lambda bit: (1 - bit.beta) / bit.beta, lemmas, bits),
    ),
}


def instead(lower: Channel | None, upper: Channel | None) -> Patch:
    """Return the patch that puts other bounds in the place of the extreme ones where these are not the channels."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        for name, other in (("_meet", lower), ("_join", upper)):
            right = getattr(minimum, name)

            def bound(first: Channel, second: Channel, right: Any = right, other: Channel | None = other) -> Channel:
                found: Channel = right(first, second)
                comparable = found.reduced() in (first.reduced(), second.reduced())
                return found if comparable or other is None else other

            monkeypatch.setattr(minimum, name, bound)

    return patch


def not_extreme(*pair: Any) -> Patch:
    return lambda monkeypatch: monkeypatch.setattr(comparisons, "extreme_pairs", lambda: iter([(Fraction(4), *pair)]))


NOT_A_CHANNEL: Any = SimpleNamespace(matrix=np.array([[Fraction(2), Fraction(-1)], [Fraction(0), Fraction(1)]]))

MUTANTS |= {
    "a lower bound that is not the greatest": ("lattice", instead(minimum.eighths(1, 1), None)),
    "an upper bound that is not the least": ("lattice", instead(None, minimum.eighths(3, 3))),
    "a pair of which one is not extreme": (
        "no-optimum-above-two", not_extreme(GRR(3, exp_epsilon=4), OUE(3, exp_epsilon=4)),
    ),
    "a pair below a better channel": (
        "no-optimum-above-two", not_extreme(GRR(3, exp_epsilon=3), SS(3, exp_epsilon=3, omega=2)),
    ),
    "another ε_3": ("lemma-9-protocols", replaced("thresholds", lambda right: lambda: right()[1:], epsilon_k)),
    "another averaging": (
        "lemma-1-proof", replaced("_averages", lambda right: lambda c, d: right(c, d)[::-1], bits),
    ),
    "a pair that is not refined in the max-case order either": (
        "equation-12", replaced("SUE", lambda _: lambda k, **_: GRR(k, exp_epsilon=16), orders),
    ),
    "a pair that is refined in both orders": ("equation-12", replaced("SUE", lambda _: OUE, orders)),
    "a function that does not tend to 0": (
        "threshold-increasing", replaced("_degree", lambda _: lambda term: 0, threshold_remarks),
    ),
    **{
        f"a capacity that is hardly another, in {name}": (name, replaced("bayes_capacity", slightly_more, attacks))
        for name in ("definition-3", "equation-20")
    },
    **{
        f"a capacity that hardly misses {name}": (name, replaced("capacity", slightly_more, limits))
        for name in ("limit-k", "limit-blh", "limit-oue-olh")
    },
    "entries that are no probabilities": (
        "channel",
        replaced("exact_channels", lambda _: lambda: iter([("rows sum to one", NOT_A_CHANNEL)]), adversaries),
    ),
}  # fmt: skip


def test_columns_on_rays_are_enough_to_be_extreme() -> None:
    """Drawing among GRR and SS gives six columns on as many rays of a space of three dimensions: still extreme."""
    pair = [GRR(3, exp_epsilon=4).channel(), SS(3, exp_epsilon=4, omega=2).channel()]
    mixed = Channel((np.hstack([channel.matrix for channel in pair]) / 2).tolist())
    assert mixed.matrix.shape == (3, 6)
    assert comparisons.is_extreme(mixed, Fraction(4))
    others = [*pair, OUE(3, exp_epsilon=4).channel(), SUE(3, exp_epsilon=4).channel()]
    assert not any(comparisons.is_extreme(other, Fraction(4)) for other in others[2:])
    assert not any(checks.is_refined(other, mixed) for other in others)


def test_incomparable_channels_may_have_an_optimum_below() -> None:
    """On two secrets bits of OUE and THE are incomparable, and bits of one e^ε have one optimum: none is extreme."""
    s, u = variables("s", "u")
    made = [
        Channel([[x.at([Fraction(4), Fraction(3)]) for x in row] for row in bit.rows])
        for bit in (bit_of(OUE, s), bit_of(THE, s, u))
    ]
    assert not any(checks.is_refined(*pair) for pair in (made, made[::-1]))
    assert not any(comparisons.is_extreme(channel, Fraction(16)) for channel in made)
    best = Channel([["16/17", "1/17"], ["1/17", "16/17"]])
    assert comparisons.is_extreme(best, Fraction(16))
    assert not comparisons.is_extreme(best, Fraction(15))
    assert not comparisons.is_extreme(best, Fraction(17))
    assert all(checks.is_refined(best, channel) for channel in made)


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_formula_is_found(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, patch = MUTANTS[mutant]
    (claim,) = find_claims(name)
    assert claim.run().outcome in ("holds", "corrected", "sharpened")
    patch(monkeypatch)
    assert claim.run().outcome in ("false", "unchecked")


def test_an_upper_bound_is_compared_between_its_corners_too() -> None:
    """Two curves that cross between corners: what is straight there is above the larger one, though not at corners."""
    first, second = (minimum.eighths(*errors) for errors in ((1, 3), (3, 1)))
    curves = [minimum._curve(channel) for channel in (first, second)]
    corners = sorted({alpha for curve in curves for alpha, _ in curve})
    straight = [(alpha, max(minimum._at(curve, alpha) for curve in curves)) for alpha in corners]
    assert not minimum._is_larger(straight, *curves)
    assert minimum._is_larger(minimum._curve(minimum._join(first, second)), *curves)


@pytest.mark.parametrize("name", ["equation-13", "refinement", "equation-12"])
def test_undecided_is_neither_yes_nor_no(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(original: Side, refined: Side, order: Order) -> Undecided:
        return Undecided(original, refined, order, "none", None, 1.0, False, "no method applies")

    monkeypatch.setattr(checks, "decide_refinement", gives_up)
    (claim,) = find_claims(name)
    for check in (claim.ours, claim.altered):
        with pytest.raises(UncheckedError, match="undecided: no method applies"):
            check()


def test_theorems_that_say_nothing_are_unchecked() -> None:
    x, y = variables("x", "y")
    assumed = [above(x, 1), at_least(y, x)]
    nowhere = [*assumed, above(x / x, y)]
    said = {
        "concludes what it assumes": Theorem("try", "Words.", "xy", assumed, All([at_least(y, x)])),
        "holds whatever is assumed: it says nothing": Theorem("try", "Words.", "xy", assumed, at_least(x * x, 0)),
        "its assumptions contradict one another": Theorem("try", "Words.", "xy", nowhere, above(x, y)),
    }
    for words, theorem in said.items():
        with pytest.raises(UncheckedError, match=words):
            Proved((theorem,))()
    assert Proved((Theorem("try", "Words.", "xy", assumed, above(y, 1)),))().holds
    assert Proved((Theorem("try", "Words.", "xy", assumed, at_least(x * x, 0), immediate=True),))().holds


def test_a_goal_of_the_ss_family_that_says_nothing_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def trivial(**_: object) -> Theorem:
        r, t = variables("r", "t")
        return Theorem("ss-family", "Words.", "rt", [above(t, 1), at_least(r, t)], at_least(r, t))

    monkeypatch.setattr(families, "subset_family", trivial)
    found = find_claims("ss-family")[0].run()
    assert (found.outcome, found.detail) == ("unchecked", "ss-family concludes what it assumes.")


def test_success_rates_eight_standard_errors_off_are_seen() -> None:
    """Within six they are not; what is simulated is off by less than two itself."""

    def shifted(errors: int) -> Callable[[int, int], arb]:
        def rate(k: int, epsilon: int) -> arb:
            right = figure_7._rate(k, epsilon)
            return right + errors * (right * (1 - right) / figure_7.ATTACKS).sqrt()

        return rate

    assert not figure_7._simulated(shifted(8)).holds
    assert figure_7._simulated(shifted(4)).holds


def test_noise_of_a_scale_that_is_hardly_another_is_seen() -> None:
    """At 2.05/ε bits are set up to nine standard errors too often, at 2.02/ε up to four."""
    assert not unary_protocols._laplace(2.05).holds
    assert unary_protocols._laplace(2.02).holds


def test_both_bounds_of_the_growth_can_fail() -> None:
    assert Proved((epsilon_k_growth.below(), epsilon_k_growth.beyond()))().holds
    for wrong in (epsilon_k_growth.below(1), epsilon_k_growth.beyond(1)):
        assert not Proved((wrong,))().holds
