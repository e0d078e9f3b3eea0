"""Decisions on refinement: yes or no, each with its certificate, or neither; and how far apart two sides are."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import expand
from qifldp.channels.profile import Profile
from qifldp.errors import ConvergenceError, InputError
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.wording import counted
from qifldp.refinement.certificate import Certificate, Order, Side
from qifldp.refinement.proofs import Bets, GainMatrix, Identical
from qifldp.refinement.search.explicit_strength import (
    ASTRAY,
    CLEARLY_LACKING,
    explicit_deficiency,
    explicit_margin,
    explicit_ratio,
)
from qifldp.refinement.search.linear import UnsolvedError
from qifldp.refinement.search.strength import deficiency, vulnerability_ratio
from qifldp.refinement.search.transport import solve_margin
from qifldp.refinement.verified import LEAST
from qifldp.refinement.verify_explicit import passing_gain

LARGEST_FIGURE = 2_000
"""Domain size up to which a margin between protocols is computed that no proof needed."""

BELOW_ONE = math.nextafter(1.0, 0.0)
"""What is proved to be below one, where a program's last digits say otherwise."""

CONTRADICTED = "The margin that was found contradicts what is proved, or the deficiency: rounding leads it astray."

FIGURE_SECONDS = 20.0
"""For each figure at most, unless a decision has a time limit of its own."""


@dataclass(frozen=True)
class Compared:
    """What is common to every decision: the two sides, and figures that are computed when they are asked for.

    The figures are about the average-case order, whatever the verdict is about. They are floats, a linear program's
    optimum, and never part of a proof; None where the program would be too large, takes longer than a decision is
    allowed to (``time_limit`` seconds of the decision, or twenty), or is not solved (:attr:`unsolved`). A deficiency is
    the distance of the garbling that the program found: rounding apart it never lies below the truth, and some 1e-9
    above it at most.

    Attributes:
        original: A.
        refined: B.
        order: Which order was asked for.
        method: What found the proof.
        solved: The margin, if finding the proof has solved for it.
        figure_seconds: The time that each figure may take.
        rounded: Whether entries of a matrix were read from floats: its figures are those of the floats.
    """

    original: Side
    refined: Side
    order: Order
    method: str
    solved: float | None
    figure_seconds: float
    rounded: bool

    @cached_property
    def unsolved(self) -> dict[str, str]:
        """Why each figure, of those asked for so far, that is not solved is None: mostly what HiGHS said."""
        return {}

    @cached_property
    def margin(self) -> float | None:
        """The largest t for which A is refined to B with every posterior shrunk towards uniform by t.

        What is proved is on its side of one, whatever the solver's last digits say.
        """
        return self._margin()

    def _told(self, margin: float | None, *, least: float = 0.0, most: float = math.inf) -> float | None:
        """Return a margin between what it must lie between, rounding apart; None, and say why, if it does not."""
        if margin is None:
            return None
        if not least - ASTRAY <= margin <= most + ASTRAY:
            self.unsolved["margin"] = CONTRADICTED
            return None
        return min(max(margin, least), most)

    def _margin(self) -> float | None:
        if self.solved is not None:
            return self.solved
        seconds = self.figure_seconds
        if not self._profiles:
            c, d = self._matrices
            if self.rounded:  # a relation between rows that holds but for rounding is one
                c, d = c.to_float(), d.to_float()
            return self._or_none("margin", lambda: explicit_margin(c, d, seconds=seconds))
        a, b = self._profiles
        if a.domain_size > LARGEST_FIGURE:
            return None
        return self._or_none("margin", lambda: solve_margin(a, b, deadline=time.monotonic() + seconds))

    @cached_property
    def deficiency(self) -> float | None:
        """Le Cam deficiency δ(A → B): nobody with gains in [0, 1] gains more than this more from B than from A."""
        return self._deficiency(1)

    @cached_property
    def deficiency_reverse(self) -> float | None:
        """δ(B → A): nobody with gains in [0, 1] gains more than this more from A than from B."""
        return self._deficiency(-1)

    def _deficiency(self, way: int) -> float | None:
        seconds, name = self.figure_seconds, "deficiency" if way > 0 else "deficiency_reverse"
        if self._profiles:
            a, b = self._profiles[::way]
            return self._or_none(name, lambda: deficiency(a, b, seconds=seconds))
        c, d = self._matrices[::way]
        return self._or_none(name, lambda: explicit_deficiency(c, d, seconds=seconds))

    @cached_property
    def vulnerability_ratio(self) -> float | None:
        """The least V(A)/V(B) over all adversaries, 1 if A ⊑ B."""
        return self._ratio()

    def _ratio(self) -> float | None:
        seconds = self.figure_seconds
        if self._profiles:
            a, b = self._profiles
            return self._or_none("vulnerability_ratio", lambda: vulnerability_ratio(a, b, seconds=seconds))
        c, d = self._matrices
        return self._or_none("vulnerability_ratio", lambda: explicit_ratio(c, d, seconds=seconds))

    def _or_none(self, name: str, figure: Callable[[], float | None]) -> float | None:
        """Return a figure, or None if its program does not end in time, or fails."""
        try:
            return figure()
        except ConvergenceError as error:
            if isinstance(error, UnsolvedError):
                self.unsolved[name] = str(error)
            return None

    @cached_property
    def _profiles(self) -> tuple[Profile, Profile] | None:
        """Both profiles, if both sides are protocols."""
        if isinstance(self.original, Protocol) and isinstance(self.refined, Protocol):
            return self.original.profile, self.refined.profile
        return None

    @property
    def _matrices(self) -> tuple[Channel, Channel]:
        return written_out(self.original), written_out(self.refined)


