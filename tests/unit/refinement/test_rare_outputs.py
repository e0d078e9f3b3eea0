"""Matrices with outputs that hardly ever occur: figures are those of profiles, or worked out by hand."""

from __future__ import annotations

import pytest

from qifldp import GRR, SUE, Protocol
from qifldp.refinement.decision import written_out
from qifldp.refinement.search.explicit_strength import explicit_deficiency

ACCURACY = 1e-9
"""Of a deficiency, as the documentation says."""


@pytest.mark.parametrize(("k", "ratio"), [(5, 100), (7, 100), (8, 35), (9, 20)])
def test_nothing_is_lacking_however_small_the_entries(k: int, ratio: int) -> None:
    """SUE at e^ε = (2r)² is refined to GRR at e^ε = r. Without coefficients below 1e-9, 3e-8 is lacking."""
    original, refined = SUE(k, exp_epsilon=4 * ratio**2), GRR(k, exp_epsilon=ratio)
    lacking = explicit_deficiency(written_out(original), written_out(refined))
    assert lacking is not None
    assert 0 <= lacking <= ACCURACY


@pytest.mark.parametrize(
    ("original", "refined"),
    [
        (SUE(6, exp_epsilon=4 * 10**6), SUE(6, exp_epsilon=4 * 10**6)),
        (SUE(5, exp_epsilon=4 * 10**8), SUE(5, exp_epsilon=10**8)),
        pytest.param(SUE(7, exp_epsilon=4 * 10**6), SUE(7, exp_epsilon=4 * 10**6), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_coefficients_of_many_magnitudes_are_solved(original: Protocol, refined: Protocol) -> None:
    lacking = explicit_deficiency(written_out(original), written_out(refined))
    assert lacking is not None
    assert 0 <= lacking <= ACCURACY
