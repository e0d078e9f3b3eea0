"""The frontier of all ε-LDP protocols, against linear programs over all channels, and against every protocol."""

from __future__ import annotations

import bisect
import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize

from qifldp import GRR, SS, Channel, InputError, bayes_capacity, shannon_capacity
from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.comparison.frontier import (
    FEW,
    LEAST_DRAWN,
    NARROW,
    WITHIN,
    Frontier,
    best_epsilon_of_bits,
    best_selection,
    frontier,
    information_wanted,
    mixture_of_bits,
)
from qifldp.leakage import blocks
from qifldp.protocols.specs import SEVEN, parse_spec

Floats = NDArray[np.float64]

REACHED = 1e-9
"""Relative to the largest information: what the linear program's optimum is right to."""

N, STEPS, MOST_POINTS = 1_000, 3, 700
"""Reports; places in each step of a drawn line where it is looked at; points of one line, about 70 kB of a page."""

LEVELS = 5
"""Values that an entry of a column takes in the linear program: 1, ρ, and three between."""


def information_of(columns: Floats) -> Floats:
    """Return what columns (each of k entries, in rows) add to I = k (Σ_y Σ_x C²/m_y − k)/(k − 1)², m_y column means."""
    k = columns.shape[1]
    found: Floats = k * ((columns**2).sum(axis=1) / columns.mean(axis=1)) / (k - 1) ** 2
    return found


def best_information(k: int, ratio: float, capacity: float) -> float:
    """Return the most information of any channel with columns of these levels, by a linear program over weights of all.

    A channel is a sum of weighted columns whose rows sum to one. Neither symmetry nor two-valued columns are supposed.
    """
    levels = np.linspace(1, ratio, LEVELS)
    columns = np.array(list(itertools.product(levels, repeat=k)))
    optimum = linprog(
        -information_of(columns),
        A_ub=columns.max(axis=1)[None, :],
        b_ub=[capacity],
        A_eq=columns.T,
        b_eq=np.ones(k),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert optimum.status == 0
    assert optimum.fun is not None
    return float(-optimum.fun - k * k / (k - 1) ** 2)


def agrees(found: Frontier, scale: float) -> bool:
    """Whether a frontier, perhaps lowered or raised by a factor, is what the linear program reaches."""
    k, top = found.domain_size, float(found.information[-1])
    ratio = math.exp(found.epsilon)
    for share in (0.05, 0.3, 0.62, 0.9, 1.0):
        excess = share * float(found.excess[-1])
        if abs(best_information(k, ratio, 1 + excess) - scale * found.information_at(excess)) > REACHED * top:
            return False
    return True


@pytest.mark.parametrize("epsilon", [0.3, 1, 2.5])
@pytest.mark.parametrize("k", [2, 3, 4])
def test_it_is_what_all_channels_reach(k: int, epsilon: float) -> None:
    found = frontier(k, epsilon)
    assert agrees(found, 1.0)
    assert not agrees(found, 0.99)
    assert not agrees(found, 1.01)


@pytest.mark.parametrize(("k", "epsilon"), [(3, 1.5), (4, 1.0)])
def test_a_climber_over_free_channels_comes_near_and_never_passes(k: int, epsilon: float) -> None:
    """Maximising over the entries themselves, from random channels: nothing about columns is supposed."""
    found, ratio, rng = frontier(k, epsilon), math.exp(epsilon), np.random.default_rng(1)
    outputs, top = 2 * k, float(found.excess[-1])
    best: dict[float, float] = {}
    for share, _ in itertools.product((0.4, 0.8, 1.0), range(6)):
        limit = 1 + share * top

        def lacking(entries: Floats) -> float:
            return -float(information_of(entries.reshape(k, outputs).T).sum())

        limits: Any = [
            {"type": "eq", "fun": lambda e: e.reshape(k, outputs).sum(axis=1) - 1},
            {"type": "ineq", "fun": lambda e: _spread(e.reshape(k, outputs), ratio)},
            {"type": "ineq", "fun": lambda e, limit=limit: _guesses(e.reshape(k, outputs), limit)},
        ]
        start = rng.uniform(1, ratio, (k, outputs))
        start /= start.sum(axis=1, keepdims=True)
        climbed = minimize(
            lacking, start.ravel(), method="SLSQP", bounds=[(1e-6, 1)] * (k * outputs), constraints=limits
        )
        matrix = climbed.x.reshape(k, outputs)
        reached = _largest_ratio(matrix)
        if not climbed.success or reached > ratio * (1 + 1e-6):
            continue
        capacity = float(matrix.max(axis=0).sum())
        value = float(information_of(matrix.T).sum()) - k * k / (k - 1) ** 2
        allowed = frontier(k, math.log(reached)).information_at(capacity - 1)
        assert value <= allowed + 1e-6 * float(found.information[-1])  # the climber keeps its limits to about as much
        best[share] = max(best.get(share, 0), value / found.information_at(share * top))
    assert max(best.values()) > 0.97


def _spread(matrix: Floats, ratio: float) -> Floats:
    found: Floats = (ratio * matrix[:, None, :] - matrix[None, :, :]).ravel()
    return found


def _guesses(matrix: Floats, limit: float) -> float:
    return limit - float(matrix.max(axis=0).sum())


def _largest_ratio(matrix: Floats) -> float:
    return float((matrix.max(axis=0) / matrix.min(axis=0)).max())


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 2, 6, 40])
@pytest.mark.parametrize("k", [2, 3, 17, 400])
def test_no_protocol_is_above_it(k: int, epsilon: float) -> None:
    for name in SEVEN:
        protocol = parse_spec(f"{name}:epsilon={epsilon}").build(k)
        limit = frontier(k, protocol.tight_epsilon)
        own = float(blocks.information_per_report(protocol.profile.hyper))
        share = limit.share(float(blocks.guesses_excess(protocol.profile.hyper, 1)) * k, own)
        assert 0 < share <= 1 + 1e-9
        if name == "ss":
            assert share == pytest.approx(1, rel=1e-9) or protocol.spec.endswith("omega=1")


