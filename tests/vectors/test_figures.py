"""The paper's figures, made again: their levels, and simulations where the right theory is and not elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from qifldp.channels.channel import Channel
from qifldp.experiments.capacities import BUDGETS, capacities_at
from qifldp.experiments.catalogue import FIGURES
from qifldp.experiments.clicks import sample
from qifldp.experiments.figure import Figure, Point, Settings
from qifldp.experiments.hashing_rates import ATTACKS, QUICK_SIZES, RIGHT, WRONG, buckets, equation_25
from qifldp.experiments.intervals import mean_square_interval, success_interval
from qifldp.experiments.squared_errors import least_domain, mean_squared_error, squared_errors, variances
from qifldp.experiments.thresholds import the_threshold
from qifldp.experiments.trade_offs import bit_channel
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines

ROUNDED = 1e-13
"""Relative: closed forms of some ten operations in doubles on either side."""


@cache
def quick(name: str) -> Figure:
    return FIGURES[name](Settings(seed=1, quick=True), lambda _: None)


def names(figure: Figure) -> tuple[str, ...]:
    return tuple(panel.name for panel in figure.panels)


def heights(figure: Figure, series: str, panel: str) -> dict[float, float]:
    return {point.x: point.y for point in figure.of("theory", series, panel)}


def holds(point: Point, theory: float) -> bool:
    assert point.low is not None
    assert point.high is not None
    return point.low <= theory <= point.high


def test_figure_7_is_equation_26_and_not_25() -> None:
    """The intervals hold together with 99 %: under the right theory 1 of 100 seeds would fail."""
    figure = quick("fig7")
    for panel in names(figure):
        points = figure.of("simulation", ATTACKS.name, panel)
        right, wrong = heights(figure, RIGHT.name, panel), heights(figure, WRONG.name, panel)
        assert [point.x for point in points] == list(QUICK_SIZES)
        assert all(holds(point, right[point.x]) for point in points)
        outside = [point.x for point in points if not holds(point, wrong[point.x])]
        assert {2, 3, 4, 5} <= set(outside)
        assert len(outside) > len(points) / 2


@pytest.mark.parametrize(("k", "value"), [(2, "0.7267"), (10, "0.4384"), (40, "0.2276")])
def test_figure_7_has_the_known_levels(k: int, value: str) -> None:
    figure = quick("fig7")
    assert f"{heights(figure, RIGHT.name, 'ε = 3, g = 21')[k]:.4f}" == value


@pytest.mark.parametrize("epsilon", [3, 5])
@pytest.mark.parametrize("k", [2, 20, 21, 22, 149, 200])
def test_both_equations_of_figure_7(k: int, epsilon: int) -> None:
    """(26) in fractions of the double e^ε; (25) is e^ε/(e^ε + g − 1) over max(k/g, 1)."""
    e, g = Fraction(math.exp(epsilon)), buckets(epsilon)
    right = (e * g**k + (g - 1) ** k * (1 - e)) / ((e + g - 1) * k * g ** (k - 1))
    figure = quick("fig7")
    assert heights(figure, RIGHT.name, f"ε = {epsilon}, g = {g}")[k] == pytest.approx(float(right), rel=ROUNDED)
    wrong = e / ((e + g - 1) * max(Fraction(k, g), Fraction(1)))
    assert equation_25(k, g, epsilon) == pytest.approx(float(wrong), rel=ROUNDED)


def test_figure_6_at_a_budget_between_its_points() -> None:
    found = {name: f"{value:.2f}" for name, value in capacities_at(5).items()}
    known = {"GRR": "37.59", "SS": "37.59", "OUE": "21.67", "OLH": "21.69", "SUE": "11.95", "THE": "9.38"}
    assert found == known | {"BLH": "1.99"}
    assert f"{capacities_at(5)['BLH']:.3f}" == "1.987"


def test_figure_6_is_of_these_capacities() -> None:
    figure = quick("fig6")
    assert pytest.approx(np.linspace(0.5, 30, 100), rel=1e-11) == BUDGETS  # written with twelve digits
    for name in ("GRR", "OLH", "BLH"):
        curve = heights(figure, name, figure.panels[0].name)
        assert curve == {epsilon: capacities_at(epsilon)[name] for epsilon in BUDGETS}
    olh = [value for epsilon, value in heights(figure, "OLH", figure.panels[0].name).items() if epsilon > 20]
    assert olh == sorted(olh)  # no wiggle


def unary_success(p: float, q: float, k: int) -> float:
    """Return p·E[1/(1 + Bin(k − 1, q))] + (1 − p)(1 − q)^(k−1)/k: one blind guess at unary reports."""
    inverse = -math.expm1(k * math.log1p(-q)) / (k * q)
    return p * inverse + (1 - p) * math.exp((k - 1) * math.log1p(-q)) / k


LEVELS: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "SUE": lambda e, _: (1 / (1 + math.exp(-e / 2)), 1 / (1 + math.exp(e / 2))),
    "OUE": lambda e, _: (1 / 2, 1 / (1 + math.exp(e))),
    "THE": lambda e, theta: (1 - math.exp(e * (theta - 1) / 2) / 2, math.exp(-e * theta / 2) / 2),
}


@pytest.mark.parametrize("name", LEVELS)
def test_figure_4_has_the_levels_of_theory(name: str) -> None:
    figure = quick("fig4")
    for panel in names(figure):
        (values,) = (one.values for one in figure.panels if one.name == panel)
        epsilon, curve = float(values["epsilon"]), heights(figure, name, panel)
        assert list(curve) == [round(0.5 + 0.025 * step, 3) for step in range(20)]
        for theta, value in curve.items():
            assert value == pytest.approx(unary_success(*LEVELS[name](epsilon, theta), 10), rel=ROUNDED)
    assert {f"{value:.2f}" for value in heights(figure, "OUE", names(figure)[-1]).values()} == {"0.55"}
    assert "(OUE at ε = 16 near 0.44, theory 0.55)" in figure.notes[-2]


def confidence_of_each(figure: Figure) -> float:
    """Return what each interval needs so that all of the figure hold together with 99 %, after its caption."""
    points = figure.of("simulation")
    intervals = sum(1 + (point.x_low is not None) for point in points)
    caption = " ".join(figure.notes)
    assert f"99% intervals for all {len(points)} simulated points together" in caption or (
        "99% intervals, for all of them together" in caption
    )
    return 1 - (1 - 0.99) / intervals


@pytest.mark.parametrize("name", ["fig1", "fig2", "fig3", "fig4", "fig7", "fig8"])
def test_rates_have_intervals_that_hold_for_the_whole_figure(name: str) -> None:
    figure = quick(name)
    people, runs, each = figure.parameters["people"], figure.parameters.get("runs"), confidence_of_each(figure)
    assert isinstance(people, int)
    n = people * runs if isinstance(runs, int) else people // 2  # half of the reports are on either bit
    for point in figure.of("simulation"):
        assert (point.low, point.high) == success_interval(round(point.y * n), n, each)
        if point.x_low is not None:
            assert (point.x_low, point.x_high) == success_interval(round(point.x * n), n, each)
    assert (figure.of("simulation")[0].x_low is None) == (runs is not None)


def test_errors_have_intervals_that_hold_for_the_whole_figure() -> None:
    figure = quick("fig5")
    counts, _ = sample(None, 10_000, Settings(seed=1).rng(5))
    runs, each = figure.parameters["runs"], confidence_of_each(figure)
    assert isinstance(runs, int)
    for panel in figure.panels:
        point = figure.of("simulation", "OUE", panel.name)[0]
        spread = variances(OUE(len(counts), panel.values["epsilon"]), counts)
        assert (point.low, point.high) == mean_square_interval(point.y, spread, runs, each)


@pytest.mark.parametrize(("name", "other"), [("fig4", "OUE"), ("fig5", "SUE")])
def test_simulations_are_where_their_theory_is(name: str, other: str) -> None:
    """All intervals of a figure hold together with 99 %, and not with the theory of another protocol."""
    figure, elsewhere = quick(name), 0
    for panel in names(figure):
        for series in ("SUE", "OUE", "THE"):
            points = figure.of("simulation", series, panel)
            curve, strange = heights(figure, series, panel), heights(figure, other, panel)
            assert len(points) == 20
            assert all(holds(point, curve[point.x]) for point in points)
            elsewhere += sum(not holds(point, strange[point.x]) for point in points) if series != other else 0
    assert elsewhere > 120  # of 160


def test_figure_5_where_oue_beats_sue() -> None:
    assert [least_domain(epsilon) for epsilon in (2, 4, 8, 16)] == [6, 10, 57, 2983]
    assert "from k = 6, 10, 57, 2983 values on (ε = 2, 4, 8, 16); here k = 3,450" in quick("fig5").notes[-1]
    figure = quick("fig5")
    for panel in names(figure):
        oue, sue = heights(figure, "OUE", panel), heights(figure, "SUE", panel)
        assert all(oue[theta] < sue[theta] for theta in oue)


@pytest.mark.parametrize("protocol", [OUE(20, 2), THE(20, 4, theta="0.9"), SS(20, 1, omega=5), GRR(20, 1)])
def test_the_error_of_any_data_is_the_formula(protocol: OUE) -> None:
    """MSE = [q(1 − q) + (p − q)(1 − p − q)/k]/(n(p − q)²), uneven data or even; and n matters.

    The mean over 2,000 runs is within five of its standard errors but for one seed in a million.
    """
    p, _, q, _ = map(float, protocol.chances)
    n, k = 2_000, protocol.domain_size
    formula = (q * (1 - q) + (p - q) * (1 - p - q) / k) / (n * (p - q) ** 2)
    assert mean_squared_error(protocol, n) == pytest.approx(formula, rel=ROUNDED)
    uneven = np.array([n - 190, *([10] * 19)])
    for counts in (uneven, np.full(k, n // k)):
        errors = squared_errors(protocol, counts, 2_000, np.random.default_rng(1))
        spread = float(errors.std()) / math.sqrt(len(errors))
        assert abs(float(errors.mean()) - formula) < 5 * spread
        assert abs(float(errors.mean()) - 1.2 * formula) > 5 * spread


@pytest.mark.parametrize("epsilon", [0.1, 0.8, 2, 3, 5, 8])
def test_the_threshold_of_lemma_10_is_where_the_verdict_changes(epsilon: float) -> None:
    step = 1e-9  # far above the rounding of the threshold, and of p and q
    oue = bit_channel(OUE(2, epsilon))
    above, below = (bit_channel(THE(2, epsilon, theta=the_threshold(epsilon) + move)) for move in (step, -step))
    assert isinstance(decide_refinement(original=oue, refined=above), Refines)
    assert isinstance(decide_refinement(original=oue, refined=below), DoesNotRefine)


def test_the_lines_of_lemma_10_stand_at_its_thresholds() -> None:
    for name in ("fig4", "fig5"):
        for panel, epsilon in zip(quick(name).panels, (2, 4, 8, 16), strict=True):
            assert panel.values["epsilon"] == epsilon
            assert panel.values[panel.mark] == the_threshold(epsilon)
            assert f"Lemma 10: θ = {the_threshold(epsilon):.5g}" in panel.name


def test_strips_hold_simulation_against_theory() -> None:
    """All intervals of a strip meet its middle; in Fig. 7 the line of (25) is outside the band where it should be."""
    for name in ("fig4", "fig5", "fig7"):
        figure = quick(name)
        assert figure.strip is not None
        moved = [point for point in map(figure.compared, figure.of("simulation")) if point is not None]
        assert len(moved) == len(figure.of("simulation"))
        assert all(holds(point, figure.strip.middle) for point in moved)
    wrong = {p.x: p.y for p in map(figure.compared, figure.of("theory", WRONG.name, figure.panels[0].name)) if p}
    right = heights(figure, RIGHT.name, figure.panels[0].name)
    assert wrong == {k: equation_25(int(k), 21, 3) - right[k] for k in right}
    bands = {p.x: p for p in moved if p.panel == figure.panels[0].name}
    assert {k for k, band in bands.items() if holds(band, wrong[k])} <= {6, 7, *(k for k in bands if k > 50)}


def test_the_threshold_of_lemma_10_as_printed() -> None:
    for epsilon in (0.5, 0.8, 3, 16):
        e = math.exp(epsilon)
        inner = e + 1 + (math.sqrt(e) - 1) * math.sqrt(e + 1)
        printed = (2 * math.log(inner) - epsilon - 2 * math.log(2)) / epsilon
        assert the_threshold(epsilon) == pytest.approx(printed, rel=ROUNDED)
    assert f"{the_threshold(0.8):.5f}" == "0.79999"
    assert the_threshold(1e-5) == pytest.approx(1 / math.sqrt(2), abs=1e-5)  # the next term is of the order of ε
    assert the_threshold(60) < the_threshold(700) <= 1


def corners(figure: Figure, series: str, panel: str | None = None) -> list[tuple[float, float]]:
    return [(point.x, point.y) for point in figure.of("theory", series, panel)]


def test_figure_3_is_the_minimum_of_lemma_12() -> None:
    """The columns of M, the most telling first: (1/(e^ε + 1), 1/2), the middle, the rest."""
    e = 2
    first = 1 / (math.exp(e) + 1)
    second = 1 / (math.exp(e / 2) + 1)
    expected = [(0.0, 1.0), (first, 0.5), (second, second), (1.0, 0.0)]
    for found, wanted in zip(corners(quick("fig3"), "min(SUE, OUE)"), expected, strict=True):
        assert found == pytest.approx(wanted, rel=ROUNDED)


@pytest.mark.parametrize("name", ["fig1", "fig2", "fig3", "fig8"])
def test_trade_off_curves_are_of_the_bits_and_reports_are_at_their_corners(name: str) -> None:
    bits = {
        ("fig1", "ε = 1"): THE(2, 1, theta="0.8"),
        ("fig1", "ε = 3"): THE(2, 3, theta="0.8"),
        ("fig3", "SUE"): SUE(2, 2),
        ("fig3", "OUE"): OUE(2, 2),
        ("fig8", "ε = 1"): OUE(2, 1),
        ("fig8", "ε = 2"): OUE(2, 2),
    }
    figure, seen = quick(name), 0
    for point in figure.of("simulation"):
        (_, corner, _) = corners(figure, point.series, point.panel)
        protocol = bits.get((name, point.series))
        if protocol is not None:
            p, _, q, _ = map(float, protocol.chances)
            assert corner == pytest.approx((q, 1 - p), rel=ROUNDED)
        assert holds(point, corner[1])
        assert point.x_low is not None
        assert point.x_high is not None
        assert point.x_low <= corner[0] <= point.x_high
        assert not point.x_low <= 1.7 * corner[0] <= point.x_high  # another budget would be seen
        seen += 1
    assert seen == (4 if name == "fig2" else 2)


def test_figure_2_says_which_side_of_the_threshold_it_is_on() -> None:
    assert names(quick("fig2")) == (
        "ε = 3, θ > 0.9465: OUE is refined to THE",
        "ε = 5, θ < 0.9853: OUE is not refined to THE",
    )


def test_a_bit_is_exact_for_its_doubles() -> None:
    q = Fraction(OUE(2, 1).chances[2])
    assert q == Fraction(1 / (1 + math.e))
    assert bit_channel(OUE(2, 1)) == Channel([[1 - q, q], ["1/2", "1/2"]])
