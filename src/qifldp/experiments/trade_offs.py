"""Figs. 1, 2, 3 and 8: how well two inputs of a bit's channel are told apart (trade-off curves, f-DP)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from qifldp.channels.channel import Channel
from qifldp.experiments.figure import CONFIDENCE, Axis, Figure, Panel, Point, Progress, Series, Settings
from qifldp.experiments.intervals import each_of, success_interval
from qifldp.experiments.thresholds import the_threshold
from qifldp.leakage.tradeoff import trade_off
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.lattice import meet

ALPHA = Axis("alpha", "type I error α: a 0 is taken for a 1", better="more private", end="high", zero=True)
BETA = Axis("beta", "type II error β: a 1 is taken for a 0", better="more private", end="high", zero=True)

TWO = ("first", "second")
"""Looks of two budgets of one protocol."""

PEOPLE = 10_000
"""Reports on each of the two bits; so few that quick figures have as many."""


def bit_channel(protocol: Protocol) -> Channel:
    """Return the channel of one bit of a unary report, exact for the doubles p and q: rows 0 and 1, columns 0 and 1."""
    p, q = (Fraction(protocol.chances[place]) for place in (0, 2))
    return Channel([[1 - q, q], [1 - p, p]])


@dataclass(frozen=True)
class _Curve:
    """A curve of a figure: of a protocol's bit, or of another channel."""

    panel: Panel
    series: Series
    channel: Channel
    protocol: Protocol | None = None


def _of(panel: Panel, series: Series, protocol: Protocol) -> _Curve:
    return _Curve(panel, series, bit_channel(protocol), protocol)


def _at(epsilon: int, look: str, protocol: str) -> Series:
    """Return the curve of one budget of a protocol."""
    return Series(f"ε = {epsilon}", look, protocol, {"epsilon": epsilon})


def _corners(curve: _Curve) -> list[Point]:
    found = trade_off(curve.channel)
    corners = zip(found.alpha.tolist(), found.beta.tolist(), strict=True)
    return [Point(curve.panel.name, curve.series.name, "theory", float(alpha), float(beta)) for alpha, beta in corners]


def _simulated(curve: _Curve, protocol: Protocol, rng: np.random.Generator, confidence: float) -> Point:
    """Return how often the bit of a value is set wrongly, and how often it is wrongly not, in real reports."""
    bits = [protocol.perturb(np.full(PEOPLE, place), rng=rng).supports[:, 1] for place in (0, 1)]
    wrong = int(bits[0].sum()), int((~bits[1]).sum())
    (x_low, x_high), (low, high) = (success_interval(times, PEOPLE, confidence) for times in wrong)
    place = (wrong[0] / PEOPLE, wrong[1] / PEOPLE)
    return Point(curve.panel.name, curve.series.name, "simulation", *place, low, high, x_low, x_high)


def _figure(
    number: int, title: str, curves: list[_Curve], say: str, parameters: dict[str, object], settings: Settings
) -> Figure:
    rng, points = settings.rng(number), [point for curve in curves for point in _corners(curve)]
    run = [(curve, curve.protocol) for curve in curves if curve.protocol is not None]
    confidence = each_of(2 * len(run), CONFIDENCE)
    points += [_simulated(curve, protocol, rng, confidence) for curve, protocol in run]
    notes = (
        f"A curve that lies nowhere above another is that of the leakier channel: the other is refined from it. {say}",
        (
            f"Lines are computed. Crosses in open marks are {CONFIDENCE:.0%} intervals, for all of them together, "
            f"from {PEOPLE:,} reports on each bit, seed {settings.seed}."
        ),
    )
    return Figure(
        f"fig{number}",
        f"{title} (Fig. {number})",
        ALPHA,
        BETA,
        tuple(dict.fromkeys(curve.panel for curve in curves)),
        tuple(dict.fromkeys(curve.series for curve in curves)),
        tuple(points),
        notes,
        parameters | {"people": 2 * PEOPLE, "confidence": CONFIDENCE, "interval": "Clopper-Pearson, Bonferroni"},
        simulated=True,
        square=True,
    )


def figure_1(settings: Settings, progress: Progress) -> Figure:
    """THE at two budgets: a refinement family (Lemmas 5 and 6)."""
    theta, budgets = "0.8", (1, 3)
    panel = Panel(f"a bit of THE, θ = {theta}", {"theta": float(theta)})
    curves = [_of(panel, _at(e, look, "THE"), THE(2, e, theta=theta)) for e, look in zip(budgets, TWO, strict=True)]
    progress(1.0)
    parameters: dict[str, object] = {"protocol": "THE", "theta": theta, "epsilon": budgets}
    say = "The smaller ε is the safer one (Lemma 5)."
    return _figure(1, "THE at two budgets", curves, say, parameters, settings)


def figure_2(settings: Settings, progress: Progress) -> Figure:
    """OUE beside THE, on both sides of the threshold of Lemma 10."""
    theta, budgets, curves = "0.95", (3, 5), []
    for epsilon in budgets:
        least = the_threshold(epsilon)
        sign = ">" if float(theta) > least else "<"
        words = f"ε = {epsilon}, θ {sign} {least:.4f}: OUE is {'' if sign == '>' else 'not '}refined to THE"
        panel = Panel(words, {"epsilon": epsilon})
        curves.append(_of(panel, Series("OUE", "OUE"), OUE(2, epsilon)))
        curves.append(
            _of(panel, Series(f"THE, θ = {theta}", "THE", "THE", {"theta": float(theta)}), THE(2, epsilon, theta=theta))
        )
    progress(1.0)
    parameters: dict[str, object] = {"protocols": ("OUE", "THE"), "theta": theta, "epsilon": budgets}
    say = "Bits of OUE are refined to those of THE exactly if θ reaches the threshold of Lemma 10."
    return _figure(2, "OUE and THE", curves, say, parameters, settings)


def figure_3(settings: Settings, progress: Progress) -> Figure:
    """SUE and OUE, incomparable on bits, and the safest channel that leaks as much as both (Lemmas 9 and 12)."""
    epsilon = 2
    panel = Panel(f"bits, ε = {epsilon}", {"epsilon": epsilon})
    sue, oue = _of(panel, Series("SUE", "SUE"), SUE(2, epsilon)), _of(panel, Series("OUE", "OUE"), OUE(2, epsilon))
    least = _Curve(panel, Series("min(SUE, OUE)", "third"), meet(sue.channel, oue.channel).channel)
    progress(1.0)
    say = (
        "The curves of SUE and OUE cross, so neither bit channel is refined from the other (Lemma 9); "
        "min(SUE, OUE) is the safest channel that leaks as much as both to everybody (Lemma 12)."
    )
    parameters: dict[str, object] = {"protocols": ("SUE", "OUE"), "epsilon": epsilon}
    return _figure(3, "SUE, OUE and their minimum", [sue, oue, least], say, parameters, settings)


def figure_8(settings: Settings, progress: Progress) -> Figure:
    """OUE at two budgets: a refinement family (Lemma 8)."""
    budgets, panel = (1, 2), Panel("a bit of OUE")
    curves = [_of(panel, _at(e, look, "OUE"), OUE(2, e)) for e, look in zip(budgets, TWO, strict=True)]
    progress(1.0)
    parameters: dict[str, object] = {"protocol": "OUE", "epsilon": budgets}
    return _figure(8, "OUE at two budgets", curves, "The smaller ε is the safer one (Lemma 8).", parameters, settings)
