"""Proofs of refinement and of its contrary, each kind with its JSON form. Nothing in them is believed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from qifldp.errors import InputError, shown
from qifldp.exact.budget import parse_rational
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import protocol_from_json

MOST_ENTRIES = 10**6
"""Flows or bets that a certificate holds at most."""


LONGEST_NUMBER = 8_000
"""Characters of a fraction in a proof: the only witness of a 100 × 100 matrix of doubles has some 7,000."""

_FRACTION = re.compile(r"-?[0-9]{1,4000}/[0-9]{1,4000}")


@dataclass(frozen=True)
class Identical:
    """Both descriptions are one: the witness is the identity."""

    kind = "identical"


@dataclass(frozen=True)
class EqualRatio:
    """Both have one ρ, and A has at least the mass of B at every size 1..k−1 (docs/explanation/refinement.md)."""

    kind = "equal_ratio"


@dataclass(frozen=True)
class Bitwise:
    """Both reports have independent members, and A's channel of one bit is refined to B's (paper, Lemmas 1 and 4)."""

    kind = "bitwise"


@dataclass(frozen=True)
class OneSize:
    """One side's reports have one size, so that a few inequalities decide (docs/explanation/refinement.md)."""

    kind = "one_size"


@dataclass(frozen=True)
class Chain:
    """Refinement by way of a third protocol: A ⊑ V and V ⊑ B, each with a proof.

    Attributes:
        via: V.
        first: Proof of A ⊑ V.
        second: Proof of V ⊑ B.
    """

    via: Protocol
    first: EqualRatio | Bitwise | OneSize
    second: EqualRatio | Bitwise | OneSize
    kind = "chain"


@dataclass(frozen=True)
class SubFlow:
    """Shares φ: of B's mass at size w', φ(w, w') comes from A's sets of size w, aligned as well as can be.

    Attributes:
        shares: Triples (w, w', φ).
    """

    shares: tuple[tuple[int, int, Fraction], ...]
    kind = "sub_flow"


@dataclass(frozen=True)
class Reach:
    """For the max-case order: at each size w' of B, a size w of A whose posteriors reach as far.

    Attributes:
        pairs: Pairs (w', w).
    """

    pairs: tuple[tuple[int, int], ...]
    kind = "reach"


@dataclass(frozen=True)
class Bets:
    """An adversary who may bet on a set S' of w' values: pays ``price``, and wins ``stake`` if the secret is in it.

    They may also abstain. Adding the largest price to every gain makes it a gain function g ≥ 0.

    Attributes:
        offers: Triples (w', stake, price).
    """

    offers: tuple[tuple[int, Fraction, Fraction], ...]
    kind = "bets"

    @property
    def largest_stake(self) -> Fraction:
        """What gains are told in units of; one if nothing can be won."""
        return max((stake for _, stake, _ in self.offers), default=Fraction(0)) or Fraction(1)


@dataclass(frozen=True)
class Witness:
    """A row-stochastic W with A·W = B, for explicit channels.

    In the max-case order any W ≥ 0 with A·W = B will do, whose rows need not sum to one: then each column of B lies in
    the cone of A's columns, so each posterior of B in the convex hull of A's.

    Attributes:
        rows: W, a row an output of A, a column an output of B.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    kind = "witness"


@dataclass(frozen=True)
class NearWitness:
    """A witness W that is not written out, but known to lie near a given W₀: that of floats has thousands of digits.

        W = W₀ + R (A·R)⁻¹ Δ,    Δ = B − A·W₀

    Let e = ‖I − A·R‖, the largest absolute row sum. If e < 1, then A·R has an inverse, of norm at most 1/(1 − e), and
    A·W = B. If rows of W₀ sum to one, so do those of W, for Δ·1 = B·1 − A·W₀·1 = 0. And W ≥ 0 if at every (y, z)

        Σ_x |R[y, x]| · max_x |Δ[x, z]| ≤ (1 − e) W₀[y, z]

    since the left is at least (1 − e) |W − W₀|[y, z].

    Attributes:
        rows: W₀, of the shape of W.
        right_inverse: R, roughly a right inverse of A: a row an output of A, a column a secret.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    right_inverse: tuple[tuple[Fraction, ...], ...]
    kind = "near_witness"


