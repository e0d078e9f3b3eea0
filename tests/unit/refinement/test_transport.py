"""The search for flows of sizes: its table, its margin, and the bets of its dual."""

from __future__ import annotations

import time
from fractions import Fraction
from typing import Any

import highspy
import numpy as np
import pytest
from scipy.optimize import linprog

from qifldp.channels.profile import Profile
from qifldp.errors import ConvergenceError
from qifldp.protocols.local_hashing import BLH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.search import transport
from qifldp.refinement.search.transport import aligned_excess, aligned_mass, gain_table, solve_margin, solve_transport

ROUNDED = 1e-12
"""Relative: sums of some terms in doubles."""

SOLVED = 1e-7
"""Absolute: the solver's own tolerance on every row."""

CAPPED = 2e-6
"""Relative: what the cap on gains costs, where it counts."""

PRINTED = 1e-5
"""Absolute: five decimals are known of these margins, the last of them cut off."""

PAIRS: tuple[tuple[Protocol, Protocol], ...] = (
    (OUE(4, "0.8"), THE(4, "0.8", theta="0.75")),
    (SUE(5, 2), OUE(5, "1.5")),
    (GRR(4, 2), BLH(4, "0.5")),
    (OLH(6, 2), SS(6, "1.5", omega=2)),
    (UE(5, p="0.2", q="0.7"), OUE(5, "0.3")),
)


def test_the_time_that_is_left_is_counted_from_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver's clock goes on from one round to the next, and its limit is a time on that clock."""
    limits: list[float] = []

    class Late(highspy.Highs):
        def getRunTime(self) -> float:  # noqa: N802  # as HiGHS calls it
            return 1000.0

        def setOptionValue(self, name: str, value: Any) -> highspy.HighsStatus:  # noqa: N802
            if name == "time_limit":
                limits.append(value)
            return super().setOptionValue(name, value)

    monkeypatch.setattr(transport, "silent_solver", Late)
    solve_transport(OUE(100, 1).profile, SUE(100, 1).profile, deadline=time.monotonic() + 60)
    assert limits
    assert all(1000 < limit < 1061 for limit in limits)


@pytest.mark.parametrize(("original", "refined"), PAIRS)
def test_tables_are_those_of_the_definition(original: Protocol, refined: Protocol) -> None:
    k, a, b = original.domain_size, original.profile, refined.profile
    gains, sizes, target = gain_table(a, b)
    for row, w in enumerate(a.sizes.tolist()):
        ratio = np.exp(a.log_ratio) if w else 1.0
        for column, v in enumerate(sizes.tolist()):
            overlap = min(w, v)
            mass = (overlap * ratio + v - overlap) / (w * ratio + k - w)
            goal = v * np.exp(b.log_ratio) / (v * np.exp(b.log_ratio) + k - v)
            assert aligned_mass(a, sizes)[row, column] == pytest.approx(mass, rel=ROUNDED)
            assert target[column] == pytest.approx(goal - v / k, rel=ROUNDED)
            assert gains[row, column] == pytest.approx((mass - v / k) / (goal - v / k), rel=ROUNDED, abs=ROUNDED)


@pytest.mark.parametrize(("original", "refined"), PAIRS)
def test_margin_is_that_of_the_plain_program(original: Protocol, refined: Protocol) -> None:
    found = solve_transport(original.profile, refined.profile)
    assert found.margin == pytest.approx(plain_margin(original.profile, refined.profile), abs=SOLVED)


@pytest.mark.parametrize(("original", "refined"), PAIRS)
def test_flows_fit(original: Protocol, refined: Protocol) -> None:
    a, b = original.profile, refined.profile
    found = solve_transport(a, b)
    gains, sizes, _ = gain_table(a, b)
    mass_a, mass_b = (dict(zip(p.sizes.tolist(), np.exp(p.log_mass), strict=True)) for p in (a, b))
    row = {w: index for index, w in enumerate(a.sizes.tolist())}
    for w, mass in mass_a.items():
        assert sum(share * mass_b[v] for x, v, share in found.flows if x == w) <= mass * (1 + SOLVED)
    for column, v in enumerate(sizes.tolist()):
        shares = [(w, share) for w, x, share in found.flows if x == v]
        assert sum(share for _, share in shares) <= 1 + SOLVED
        assert sum(share * gains[row[w], column] for w, share in shares) >= found.margin - SOLVED


