"""The figures that can be made again, by name."""

from __future__ import annotations

from collections.abc import Callable

from qifldp.experiments.attack_rates import figure_4
from qifldp.experiments.capacities import figure_6
from qifldp.experiments.figure import Figure, Progress, Settings
from qifldp.experiments.hashing_rates import figure_7
from qifldp.experiments.squared_errors import figure_5
from qifldp.experiments.trade_offs import figure_1, figure_2, figure_3, figure_8

FIGURES: dict[str, Callable[[Settings, Progress], Figure]] = {
    "fig1": figure_1,
    "fig2": figure_2,
    "fig3": figure_3,
    "fig4": figure_4,
    "fig5": figure_5,
    "fig6": figure_6,
    "fig7": figure_7,
    "fig8": figure_8,
}
"""A new figure is listed here, and inherits the tests."""

OF_KOSARAK = {"fig4", "fig5"}
"""Figures that the real clicks change."""
