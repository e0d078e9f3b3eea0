"""VI-B on whole protocols: OUE against THE (Cor. 1), the max-case order (Cor. 3)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import permutations, product

from qifldp.channels.channel import Channel
from qifldp.exact.balls import certain_floor
from qifldp.proofs.checks import Decided, Question
from qifldp.proofs.claim import Claim, listed
from qifldp.proofs.ledger.thresholds import at
from qifldp.proofs.terms import Bit, bit_of, variables
from qifldp.protocols.local_hashing import BLH
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.certificate import Order

ABOVE_AT = (2, 3, 10, 50)
"""Domain sizes at which one-hot refinement is decided just above the threshold of Lemma 10."""

JUST_ABOVE = (("0.4", "0.76"), ("0.8", "0.8"), ("2", "0.902"), ("4", "0.976"))
"""ε and θ."""


def _above_threshold() -> Iterator[Question]:
    for k, (epsilon, theta) in product(ABOVE_AT, JUST_ABOVE):
        yield Question(OUE(k, epsilon), THE(k, epsilon, theta=theta))


ONE_HOT = {3: "0.66409", 4: "0.74975", 6: "0.79207"}
"""By domain size, the θ around which one-hot OUE begins to be refined to THE at ε = 0.8, to five digits."""

LAST_AWAY, NEAR = 12, (13, 14, 20, 50)
"""The last domain size that refines a hundred-thousandth below the bits' threshold as well, and some that do not."""


def _one_hot_thresholds(same_as_bits: bool) -> Iterator[Question]:
    """At ε = 0.8: one-hot refinement on both sides of its edges; altered: nowhere below the threshold of bits."""
    half, below = Fraction(1, 200_000), Fraction(1, 100_000)
    for k, edge in ONE_HOT.items():
        for theta, holds in ((Fraction(edge) + half, True), (Fraction(edge) - half, False)):
            yield Question(OUE(k, "0.8"), THE(k, "0.8", theta=theta), holds=holds and not same_as_bits)
    place = Fraction(certain_floor(lambda: at("0.8")() * 10**9), 10**9) - below
    for k in (LAST_AWAY, *NEAR):
        yield Question(OUE(k, "0.8"), THE(k, "0.8", theta=place), holds=k == LAST_AWAY and not same_as_bits)


CONVERSE_AT = (Fraction(2), Fraction(10))
"""The e^{ε/2} at which the converse of Cor. 3 fails; bits are rational there."""


def _bit(bit: Bit, root: Fraction) -> Channel:
    return Channel([[entry.at([root]) for entry in row] for row in bit.rows])


def _one_hot_max(holds: bool = True, order: Order = "max") -> Iterator[Question]:
    """SUE, OUE and BLH at one ε: equivalent in the max-case order."""
    for k, root in product((2, 3, 5, 20), CONVERSE_AT):
        for a, b in permutations([kind(k, exp_epsilon=root**2) for kind in (SUE, OUE, BLH)], 2):
            yield Question(a, b, holds=holds, order=order)


def _bits_max() -> Iterator[Question]:
    """Bits of SUE and OUE, which would have to be equivalent too if the converse held."""
    (s,) = variables("s")
    for root in CONVERSE_AT:
        for a, b in permutations([_bit(bit_of(kind, s), root) for kind in (SUE, OUE)], 2):
            yield Question(a, b, order="max")


def _not_bits() -> Iterator[Question]:
    for question in _bits_max():
        yield Question(question.original, question.refined, holds=False, order="max")


def _lifted_max() -> Iterator[Question]:
    """Bits in max-case refinement, and their one-hot forms too."""
    (s,) = variables("s")
    for kind in (SUE, OUE):
        more, less = (_bit(bit_of(kind, s), root) for root in (Fraction(3), Fraction(2)))
        yield Question(more, less, order="max")
        for k in (2, 3, 6):
            yield Question(kind(k, exp_epsilon=9), kind(k, exp_epsilon=4), order="max")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "corollary-1",
        "Cor. 1, VI-B",
        f"From the threshold of Lemma 10 on, O ⊑ T one-hot, for every k (by Lemma 4; checked at k = {listed(ABOVE_AT)}"
        f", ε = {listed(epsilon for epsilon, _ in JUST_ABOVE)} with θ = {listed(theta for _, theta in JUST_ABOVE)} "
        "in turn, just above it); not only from there: at ε = 0.8, where bits need 0.79999, "
        f"it holds 5e-6 above θ = {', '.join(f'{edge} (k = {k})' for k, edge in ONE_HOT.items())} "
        f"and fails 5e-6 below; 1e-5 below the threshold of bits it holds at k = {LAST_AWAY}, "
        f"and fails at k = {listed(NEAR)}.",
        "certified refinement",
        Decided(partial(_one_hot_thresholds, same_as_bits=False)),
        Decided(partial(_one_hot_thresholds, same_as_bits=True)),
        "only from the bits' threshold on",
        "sharpens",
        printed=Decided(_above_threshold),
        stronger=Decided(lambda: [Question(OUE(3, "0.8"), THE(3, "0.8", theta="0.7"))]),
    ),
    Claim(
        "corollary-3",
        "Cor. 3, VI-B",
        "Max-case refinement of bits lifts to one-hot (checked for SUE and OUE from e^ε = 9 to 4 at k = 2, 3, 6); the "
        "converse fails: one-hot SUE, OUE and BLH at one ε are max-case equivalent (checked at k = 2, 3, 5, 20, "
        f"e^ε = {listed(root**2 for root in CONVERSE_AT)}), and of the bits of SUE and OUE neither is max-case "
        "refined to the other (at these e^ε).",
        "certified refinement",
        Decided(_one_hot_max),
        Decided(_bits_max),
        "bits of SUE and OUE are max-case equivalent",
        "sharpens",
        printed=Decided(_lifted_max),
        stronger=Decided(_not_bits),
    ),
)