@pytest.mark.parametrize(("original", "refined"), PAIRS)
def test_bets_of_the_dual_lose_what_the_margin_says(original: Protocol, refined: Protocol) -> None:
    """V(A) − V(B) is at most the margin less one, in units of B's commonest size."""
    found = solve_transport(original.profile, refined.profile)
    values = []
    for profile in (original.profile, refined.profile):
        total = 0.0
        beyond = aligned_excess(profile, np.array([v for v, _, _ in found.bets]))
        for row, mass in enumerate(np.exp(profile.log_mass)):
            offers = [stake * beyond[row, i] - premium for i, (_, stake, premium) in enumerate(found.bets)]
            total += mass * max(0.0, *offers, 0.0)
        values.append(total)
    unit = float(np.exp(refined.profile.log_mass[refined.profile.sizes > 0].max()))
    assert values[0] - values[1] <= (found.margin - 1) * unit + SOLVED


def test_pairs_outside_the_band_are_priced_in() -> None:
    """OUE at ε = 4 to BLH at 1: the sizes lie far apart, and a fixed band would turn yes into no."""
    assert solve_transport(OUE(100, 4).profile, BLH(100, 1).profile).margin > 1


@pytest.mark.parametrize(("k", "margin"), [(50, 1.04730), (200, 1.04730)])
def test_known_margin(k: int, margin: float) -> None:
    found = solve_transport(OUE(k, 1).profile, THE(k, 1, theta="0.9").profile)
    assert found.margin == pytest.approx(margin, abs=PRINTED)


def test_margin_of_a_copy_is_one() -> None:
    assert solve_transport(SUE(30, 1).profile, SUE(30, 1).profile).margin == pytest.approx(1, abs=SOLVED)


def test_time_limit() -> None:
    with pytest.raises(ConvergenceError, match=r"^The time limit was reached\.$"):
        solve_transport(OUE(10, 1).profile, BLH(10, 1).profile, deadline=time.monotonic() - 1)


def test_margin_shrinks_posteriors() -> None:
    """A at margin t is refined to B with posteriors shrunk by t: for one size, excesses are in proportion."""
    a, b = SS(6, 1, omega=2), SS(6, 2, omega=2)
    shares = [2 * np.exp(side.epsilon) / (2 * np.exp(side.epsilon) + 4) - Fraction(1, 3) for side in (a, b)]
    assert solve_transport(a.profile, b.profile).margin == pytest.approx(shares[0] / shares[1], abs=SOLVED)


@pytest.mark.parametrize("tiny", ["1e-3", "1e-6", "1e-9", "1e-30", "1e-100"])
@pytest.mark.parametrize("k", [3, 50])
def test_margins_are_told_however_large(k: int, tiny: str) -> None:
    """Excesses of GRR are (e^ε − 1)/(e^ε + k − 1)·(k − 1)/k: in proportion, from 10³ to 10¹⁰⁰."""
    a, b = (np.expm1(e) / (np.exp(e) + k - 1) for e in (1.0, float(tiny)))
    found = decide_refinement(original=GRR(k, 1), refined=GRR(k, tiny)).margin
    assert found == pytest.approx(a / b, rel=CAPPED)


def test_a_margin_is_told_in_proportion_below_the_largest_gain() -> None:
    """Sizes of BLH at ε = 1.5 pass those at 1e-6 by less than 10⁶ and more: all that are moved were capped."""
    found = solve_margin(BLH(4, "1.5").profile, BLH(4, "1e-6").profile)
    assert found == pytest.approx(964_118.7237, rel=CAPPED)
    halves = solve_margin(BLH(4, "1.5").profile, BLH(4, "5e-7").profile)
    assert halves == pytest.approx(2 * found, rel=CAPPED)


def plain_margin(original: Profile, refined: Profile) -> float:
    """Maximise the margin in the flow itself, unscaled, by another formulation."""
    gains, sizes, _ = gain_table(original, refined)
    mass_a, mass_b = np.exp(original.log_mass), np.exp(refined.log_mass[refined.sizes > 0])
    rows, columns = len(mass_a), len(sizes)
    count = rows * columns
    upper = np.zeros((rows + 2 * columns, count + 1))
    for w in range(rows):
        upper[w, w * columns : (w + 1) * columns] = 1
        for v in range(columns):
            upper[rows + v, w * columns + v] = 1
            upper[rows + columns + v, w * columns + v] = -gains[w, v]
    upper[rows + columns :, -1] = mass_b
    cost = np.zeros(count + 1)
    cost[-1] = -1
    answer = linprog(cost, A_ub=upper, b_ub=np.concatenate((mass_a, mass_b, np.zeros(columns))), bounds=(0, None))
    assert answer.fun is not None
    return -float(answer.fun)
