"""Certificates of refinement: two descriptions, a verdict, and the evidence for it. Nothing in them is believed."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

from qifldp.channels.channel import Channel
from qifldp.channels.files import to_json as channel_to_json
from qifldp.errors import InputError, shown
from qifldp.exact.budget import parse_rational
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import protocol_from_json
from qifldp.storage import read_text, write_atomically

SCHEMA_VERSION = 1
KIND = "refinement-certificate"

Verdict = Literal["refines", "does_not_refine"]
Order = Literal["average", "max"]

MOST_ENTRIES = 10**6
"""Flows or bets that a certificate holds at most."""


LONGEST_NUMBER = 8_000
"""Characters of a fraction in a proof: the only witness of a 100 × 100 matrix of doubles has some 7,000."""

_FRACTION = re.compile(r"-?\d{1,4000}/\d{1,4000}")


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


@dataclass(frozen=True)
class Witness:
    """A row-stochastic W with A·W = B, for explicit channels.

    Attributes:
        rows: W, a row an output of A, a column an output of B.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    kind = "witness"


@dataclass(frozen=True)
class GainMatrix:
    """A gain function, under the uniform prior, from which an adversary gains more after B than after A.

    Attributes:
        rows: g, a row an action, a column a secret, entries ≥ 0.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    kind = "gain"


Proof: TypeAlias = Identical | EqualRatio | Bitwise | SubFlow | Reach | Bets | Witness | GainMatrix
Side: TypeAlias = Protocol | Channel
"""What a certificate is about: a protocol, or an explicit channel of exact rationals."""


@dataclass(frozen=True)
class Certificate:
    """A verdict on original ⊑ refined, with its proof.

    Attributes:
        original: A, the channel that is garbled.
        refined: B, the channel that is safer, if the verdict is ``refines``.
        verdict: ``refines`` or ``does_not_refine``.
        proof: Witness or counterexample.
        order: ``average`` (refinement), or ``max``: no adversary gains more from their luckiest report.
    """

    original: Side
    refined: Side
    verdict: Verdict
    proof: Proof
    order: Order = "average"

    def to_json(self) -> dict[str, object]:
        """Return the certificate as JSON: descriptions, and numbers as exact text."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": KIND,
            "order": self.order,
            "verdict": self.verdict,
            "original": _side_json(self.original),
            "refined": _side_json(self.refined),
            "proof": _proof_json(self.proof),
        }

    @classmethod
    def from_json(cls, document: object) -> Certificate:
        """Return the certificate that :meth:`to_json` wrote; this checks its form, not its claim.

        Raises:
            InputError: If the document is not a certificate of this version.
        """
        keys = {"schema_version", "kind", "order", "verdict", "original", "refined", "proof"}
        if not isinstance(document, dict) or set(document) != keys:
            raise InputError(f"A certificate must have exactly: {', '.join(sorted(keys))}.")
        if type(document["schema_version"]) is not int or document["schema_version"] != SCHEMA_VERSION:
            raise InputError.expected(
                "schema_version of the certificate", str(SCHEMA_VERSION), document["schema_version"]
            )
        if document["kind"] != KIND:
            raise InputError.expected("kind of the certificate", KIND, document["kind"])
        order, verdict = document["order"], document["verdict"]
        if order not in ("average", "max"):
            raise InputError.expected("order of the certificate", "average or max", order)
        if verdict not in ("refines", "does_not_refine"):
            raise InputError.expected("verdict of the certificate", "refines or does_not_refine", verdict)
        original, refined = (_side(document[side]) for side in ("original", "refined"))
        return cls(original, refined, verdict, _proof(document["proof"]), order)

    def save(self, path: str | Path) -> None:
        """Write the certificate to a JSON file, atomically."""
        text = json.dumps(self.to_json(), indent=1) + "\n"

        def write(file: Path) -> None:
            file.write_text(text, encoding="utf-8")

        write_atomically(path, write)

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a JSON file.

        Raises:
            InputError: If the file cannot be read or does not hold a certificate.
        """
        try:
            document = json.loads(read_text(path), parse_constant=_no_constant, parse_float=_no_constant)
        except (ValueError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(
                f"The certificate is not JSON of whole numbers and text: {shown(str(error), 120)}."
            ) from None
        return cls.from_json(document)


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not exact")


def _side_json(side: Side) -> dict[str, object]:
    return side.to_json() if isinstance(side, Protocol) else channel_to_json(side)


def _side(document: object) -> Side:
    if not isinstance(document, dict) or document.get("kind") != "channel":
        return protocol_from_json(document)
    keys = {"schema_version", "kind", "inputs", "outputs", "matrix"}
    if set(document) != keys or document["schema_version"] != SCHEMA_VERSION:
        raise InputError(f"A channel in a certificate must have exactly: {', '.join(sorted(keys))}.")
    for labels in (document["inputs"], document["outputs"]):
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InputError("The labels of a channel in a certificate must be text.")
    return Channel(_table(document["matrix"]), inputs=document["inputs"], outputs=document["outputs"])


def _table(rows: object) -> tuple[tuple[Fraction, ...], ...]:
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise InputError("A matrix in a certificate must be a list of rows.")
    if len({len(row) for row in rows}) > 1 or len(rows) * len(rows[0]) > MOST_ENTRIES:
        raise InputError(f"A matrix in a certificate must be rectangular, of at most {MOST_ENTRIES:,} entries.")
    return tuple(tuple(_number(entry) for entry in row) for row in rows)


def _proof_json(proof: Proof) -> dict[str, object]:
    if isinstance(proof, SubFlow):
        return {"kind": proof.kind, "shares": [[w, v, decimal_text(share)] for w, v, share in proof.shares]}
    if isinstance(proof, Reach):
        return {"kind": proof.kind, "pairs": [[v, w] for v, w in proof.pairs]}
    if isinstance(proof, Bets):
        return {
            "kind": proof.kind,
            "offers": [[v, decimal_text(stake), decimal_text(price)] for v, stake, price in proof.offers],
        }
    if isinstance(proof, Witness | GainMatrix):
        return {"kind": proof.kind, "matrix": [[str(entry) for entry in row] for row in proof.rows]}
    return {"kind": proof.kind}


def decimal_text(value: Fraction) -> str:
    """Return an exact number as whole digits and a power of ten where it is one, else as a fraction."""
    digits, scale = value.denominator, 0
    while digits % 10 == 0:
        digits, scale = digits // 10, scale + 1
    for factor in (2, 5):
        while digits % factor == 0:
            digits, scale = digits // factor, scale + 1
    return f"{value * 10**scale}e-{scale}" if digits == 1 and 0 < scale < 1000 else str(value)


def _proof(document: object) -> Proof:
    if not isinstance(document, dict) or not isinstance(document.get("kind"), str):
        raise InputError("The proof of a certificate must name its kind.")
    simple: dict[str, Proof] = {"identical": Identical(), "equal_ratio": EqualRatio(), "bitwise": Bitwise()}
    kind = document["kind"]
    if kind in simple and set(document) == {"kind"}:
        return simple[kind]
    if kind == SubFlow.kind and set(document) == {"kind", "shares"}:
        return SubFlow(tuple((_size(w), _size(v), _number(x)) for w, v, x in _entries(document["shares"], 3)))
    if kind == Reach.kind and set(document) == {"kind", "pairs"}:
        return Reach(tuple((_size(v), _size(w)) for v, w in _entries(document["pairs"], 2)))
    if kind == Bets.kind and set(document) == {"kind", "offers"}:
        return Bets(tuple((_size(v), _number(x), _number(y)) for v, x, y in _entries(document["offers"], 3)))
    for matrix in (Witness, GainMatrix):
        if kind == matrix.kind and set(document) == {"kind", "matrix"}:
            return matrix(_table(document["matrix"]))
    raise InputError(f"The proof of the certificate is of no known kind or form: {shown(kind)}.")


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


def _number(value: object) -> Fraction:
    if not isinstance(value, str):
        raise InputError.expected("A number in a proof", 'exact text such as "1/3"', value)
    if _FRACTION.fullmatch(value) and len(value) <= LONGEST_NUMBER:
        top, _, bottom = value.partition("/")
        if bottom.strip("0"):
            return Fraction(int(top), int(bottom))
    return parse_rational(value, "a number in a proof")