@dataclass(frozen=True)
class Refines(Compared):
    """original ⊑ refined, proved: no adversary gains more from the refined protocol.

    In the max-case order: none gains more from their luckiest report.

    Attributes:
        certificate: The proof.
    """

    certificate: Certificate

    @cached_property
    def margin(self) -> float | None:
        """At least one where refinement on average is proved."""
        return self._told(self._margin(), least=0.0 if self.order == "max" else 1.0)

    @cached_property
    def deficiency(self) -> float | None:
        """Zero where refinement on average is proved."""
        return 0.0 if self.order == "average" else self._deficiency(1)

    @cached_property
    def deficiency_reverse(self) -> float | None:
        """Zero where both sides are one."""
        return 0.0 if isinstance(self.certificate.proof, Identical) else self._deficiency(-1)

    @cached_property
    def vulnerability_ratio(self) -> float | None:
        """One where refinement on average is proved."""
        return 1.0 if self.order == "average" else self._ratio()


@dataclass(frozen=True)
class DoesNotRefine(Compared):
    """original ⋢ refined, proved: some adversary gains more from the refined protocol.

    Attributes:
        certificate: The proof.
        vulnerability_original: What the adversary of the proof gains from the original, rounded.
        vulnerability_refined: … and from the refined, rounded: strictly more before rounding.
        advantage: The difference, above zero: rounded once.
    """

    certificate: Certificate
    vulnerability_original: float
    vulnerability_refined: float
    advantage: float

    @cached_property
    def margin(self) -> float | None:
        """Below one: refinement at worst is refuted, or on average, and the first follows from the second."""
        return self._told(self._margin(), most=BELOW_ONE)

    @cached_property
    def deficiency(self) -> float | None:
        """At least what the adversary of the proof gains more, with gains scaled to [0, 1]: above zero.

        So the last digits of the linear program do not hide a small one. In the max-case order, what they gain more on
        average if they act on B's luckier reports only.
        """
        found = self._deficiency(1)
        if found is None:
            return None
        least, greatest = self._gains
        gained = self.advantage if self.order == "average" else self._passing_gain
        return max(found, gained / (greatest - least), LEAST)

    @property
    def _passing_gain(self) -> float:
        """What an adversary gains more on average who passes unless a report promises more than any of A's."""
        proof = self.certificate.proof
        if isinstance(proof, GainMatrix):
            return passing_gain(self.certificate)
        assert isinstance(proof, Bets)
        assert isinstance(self.refined, Protocol)
        profile = self.refined.profile
        size = int(np.searchsorted(profile.sizes, proof.offers[0][0]))
        return math.exp(profile.log_mass[size]) * self.advantage

    @cached_property
    def vulnerability_ratio(self) -> float | None:
        """Below one, and at most that of the adversary of the proof, with gains from 0."""
        found = self._ratio()
        if found is None or self.order == "max":
            return found if found is None else min(found, BELOW_ONE)
        best = self.vulnerability_refined - self._gains[0]
        return min(found, BELOW_ONE, (best - self.advantage) / best if best else BELOW_ONE)

    @property
    def _gains(self) -> tuple[float, float]:
        """The least and the greatest gain of the adversary of the proof, in units of the largest stake."""
        proof = self.certificate.proof
        if isinstance(proof, GainMatrix):
            entries = [entry for row in proof.rows for entry in row]
            return float(min(entries)), float(max(entries))
        assert isinstance(proof, Bets)
        unit = proof.largest_stake
        dearest = max(price for _, _, price in proof.offers)
        return -float(dearest / unit), float(max(stake - price for _, stake, price in proof.offers) / unit)

    @property
    def words(self) -> str:
        """The adversary of the proof, in words."""
        proof = self.certificate.proof
        found = f"{self.vulnerability_refined:.6g}", f"{self.vulnerability_original:.6g}"
        if not self.vulnerability_refined:
            found = f"less than {LEAST:.0e}", "still less"
        elif found[0] == found[1]:
            found = found[0], "less than that, by a difference too small for these digits,"
        if isinstance(proof, GainMatrix):
            adversary = f"An adversary with a gain function of {counted(len(proof.rows), 'action')}"
            if self.order == "max":
                luckiest = "from the luckiest report of the refined one, and from no report of the original more than"
                return f"{adversary} gains {found[0]} {luckiest} {found[1]}."
            return f"{adversary} gains {found[0]} from the refined one and {found[1]} from the original."
        assert isinstance(proof, Bets)
        if self.order == "max":
            return (
                f"The luckiest report of the refined one puts probability {found[0]} on a set of "
                f"{counted(proof.offers[0][0], 'value')}, no report of the original more than {found[1]}."
            )
        gains = f"gains {found[0]} from the refined one and {found[1]} from the original."
        unit = proof.largest_stake
        offers = [(counted(size, "value"), stake / unit, price / unit) for size, stake, price in proof.offers if stake]
        if len(offers) == 1:
            ((values, _, price),) = offers
            bet = f"may bet a prize of 1 that the value is in a set of their choice (a set of {values} at a price of"
            return f"An adversary who {bet} {_price(price)}) {gains}"
        told = [f"on {values} a prize of {float(prize):.6g} for {_price(price)}" for values, prize, price in offers]
        shown = "; ".join(told[:3]) + (f"; or one of {len(told) - 3} more" if len(told) > 3 else "")
        return f"An adversary who may bet that the value is in a set of their choice ({shown}) {gains}"


@dataclass(frozen=True)
class Undecided(Compared):
    """No proof was found either way.

    Attributes:
        reason: Why.
        deficiency_bound: For matrices, a proved upper bound on the deficiency, if one was found.
    """

    reason: str
    deficiency_bound: float | None = None

    @cached_property
    def margin(self) -> float | None:
        """Not above one where something is lacking."""
        found = self._margin()
        if found is None or found <= 1 + ASTRAY or (self.deficiency or 0.0) <= CLEARLY_LACKING:
            return found
        return self._told(found, most=1.0)


def _price(price: Fraction) -> str:
    shown = f"{float(price):.6g}"
    return f"1 − {float(1 - price):.6g}" if shown == "1" and price < 1 else shown


Decision: TypeAlias = Refines | DoesNotRefine | Undecided


def written_out(side: Side) -> Channel:
    """Return a side as an explicit channel; a protocol in rationals.

    Raises:
        InputError: If a protocol is not exact, so that no matrix of rationals is its channel.
    """
    if isinstance(side, Channel):
        return side
    if not side.is_exact:
        raise InputError(
            f"Against a matrix a protocol must be exact, but {side.spec} is not: give exp_epsilon, a rational e^ε."
        )
    return expand(side.exact_profile())
