"""Whom the attacks of Fig. 4 are on: people drawn by the counts of Kosarak, the same ones in every run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qifldp.data.datasets import load_dataset
from qifldp.experiments import attack_rates
from qifldp.experiments.attack_rates import BUDGETS, PEOPLE, QUICK_RUNS, RUNS, THETAS, VALUES, figure_4
from qifldp.experiments.attacks import simulate_attack
from qifldp.experiments.figure import Settings

FALSE_ALARM = 5.0
"""Standard errors, of each of ten counts: all are nearer but in one of 170,000 draws; the seed is fixed."""


@pytest.mark.parametrize(("quick", "runs"), [(False, RUNS), (True, QUICK_RUNS)])
def test_people_are_drawn_by_the_real_counts_and_attacked_in_every_run(
    monkeypatch: pytest.MonkeyPatch, quick: bool, runs: int
) -> None:
    seen: list[Any] = []

    def attack(protocol: Any, *, values: Any, rng: Any, confidence: float) -> Any:
        seen.append(values)
        return simulate_attack(protocol, values=values[:10], rng=rng, confidence=confidence)

    monkeypatch.setattr(attack_rates, "simulate_attack", attack)
    figure_4(Settings(seed=2, quick=quick), lambda _: None)
    assert RUNS == 20
    assert len(seen) == 3 * len(BUDGETS) * len(THETAS)
    people = seen[0][:PEOPLE]
    assert all(np.array_equal(values, np.tile(people, runs)) for values in seen)
    counts = np.sort(np.array(load_dataset("kosarak").counts))[::-1][:VALUES]
    share, drawn = counts / counts.sum(), np.bincount(people, minlength=VALUES)
    error = np.sqrt(PEOPLE * share * (1 - share))
    assert (np.abs(drawn - PEOPLE * share) < FALSE_ALARM * error).all()
    assert np.abs(drawn - PEOPLE / VALUES).max() > 10 * FALSE_ALARM * np.sqrt(PEOPLE / VALUES)  # not uniform