def test_shares_that_the_theory_states() -> None:
    """k = 50, ε = 3: docs/explanation/theory.md."""
    shares = {}
    for name in ("ss", "blh", "sue", "oue", "olh", "grr", "the:theta=0.75"):
        protocol = parse_spec(f"{name}{',' if ':' in name else ':'}epsilon=3").build(50)
        own = float(blocks.information_per_report(protocol.profile.hyper))
        shares[name] = round(frontier(50, 3).share(float(bayes_capacity(protocol)) - 1, own), 3)
    assert shares == {
        "ss": 1.0, "blh": 0.996, "sue": 0.978, "oue": 0.895, "olh": 0.895, "grr": 0.831, "the:theta=0.75": 0.713,
    }  # fmt: skip


def test_corners_are_subset_selections() -> None:
    found = frontier(12, 1.3)
    assert found.sizes[0] == 0
    assert (found.excess[0], found.information[0]) == (0, 0)
    for size, excess, information, lost in list(
        zip(found.sizes, found.excess, found.information, found.lost, strict=True)
    )[1:]:
        protocol = SS(12, 1.3, omega=int(size))
        assert excess == pytest.approx(float(bayes_capacity(protocol)) - 1, rel=1e-12)
        assert information == pytest.approx(float(blocks.information_per_report(protocol.profile.hyper)), rel=1e-12)
        assert information + lost == pytest.approx(144 / 11, rel=1e-12)


