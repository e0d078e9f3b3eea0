"""Public mixtures (MIX): a coin that everybody sees chooses the protocol of a report, or that nothing is reported."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from operator import itemgetter

import numpy as np
from flint import arb

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import ExactProfile
from qifldp.channels.profile import Profile
from qifldp.collection.entropy import WORD
from qifldp.collection.mechanism import DirectMechanism
from qifldp.collection.mixture import MOST_PARTS, MixMechanism
from qifldp.errors import InputError, TooLargeError, shown
from qifldp.exact.balls import nearest_float
from qifldp.exact.budget import Budget, parse_rational, show_rational
from qifldp.exact.fields import RATIONALS, Field, Number, Ordered
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.protocol import LARGEST_MATRIX, BudgetedProtocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, SUE

COMPONENTS: dict[str, type[BudgetedProtocol]] = {
    "grr": GRR, "ss": SS, "blh": BLH, "olh": OLH, "lh": LH, "sue": SUE, "oue": OUE,
}  # fmt: skip
"""What can be mixed: the protocols whose likelihood ratio ρ is e^ε, so that the mixture has one ρ."""

NUMBERS = {"ss": "omega", "lh": "g"}
"""The parameter that follows the ``@`` of a component."""

KNOWN = "grr, ss, ss@ω, blh, olh, lh@g, sue and oue"

FORM = "written WEIGHT*PROTOCOL, joined by +, such as 0.3*ss@2+0.7*ss@3"

LARGEST_DENOMINATOR = 10**100
"""Of a weight: it can then be read back from its text."""

SILENT = "silent"
"""Label of the output that says nothing."""


@dataclass(frozen=True)
class Part:
    """One of the protocols that a mixture chooses from.

    Attributes:
        weight: The chance that it is chosen.
        written: The component as text, such as ``ss@2``; ``ss`` and ``olh`` take their ω and g from the budget.
        protocol: The protocol that this is.
    """

    weight: Fraction
    written: str
    protocol: BudgetedProtocol

    @property
    def is_rounded(self) -> bool:
        """Whether the component has a number that follows from the budget."""
        return self.written in ("ss", "olh")


@dataclass(frozen=True, init=False, repr=False)
class Mix(BudgetedProtocol):
    """A public mixture: with weight a_i report by the i-th protocol, and say which; with what is left say nothing.

        μ[w] = Σ_i a_i μ_i[w],  ρ = e^ε    p = Σ_i a_i p_i,  q = Σ_i a_i q_i

    The choice does not depend on the value, so the tight ε is that of the parts. Every point of the frontier of
    Bayes capacity and accuracy is such a mixture of at most two subset selections, or of one and silence.

    Attributes:
        parts: The protocols with their weights, in the order in which they were given.
    """

    name = "MIX"

    parts: tuple[Part, ...]

    def __init__(self, domain_size: int, epsilon: object = None, *, exp_epsilon: object = None, parts: str) -> None:
        """Describe the mixture.

        Args:
            domain_size: Number of values k, at least 2.
            epsilon: ε in nats, of every part.
            exp_epsilon: e^ε, in place of ε.
            parts: ``WEIGHT*PROTOCOL`` joined by ``+``: ``0.3*ss@2+0.7*ss@3``. Weights are exact (``0.3``, ``1/3``),
                positive, of sum at most 1. Protocols are ``grr``, ``ss@ω``, ``blh``, ``olh``, ``lh@g``, ``sue`` and
                ``oue``, and ``ss`` for the ω that suits the budget; each once, at most sixteen.

        Raises:
            InputError: If the domain size or the budget is out of range, or the parts are not so written.
        """
        super().__init__(domain_size, epsilon, exp_epsilon=exp_epsilon)
        object.__setattr__(self, "parts", _read(parts, self.domain_size, self.budget))

    @property
    def silence(self) -> Fraction:
        """The chance of a report that says nothing."""
        return 1 - sum((part.weight for part in self.parts), Fraction(0))

    @property
    def weights(self) -> dict[BudgetedProtocol, Fraction]:
        """The chance of each protocol."""
        found: dict[BudgetedProtocol, Fraction] = {}
        for part in self.parts:
            found[part.protocol] = found.get(part.protocol, Fraction(0)) + part.weight
        return found

    @property
    def parameters(self) -> dict[str, str]:
        return super().parameters | {"parts": _text({part.written: part.weight for part in self.parts})}

    @property
    def default_range(self) -> tuple[float | None, float | None]:
        ranges = [part.protocol.default_range for part in self.parts if part.is_rounded]
        starts = [start for start, _ in ranges if start is not None]
        ends = [end for _, end in ranges if end is not None]
        return max(starts, default=None), min(ends, default=None)

    def at(self, budget: Budget) -> Mix:
        fixed: dict[str, Fraction] = {}
        for part in self.parts:
            written = _with_number(part.protocol)
            fixed[written] = fixed.get(written, Fraction(0)) + part.weight
        return Mix(self.domain_size, budget, parts=_text(fixed))

    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        p = q = field.number(0)
        for part in self.parts:
            weight, (present, absent) = field.number(part.weight), part.protocol.support_probabilities(field)
            p, q = p + weight * present, q + weight * absent
        return p, q

    @cached_property
    def profile(self) -> Profile:
        def ratio() -> arb:
            return self.budget.ball()

        logs = [(_log(part.weight), part.protocol.profile) for part in self.parts]
        sizes = np.unique(np.concatenate([profile.sizes for _, profile in logs]))
        if self.silence:
            sizes = np.union1d(sizes, [0])
        log_mass = np.full(len(sizes), -np.inf)
        for log_weight, profile in logs:
            places = np.searchsorted(sizes, profile.sizes)
            log_mass[places] = np.logaddexp(log_mass[places], log_weight + profile.log_mass)
        if self.silence:
            log_mass[0] = np.logaddexp(log_mass[0], _log(self.silence))
        return Profile(self.domain_size, nearest_float(ratio), sizes, log_mass)

    def exact_profile(self, field: Field[Ordered] = RATIONALS) -> ExactProfile[Ordered]:  # type: ignore[assignment]
        masses: dict[int, Ordered] = {0: field.number(self.silence)} if self.silence else {}
        for part in self.parts:
            weight = field.number(part.weight)
            for size, mass in part.protocol.exact_profile(field).mass:
                masses[size] = masses.get(size, field.number(0)) + weight * mass
        ordered = tuple(sorted(masses.items(), key=itemgetter(0)))
        return ExactProfile(self.domain_size, self.exp_epsilon(field), ordered, field)

    def channel(self) -> Channel:
        columns, labels, cells = [], [], 0
        for place, part in enumerate(self.parts):
            try:
                found = part.protocol.channel()
            except TooLargeError:
                raise self._too_large() from None
            cells += found.matrix.size
            if cells > LARGEST_MATRIX:
                raise self._too_large()
            columns.append(
                part.weight * found.matrix if self.is_exact else float(part.weight) * found.to_float().matrix
            )
            labels += [f"{place}:{label}" for label in found.outputs]
        if self.silence:
            nothing = self.silence if self.is_exact else float(self.silence)
            columns.append(np.full((self.domain_size, 1), nothing))
            labels.append(SILENT)
        return Channel(np.concatenate(columns, axis=1), outputs=labels, normalize=not self.is_exact)

    def _too_large(self) -> TooLargeError:
        return TooLargeError(f"The channel of {self.name} over {self.domain_size} values is too large to write out.")

    @cached_property
    def mechanism(self) -> MixMechanism:
        parts = []
        for part in self.parts:
            mechanism = part.protocol.mechanism
            assert isinstance(mechanism, DirectMechanism)
            parts.append(mechanism)
        ends = [math.floor(total * WORD) for total in accumulate(part.weight for part in self.parts)]
        chances = tuple(end - start for start, end in pairwise([0, *ends]))
        if not all(chances):
            raise InputError("This mixture cannot be run: a weight is below 2^-64, the unit in which parts are drawn.")
        return MixMechanism(self.domain_size, tuple(parts), chances)

    @property
    def report_bytes(self) -> int | None:
        sizes = [part.protocol.report_bytes for part in self.parts]
        known = [size for size in sizes if size is not None]
        return 1 + max(known) if len(known) == len(sizes) else None


def _read(text: object, domain_size: int, budget: Budget) -> tuple[Part, ...]:
    """Return the parts that a text names.

    Raises:
        InputError: If it names none, or not as it has to.
    """
    if not isinstance(text, str) or not text.strip():
        raise InputError.expected("parts", FORM, text)
    pieces = text.split("+")
    if len(pieces) > MOST_PARTS:
        raise InputError.expected("The parts of a mixture", f"at most {MOST_PARTS}", len(pieces))
    parts = [_part(piece, domain_size, budget) for piece in pieces]
    for place, part in enumerate(parts):
        if any(part.written == other.written for other in parts[:place]):
            raise InputError(f"The part {part.written} of a mixture is given twice: add up its weights.")
    total = sum((part.weight for part in parts), Fraction(0))
    if total > 1:
        raise InputError.expected("The sum of the weights of a mixture", "at most 1", show_rational(total))
    return tuple(parts)


def _part(piece: str, domain_size: int, budget: Budget) -> Part:
    weight_text, star, component = (side.strip() for side in piece.partition("*"))
    if not star or not component:
        raise InputError.expected("A part of a mixture", FORM, piece.strip())
    weight = parse_rational(weight_text, "A weight of a mixture")
    if weight <= 0:
        raise InputError.expected("A weight of a mixture", "above 0", weight_text)
    if weight.denominator > LARGEST_DENOMINATOR:
        raise InputError.expected("A weight of a mixture", "a fraction of numbers of at most 100 digits", weight_text)
    name, at, number = (side.strip().lower() for side in component.partition("@"))
    if name in ("the", "ue"):
        raise InputError(f"{name.upper()} is no part of a mixture: its likelihood ratio is not e^ε. Parts are {KNOWN}.")
    if name not in COMPONENTS:
        raise InputError(f"There is no part of a mixture called {shown(name)}: parts are {KNOWN}.")
    key = NUMBERS.get(name)
    if at and key is None:
        raise InputError.expected(f"The part {name} of a mixture", "written without @", component)
    if name == "lh" and not at:
        raise InputError("The part lh of a mixture needs its number of buckets: write lh@4.")
    make: Callable[..., BudgetedProtocol] = COMPONENTS[name]
    protocol = make(domain_size, budget, **({key: number} if at and key else {}))
    return Part(weight, _with_number(protocol) if at else name, protocol)


def _with_number(protocol: BudgetedProtocol) -> str:
    """Return a component as text that means the same at every budget."""
    if isinstance(protocol, SS) and not isinstance(protocol, GRR):
        return f"ss@{protocol.omega}"
    if isinstance(protocol, LH) and not isinstance(protocol, BLH):
        return f"lh@{protocol.buckets}"
    return protocol.name.lower()


def _text(weights: dict[str, Fraction]) -> str:
    return "+".join(f"{show_rational(weight)}*{written}" for written, weight in weights.items())


def _log(weight: Fraction) -> float:
    return math.log(weight.numerator) - math.log(weight.denominator)
