"""What can be asked of ``decide_refinement``, what is refused, and figures that keep to their time."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from typing import Any

import pytest

from qifldp import GRR, OUE, SS, SUE, THE, Channel, InputError, decide_refinement, verify_certificate
from qifldp.refinement.decision import DoesNotRefine, Refines, Undecided

SOLVED = 1e-9
"""What the distance of a garbling that a linear program finds is above the least one, to its tolerance of 1e-10."""


def test_rows_are_matched_by_their_names() -> None:
    first = Channel([["1", "0"], ["1/2", "1/2"]], inputs=["a", "b"])
    second = Channel([["1/2", "1/2"], ["1", "0"]], inputs=["b", "a"])
    decision = decide_refinement(original=first, refined=second)
    assert isinstance(decision, Refines)
    assert decision.certificate.refined.inputs == ("a", "b")  # type: ignore[union-attr]
    verify_certificate(decision.certificate)
    unnamed = Channel([["1/2", "1/2"], ["1", "0"]])
    assert isinstance(decide_refinement(original=first, refined=unnamed), DoesNotRefine)


@pytest.mark.parametrize("order", ["average", "max"])
def test_a_protocol_is_its_own_matrix(order: str) -> None:
    protocol = GRR(4, exp_epsilon=2)
    for pair in ((protocol, protocol.channel()), (protocol.channel(), protocol)):
        decision = decide_refinement(original=pair[0], refined=pair[1], order=order)  # type: ignore[arg-type]
        assert isinstance(decision, Refines)
        verify_certificate(decision.certificate)


def test_rows_of_other_names_are_refused() -> None:
    first, second = (Channel([["1", "0"], ["1/2", "1/2"]], inputs=names) for names in (["a", "b"], ["a", "c"]))
    with pytest.raises(InputError, match=r"^The two channels name different secrets in their rows\.$"):
        decide_refinement(original=first, refined=second)


@pytest.mark.parametrize("swap", [False, True])
def test_decimals_on_the_boundary_depend_on_their_rounding(swap: bool) -> None:
    """B = A·W in decimals, but not in the doubles nearest to them: neither yes nor no is proved, but a bound is."""
    a = [[0.75, 0.25], [0.25, 0.75], [0.6, 0.4]]
    b = [[0.43, 0.57], [0.59, 0.41], [0.478, 0.522]]
    if swap:
        a, b = ([row[::-1] for row in rows] for rows in (a, b))
    decision = decide_refinement(original=Channel(a), refined=Channel(b))
    assert isinstance(decision, Undecided)
    assert decision.deficiency_bound is not None
    assert decision.deficiency_bound < 1e-15
    exact = [[[f"{entry:.12g}" for entry in row] for row in rows] for rows in (a, b)]
    assert isinstance(decide_refinement(original=Channel(exact[0]), refined=Channel(exact[1])), Refines)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"original": "oue"}, "A side of refinement must be a protocol or a channel, got 'str'."),
        ({"refined": OUE(3, 1).profile}, "A side of refinement must be a protocol or a channel, got 'Profile'."),
        ({"order": "worst"}, "order must be average or max, got 'worst'."),
        ({"time_limit": 0}, "time_limit must be a positive number of seconds, got 0."),
        ({"time_limit": math.nan}, "time_limit must be a positive number of seconds, got nan."),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        decide_refinement(**({"original": OUE(3, 1), "refined": SUE(3, 1)} | arguments))  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_a_certificate_must_be_one() -> None:
    with pytest.raises(InputError, match=r"^A certificate must be a Certificate, or the path of a file, got 'dict'\.$"):
        verify_certificate({})  # type: ignore[arg-type]


def test_figures_of_a_max_case_verdict_are_about_the_average() -> None:
    """SUE is refined to OUE in the luckiest case, but on average it is not: somebody gains from OUE."""
    worst = decide_refinement(original=SUE(4, 1), refined=OUE(4, 1), order="max")
    average = decide_refinement(original=SUE(4, 1), refined=OUE(4, 1))
    assert isinstance(worst, Refines)
    assert isinstance(average, DoesNotRefine)
    assert worst.deficiency == average.deficiency
    assert worst.deficiency is not None
    assert worst.deficiency > 0.01
    assert worst.vulnerability_ratio == average.vulnerability_ratio


@pytest.mark.parametrize("epsilon", ["1e-4", "1e-7", "1e-9"])
@pytest.mark.parametrize("pair", [(GRR, OUE), (OUE, GRR), (SS, SUE)])
def test_what_is_refuted_is_lacking_at_the_tiniest_budget(epsilon: str, pair: tuple[Any, Any]) -> None:
    """The linear program says 0 below 1e-8 or so; the adversary of the proof knows better."""
    original, refined = pair
    decision = decide_refinement(original=original(10, epsilon), refined=refined(10, epsilon))
    assert isinstance(decision, DoesNotRefine)
    assert decision.deficiency is not None
    assert 0 < decision.deficiency < float(epsilon)
    assert decision.vulnerability_ratio is not None
    assert 1 - 2 * float(epsilon) < decision.vulnerability_ratio < 1


def test_two_matrices_of_almost_the_same_rows() -> None:
    """An explicit counterexample bounds the deficiency too: 1e-11 apart, with a gain function."""
    apart = Fraction(1, 10**11)
    half = Fraction(1, 2)
    a = Channel([[half, half], [half, half]])
    b = Channel([[half + apart, half - apart], [half - apart, half + apart]])
    decision = decide_refinement(original=a, refined=b)
    assert isinstance(decision, DoesNotRefine)
    assert decision.deficiency is not None
    rounded = 1e-4 * float(apart)  # vulnerabilities near 1/4 are rounded to 5e-17
    assert float(apart) - rounded < decision.deficiency < float(apart) + SOLVED


def test_words_of_a_max_case_counterexample() -> None:
    decision = decide_refinement(original=GRR(4, 1), refined=OUE(4, "1.5"), order="max")
    assert isinstance(decision, DoesNotRefine)
    assert decision.words == (
        "The luckiest report of the refined one puts probability 0.599021 on a set of 1 value, "
        "no report of the original more than 0.475367."
    )


def test_figures_end_when_their_time_is_over() -> None:
    decision = decide_refinement(original=OUE(450, 4), refined=THE(450, 4), time_limit=0.3)
    start = time.monotonic()
    figures = (decision.margin, decision.deficiency, decision.deficiency_reverse, decision.vulnerability_ratio)
    assert time.monotonic() - start < 60  # each has 0.3 s, and the tables before it; the programs would take minutes
    assert None in figures


def test_a_large_domain_needs_no_figures() -> None:
    decision = decide_refinement(original=SUE(5500, 1), refined=OUE(5500, 1))
    assert (decision.margin, decision.deficiency, decision.vulnerability_ratio) == (None, None, None)


@pytest.mark.parametrize("pair", [(20, "19.9"), (100, 50), (700, 600)])
@pytest.mark.parametrize("families", [(GRR, GRR), (SUE, OUE)])
def test_large_budgets(pair: tuple[object, object], families: tuple[type[SUE], type[SUE]]) -> None:
    decision = decide_refinement(original=families[0](3, pair[0]), refined=families[1](3, pair[1]))
    assert isinstance(decision, Refines)
    assert not isinstance(decide_refinement(original=SUE(3, pair[0]), refined=GRR(3, pair[1])), Undecided)


@pytest.mark.parametrize("order", ["average", "max"])
def test_one_set_size_at_nearly_one_budget(order: str) -> None:
    high, low = SS(5, 1, omega=2), SS(5, "0.9999999999999", omega=2)
    assert isinstance(decide_refinement(original=high, refined=low, order=order), Refines)  # type: ignore[arg-type]
    assert isinstance(decide_refinement(original=low, refined=high, order=order), DoesNotRefine)  # type: ignore[arg-type]


@pytest.mark.parametrize("epsilon", ["1e-12", "1e-50", "1e-100"])
def test_tiny_budgets(epsilon: str) -> None:
    """At small ε SUE has less mass than OUE at size 1: Σ_w differs in the order of ε."""
    assert isinstance(decide_refinement(original=SUE(4, epsilon), refined=OUE(4, epsilon)), DoesNotRefine)
