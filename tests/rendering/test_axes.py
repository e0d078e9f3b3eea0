"""Everything that is drawn lies between labelled ticks."""

from __future__ import annotations

import pytest

from qifldp.rendering.axes import ROOM, log_ticks


@pytest.mark.parametrize(
    ("least", "most", "ticks"),
    [
        (7.2e-5, 1.5e-4, [6e-5, 7e-5, 8e-5, 9e-5, 1e-4, 1.5e-4, 2e-4]),
        (2.9e-8, 1e-6, [2e-8, 5e-8, 1e-7, 2e-7, 5e-7, 1e-6, 2e-6]),
        (1, 10, [0.9, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15]),
    ],
)
def test_ticks_are_round_and_outside(least: float, most: float, ticks: list[float]) -> None:
    found = log_ticks(least, most)
    assert found == ticks
    assert found[0] * ROOM <= least
    assert most * ROOM <= found[-1]