def test_points_are_standard_errors() -> None:
    found = frontier(12, 1.3)
    asr, errors = found.points(1000)
    assert (np.diff(asr) > 0).all()
    assert (np.diff(errors) < 0).all()
    protocol = SS(12, 1.3, omega=int(found.sizes[-1]))
    assert asr[-1] == pytest.approx(float(bayes_capacity(protocol)) / 12, rel=1e-12)
    assert errors[-1] == pytest.approx(weighted_standard_error(protocol.profile, 1000), rel=1e-9)


class Truth:
    """The least errors, in fractions: the envelope of the subset selections at the fraction next to e^ε."""

    def __init__(self, k: int, epsilon: float) -> None:
        ratio = Fraction(math.exp(epsilon))
        self.k = k
        self.chances, self.information = [Fraction(1, k)], [Fraction(0)]
        for w in range(k - 1, 0, -1):
            total = w * ratio + k - w
            told = Fraction(k * k * w * (k - w), (k - 1) ** 2) * ((ratio - 1) / total) ** 2
            if told <= self.information[-1]:
                break
            self.chances.append(ratio / total)
            self.information.append(told)

    def error(self, chance: float, n: int) -> float:
        """Return sqrt((1/I − 1/I∞)/n)."""
        x, known = Fraction(chance), self.chances
        above = min(bisect.bisect_left(known, x), len(known) - 1)
        (x0, x1), (y0, y1) = known[above - 1 : above + 1], self.information[above - 1 : above + 1]
        told = y0 + (y1 - y0) * min((x - x0) / (x1 - x0), Fraction(1))
        return math.sqrt((1 / told - Fraction(self.k - 1, self.k**2)) / n)


def is_drawn_right(k: int, asr: Floats, errors: Floats, truth: Truth) -> bool:
    """Whether a line, straight on its chart's axes, is at its points and between them as near as is promised."""
    share = np.linspace(0, 1, STEPS)
    for (x0, x1), (y0, y1) in zip(itertools.pairwise(asr), itertools.pairwise(np.log(errors)), strict=True):
        for x, error in zip(x0 + share * (x1 - x0), np.exp(y0 + share * (y1 - y0)), strict=True):
            aside = (x - 1 / k) * NARROW
            if not truth.error(x + aside, N) * (1 - WITHIN) <= error <= truth.error(x - aside, N) * (1 + WITHIN):
                return False
    return True


@pytest.mark.parametrize("epsilon", [0.1, 0.7, 2, 4, 8, 20, 60])
@pytest.mark.parametrize("k", [2, 10, 50, 1000])
def test_the_drawn_line_is_the_frontier(k: int, epsilon: float) -> None:
    found, truth = frontier(k, epsilon), Truth(k, epsilon)
    asr, errors = found.points(N)
    assert is_drawn_right(k, asr, errors, truth)
    assert not is_drawn_right(k, asr, 0.99 * errors, truth)
    assert not is_drawn_right(k, asr, 1.01 * errors, truth)
    assert not is_drawn_right(k, asr[[0, -1]], errors[[0, -1]], truth)
    assert len(asr) <= MOST_POINTS
    assert k * asr[0] - 1 == pytest.approx(LEAST_DRAWN * float(found.excess[-1]), rel=1e-9, abs=1e-12)
    corners = (1 + found.excess[1:]) / k
    if len(corners) <= FEW:
        assert set(corners[corners >= asr[0]]) <= set(asr)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1e-9), (10**5, 30), (10**6, 1), (10**5, 700)])
def test_a_drawn_line_has_few_points(k: int, epsilon: float) -> None:
    asr, errors = frontier(k, epsilon).points(N)
    assert FEW <= len(asr) <= MOST_POINTS
    assert (np.diff(errors) < 0).all()


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1e-9), (30, 0.2), (30, 5), (2000, 1), (10**5, 700)])
def test_every_size_up_to_the_top_is_a_corner(k: int, epsilon: float) -> None:
    """I = k²/(k − 1)² · (c − 1)(1 − c/ρ)."""
    found = frontier(k, epsilon)
    assert found.sizes[1:].tolist() == list(range(k - 1, int(found.sizes[-1]) - 1, -1))
    room = math.expm1(epsilon) if epsilon < 600 else math.inf
    shrunk = 1 - (found.excess / room) if room < math.inf else np.ones(len(found.excess))
    parabola = k**2 / (k - 1) ** 2 * found.excess * shrunk * -math.expm1(-epsilon)
    assert found.information == pytest.approx(parabola, rel=1e-9, abs=1e-300)


