"""The order of a whole set: classes, covering edges, and its text."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from oracles.garbling import is_garbling
from qifldp import BLH, GRR, OUE, SS, SUE, THE, Budget, InputError, parse_spec
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import SEVEN
from qifldp.refinement.decision import Decision, DoesNotRefine, Refines, Undecided
from qifldp.refinement.order import WIDTH, RefinementOrder, hasse_text, order_of


def seven(domain_size: int, epsilon: object) -> list[Protocol]:
    return [parse_spec(name).build(domain_size, Budget.read(epsilon)) for name in SEVEN]


def undecided(original: Protocol, refined: Protocol) -> Undecided:
    return Undecided(
        original=original,
        refined=refined,
        order="average",
        method="none",
        solved=None,
        figure_seconds=1.0,
        rounded=False,
        reason="It was not tried.",
    )


@pytest.mark.parametrize(("domain_size", "epsilon"), [(2, 1), (3, 1), (3, 2)])
def test_all_pairs_agree_with_the_linear_program(domain_size: int, epsilon: float) -> None:
    protocols = seven(domain_size, epsilon)
    order = order_of(protocols)
    assert len(order.decisions) == 42
    assert order.undecided == ()
    for (i, j), decision in order.decisions.items():
        expected = is_garbling(original=protocols[i].channel(), refined=protocols[j].channel())
        assert isinstance(decision, Refines if expected else DoesNotRefine), (protocols[i], protocols[j])


def test_the_edges_are_the_reduction_of_the_order() -> None:
    order = order_of(seven(2, 1))
    classes = range(len(order.classes))
    paths = set(order.hasse)
    for m in classes:
        paths |= {(c, d) for c in classes for d in classes if (c, m) in paths and (m, d) in paths}
    proved = {
        (c, d)
        for c, first in enumerate(order.classes)
        for d, second in enumerate(order.classes)
        if c != d and isinstance(order.decisions[first[0], second[0]], Refines)
    }
    assert paths == proved
    for edge in order.hasse:  # no edge can be left out
        rest = set(order.hasse) - {edge}
        assert not any((edge[0], m) in rest and (m, edge[1]) in paths for m in classes)


def test_a_chain_and_a_class() -> None:
    order = order_of([OUE(5, 1), SUE(5, 3), SUE(5, 1), SUE(5, 2), SS(5, 1, omega=1), GRR(5, 1)])
    assert order.classes == ((0,), (1,), (2,), (3,), (4, 5))
    assert (1, 2) in order.proved
    assert (1, 3) in order.hasse
    assert (3, 2) in order.hasse
    assert (1, 2) not in order.hasse  # SUE at 2 is between
    assert (0, 2) in order.incomparable


def test_what_a_chain_proves_is_not_undecided() -> None:
    protocols = (SUE(5, 3), SUE(5, 2), SUE(5, 1))
    decisions = dict(order_of(protocols).decisions)
    decisions[0, 2] = undecided(protocols[0], protocols[2])
    decisions[1, 0] = undecided(protocols[1], protocols[0])
    order = RefinementOrder(protocols, decisions)
    assert (0, 2) in order.proved
    assert order.undecided == ((1, 0),)
    assert order.hasse == ((0, 1), (1, 2))


def test_one_refuted_member_refutes_its_class() -> None:
    protocols = (GRR(5, 1), SS(5, 1, omega=1), OUE(5, 1))
    decisions = dict(order_of(protocols).decisions)
    assert order_of(protocols).incomparable == ((0, 1),)
    decisions[1, 2] = undecided(protocols[1], protocols[2])
    decisions[2, 0] = undecided(protocols[2], protocols[0])
    order = RefinementOrder(protocols, decisions)
    assert order.classes == ((0, 1), (2,))
    assert order.incomparable == ((0, 1),)


def test_text() -> None:
    assert hasse_text(order_of(seven(3, 2))).splitlines() == [
        "Level 1 (nothing here is refined from another)",
        "  GRR = SS",
        "  BLH",
        "  OLH       →  OUE",
        "  SUE       →  OUE, THE",
        "Level 2",
        "  OUE",
        "  THE",
        "incomparable with all others: GRR = SS, BLH",
        "incomparable: OLH – SUE, OLH – THE, OUE – THE",
    ]


def test_text_of_long_specs_stays_within_a_terminal() -> None:
    thresholds = ["0.912345678901234567890123456789", "0.55", "0.6123456789", "0.7"]
    protocols = [THE(5, f"1.{'123456789' * 4}", theta=theta) for theta in thresholds]
    text = hasse_text(order_of([*protocols, SUE(5, 8), SUE(5, 1)]))
    assert all(len(line) <= WIDTH for line in text.splitlines())
    assert all(protocol.spec.replace(" ", "") in text.replace("\n", "").replace(" ", "") for protocol in protocols)


def test_text_of_none_and_one() -> None:
    assert hasse_text(order_of([])) == ""
    assert hasse_text(order_of([GRR(3, 1)])).splitlines()[1:] == ["  GRR"]


def test_text_says_what_is_undecided() -> None:
    protocols = (SUE(5, 1), BLH(5, 1))
    unsure = undecided(*protocols)
    text = hasse_text(RefinementOrder(protocols, {(0, 1): unsure, (1, 0): unsure}))
    assert text.splitlines()[-1] == "undecided: SUE → BLH, BLH → SUE"


def test_progress_and_time_limit() -> None:
    steps: list[tuple[int, int]] = []
    order = order_of(
        [SUE(200, 1), THE(200, 1), OUE(200, 1)],
        time_limit=1e-9,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert steps == [(done, 6) for done in range(7)]
    assert isinstance(order.decisions[0, 1], Refines)  # quick rules need no time


def test_the_time_limit_is_for_all_pairs_together(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def decide(*, original: Protocol, refined: Protocol, time_limit: float) -> Decision:
        limits.append(time_limit)
        time.sleep(0.01)
        return undecided(original, refined)

    monkeypatch.setattr("qifldp.refinement.order.decide_refinement", decide)
    order_of([GRR(3, 1), SUE(3, 1), OUE(3, 1)], time_limit=0.035)
    assert all(later <= earlier - 0.01 for earlier, later in pairwise(limits[:4]))
    assert 0 < limits[-1] < 0.001


def test_domains_that_differ() -> None:
    with pytest.raises(InputError, match=r"Refinement compares two sides of one domain, got 3 and 4 values\."):
        order_of([GRR(3, 1), GRR(4, 1)])