@dataclass(frozen=True)
class GainMatrix:
    """A gain function, under the uniform prior, from which an adversary gains more after B than after A.

    In the max-case order: more after the luckiest report of B, max over w and y of Σ_x g(w, x) δ_y(x), where δ_y is the
    posterior after y. One action says as much as many.

    Attributes:
        rows: g, a row an action, a column a secret, entries ≥ 0.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    kind = "gain"


Proof: TypeAlias = (
    Identical | EqualRatio | Bitwise | OneSize | Chain | SubFlow | Reach | Bets | Witness | NearWitness | GainMatrix
)
CLOSED = (EqualRatio, Bitwise, OneSize)
"""Proofs without a witness."""


def read_table(rows: object) -> tuple[tuple[Fraction, ...], ...]:
    """Return a matrix of exact numbers.

    Raises:
        InputError: If it is not rectangular, not of numbers as text, or too large.
    """
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise InputError("A matrix in a certificate must be a list of rows.")
    if len({len(row) for row in rows}) > 1 or len(rows) * len(rows[0]) > MOST_ENTRIES:
        raise InputError(f"A matrix in a certificate must be rectangular, of at most {MOST_ENTRIES:,} entries.")
    return tuple(tuple(read_number(entry) for entry in row) for row in rows)


def proof_json(proof: Proof) -> dict[str, object]:
    """Return a proof as JSON, numbers as exact text."""
    if isinstance(proof, SubFlow):
        return {"kind": proof.kind, "shares": [[w, v, decimal_text(share)] for w, v, share in proof.shares]}
    if isinstance(proof, Chain):
        first, second = proof_json(proof.first), proof_json(proof.second)
        return {"kind": proof.kind, "via": proof.via.to_json(), "first": first, "second": second}
    if isinstance(proof, Reach):
        return {"kind": proof.kind, "pairs": [[v, w] for v, w in proof.pairs]}
    if isinstance(proof, Bets):
        return {
            "kind": proof.kind,
            "offers": [[v, decimal_text(stake), decimal_text(price)] for v, stake, price in proof.offers],
        }
    if isinstance(proof, NearWitness):
        return {
            "kind": proof.kind,
            "matrix": _decimals(proof.rows),
            "right_inverse": _decimals(proof.right_inverse),
        }
    if isinstance(proof, Witness | GainMatrix):
        return {"kind": proof.kind, "matrix": [[str(entry) for entry in row] for row in proof.rows]}
    return {"kind": proof.kind}


def _decimals(rows: tuple[tuple[Fraction, ...], ...]) -> list[list[str]]:
    return [[decimal_text(entry) for entry in row] for row in rows]


def decimal_text(value: Fraction) -> str:
    """Return an exact number as whole digits and a power of ten where it is one, else as a fraction."""
    digits, scale = value.denominator, 0
    while digits % 10 == 0:
        digits, scale = digits // 10, scale + 1
    for factor in (2, 5):
        while digits % factor == 0:
            digits, scale = digits // factor, scale + 1
    return f"{value * 10**scale}e-{scale}" if digits == 1 and 0 < scale < 1000 else str(value)


def read_proof(document: object) -> Proof:
    """Return the proof that :func:`proof_json` wrote.

    Raises:
        InputError: If the document is none.
    """
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise InputError("The proof of a certificate must name its kind.")
    simple: dict[str, Proof] = {proof.kind: proof for proof in (Identical(), EqualRatio(), Bitwise(), OneSize())}
    kind = document["kind"]
    if kind in simple and set(document) == {"kind"}:
        return simple[kind]
    if kind == Chain.kind and set(document) == {"kind", "via", "first", "second"}:
        return _chain(document)
    if kind == SubFlow.kind and set(document) == {"kind", "shares"}:
        return SubFlow(tuple((_size(w), _size(v), read_number(x)) for w, v, x in _entries(document["shares"], 3)))
    if kind == Reach.kind and set(document) == {"kind", "pairs"}:
        return Reach(tuple((_size(v), _size(w)) for v, w in _entries(document["pairs"], 2)))
    if kind == Bets.kind and set(document) == {"kind", "offers"}:
        return Bets(tuple((_size(v), read_number(x), read_number(y)) for v, x, y in _entries(document["offers"], 3)))
    if kind == NearWitness.kind and set(document) == {"kind", "matrix", "right_inverse"}:
        return NearWitness(read_table(document["matrix"]), read_table(document["right_inverse"]))
    for matrix in (Witness, GainMatrix):
        if kind == matrix.kind and set(document) == {"kind", "matrix"}:
            return matrix(read_table(document["matrix"]))
    raise InputError(f"The proof of the certificate is of no known kind or form: {shown(kind)}.")


def _chain(document: dict[str, object]) -> Chain:
    first, second = read_proof(document["first"]), read_proof(document["second"])
    if not (isinstance(first, CLOSED) and isinstance(second, CLOSED)):
        raise InputError(f"The parts of a chain must be of kind {', '.join(part.kind for part in CLOSED)}.")
    return Chain(protocol_from_json(document["via"]), first, second)


def _entries(rows: object, length: int) -> list[list[object]]:
    if not isinstance(rows, list) or len(rows) > MOST_ENTRIES:
        raise InputError(f"A proof must be a list of at most {MOST_ENTRIES:,} entries.")
    if not all(isinstance(row, list) and len(row) == length for row in rows):
        raise InputError(f"Each entry of this proof must be a list of {length}.")
    return rows


def _size(value: object) -> int:
    if type(value) is not int or not 0 <= value <= 10**9:
        raise InputError.expected("A size in a proof", "a whole number", value)
    return value


def read_number(value: object) -> Fraction:
    """Return an exact number of a certificate.

    Raises:
        InputError: If it is not text of one.
    """
    if not isinstance(value, str) or not value.isascii() or value != value.strip():
        raise InputError.expected("A number in a proof", 'exact text such as "1/3"', value)
    if _FRACTION.fullmatch(value) and len(value) <= LONGEST_NUMBER:
        top, _, bottom = value.partition("/")
        if bottom.strip("0"):
            return Fraction(int(top), int(bottom))
    return parse_rational(value, "a number in a proof")