def test_a_limit_on_the_size_of_sets() -> None:
    whole, small = frontier(30, 1.5), frontier(30, 1.5, largest_size=3)
    assert small.sizes.tolist() == [0, 3]  # smaller sets tell less here
    assert small.information_at(float(small.excess[1]) / 2) == pytest.approx(small.information[1] / 2)
    assert small.information_at(5) < whole.information_at(5)
    assert frontier(30, 1.5, largest_size=29).sizes.tolist() == whole.sizes.tolist()
    for size in (0, 30):
        with pytest.raises(InputError, match=r"^The largest size of a set must be from 1 to 29, got"):
            frontier(30, 1.5, largest_size=size)


def test_the_best_single_selection_is_that_of_a_search() -> None:
    k, epsilon = 25, 1.7
    excess = {size: float(bayes_capacity(SS(k, epsilon, omega=size))) - 1 for size in range(1, k)}
    bits = {size: shannon_capacity(SS(k, epsilon, omega=size)) for size in range(1, k)}
    told = {
        size: float(blocks.information_per_report(SS(k, epsilon, omega=size).profile.hyper)) for size in range(1, k)
    }
    for largest in (2, 9, 24):
        sizes = range(1, largest + 1)
        assert best_selection(k, epsilon, largest) == max(sizes, key=told.__getitem__)
        for share in (0.3, 0.7):
            most = share * max(excess.values())
            allowed = [size for size in sizes if excess[size] <= most]
            wanted = max(allowed, key=told.__getitem__) if allowed else None
            assert best_selection(k, epsilon, largest, excess=most) == wanted
            most = share * max(bits.values())
            allowed = [size for size in sizes if bits[size] <= most]
            wanted = max(allowed, key=told.__getitem__) if allowed else None
            assert best_selection(k, epsilon, largest, bits=most) == wanted
            least = share * max(told.values())
            allowed = [size for size in sizes if told[size] >= least]
            wanted = min(allowed, key=excess.__getitem__) if allowed else None
            assert best_selection(k, epsilon, largest, information=least) == wanted
    alone = SS(k, epsilon, omega=4)
    error = weighted_standard_error(alone.profile, 500)
    assert information_wanted(k, error, 500) == pytest.approx(told[4], rel=1e-12)


def best_of_bits(k: int, epsilon: float, bits: float) -> float:
    """Return the most information of a mixture of two subset selections, or of one and silence, in so many bits."""
    points = [(0.0, 0.0)]
    for size in range(1, k):
        protocol = SS(k, epsilon, omega=size)
        information = float(blocks.information_per_report(protocol.profile.hyper))
        points.append((shannon_capacity(protocol), information))
    best = max(y for x, y in points if x <= bits)
    for (x0, y0), (x1, y1) in itertools.combinations(sorted(points), 2):
        if x0 <= bits < x1:
            best = max(best, y0 + (y1 - y0) * (bits - x0) / (x1 - x0))
    return best


@pytest.mark.parametrize("k", [2, 3, 8, 30])
@pytest.mark.parametrize("epsilon", [0.3, 1, 2, 4])
def test_mixtures_of_bits_are_the_best_of_two(k: int, epsilon: float) -> None:
    """Bits do not grow with the chance of a right guess: at a small ε one value alone carries few."""
    most = max(shannon_capacity(SS(k, epsilon, omega=size)) for size in range(1, k))
    for share in (0.02, 0.3, 0.8, 1.5):
        mixture = mixture_of_bits(k, epsilon, share * most)
        parts = [(SS(k, epsilon, omega=size), weight) for size, weight in mixture.parts if size]
        told = sum(weight * float(blocks.information_per_report(one.profile.hyper)) for one, weight in parts)
        assert sum(weight * shannon_capacity(one) for one, weight in parts) <= share * most * (1 + 1e-9)
        assert told == pytest.approx(best_of_bits(k, epsilon, share * most), rel=1e-6)


@pytest.mark.parametrize(("k", "cap", "bits"), [(2, 4, 0.02), (3, 4, 0.3), (20, 9, 3.8), (20, 1, 0.05)])
def test_no_smaller_epsilon_tells_more_in_so_many_bits(k: int, cap: float, bits: float) -> None:
    found = best_epsilon_of_bits(k, cap, bits)
    assert 0 < found <= cap
    best = max(best_of_bits(k, float(epsilon), bits) for epsilon in np.linspace(cap / 80, cap, 80))
    assert best_of_bits(k, found, bits) >= best * (1 - 1e-4)


def test_mixtures_have_the_figures_asked() -> None:
    found = frontier(20, 2)
    for share in (0.01, 0.5, 0.97):
        limit = (1 + share * float(found.excess[-1])) / 20
        mixture = found.mixture(limit)
        assert sum(weight for _, weight in mixture.parts) == pytest.approx(1, rel=1e-12)
        assert len(mixture.parts) <= 2
        capacity = sum(weight * _capacity(size) for size, weight in mixture.parts)
        assert capacity == pytest.approx(20 * limit, rel=1e-12)
        wanted = sum(weight * _information(size) for size, weight in mixture.parts)
        error = math.sqrt((1 / wanted - 19 / 400) / 10_000)
        same = found.mixture_of_error(error, 10_000)
        assert same is not None
        assert [size for size, _ in same.parts] == [size for size, _ in mixture.parts]
        assert [w for _, w in same.parts] == pytest.approx([w for _, w in mixture.parts], abs=1e-9)
    assert found.mixture(1).parts == ((int(found.sizes[-1]), 1.0),)
    assert found.mixture_of_error(1e-9, 10) is None


def _capacity(size: int) -> float:
    return float(bayes_capacity(SS(20, 2, omega=size))) if size else 1.0


def _information(size: int) -> float:
    return float(blocks.information_per_report(SS(20, 2, omega=size).profile.hyper)) if size else 0.0


@pytest.mark.parametrize(("k", "epsilon"), [(6, 1), (50, 3), (50, 1e-5), (300, 12)])
def test_mixtures_of_bits(k: int, epsilon: float) -> None:
    most = shannon_capacity(GRR(k, epsilon))
    for share in (0.1, 0.6):
        mixture = mixture_of_bits(k, epsilon, share * most)
        bits = sum(w * shannon_capacity(SS(k, epsilon, omega=size)) for size, w in mixture.parts if size)
        assert bits <= share * most * (1 + 1e-6)


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1e-9), (10**6, 1), (10**5, 700), (3, 700)])
def test_extremes(k: int, epsilon: float) -> None:
    found = frontier(k, epsilon)
    assert np.isfinite(found.information).all()
    assert (np.diff(found.excess) > 0).all()
    assert 0 < found.information[-1] <= k**2 / (k - 1) * (1 + 1e-9)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match=r"from 1/4 to 1, got 0\.2\.$"):
        frontier(4, 1).mixture(0.2)
    with pytest.raises(InputError):
        frontier(1, 1)


def test_an_explicit_channel_has_the_same_figures() -> None:
    channel = SS(4, 1, omega=2).channel().to_float()
    assert isinstance(channel, Channel)
    value = float(information_of(channel.matrix.T).sum()) - 16 / 9
    assert value == pytest.approx(float(blocks.information_per_report(SS(4, 1, omega=2).profile.hyper)), rel=1e-12)
