"""Certificates of a deficiency: two protocols, two numbers, and a proof of each. Nothing in them is believed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from qifldp.errors import InputError
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import (
    SCHEMA_VERSION,
    check_form,
    load_document,
    read_side,
    save_document,
    side_json,
)
from qifldp.refinement.proofs import Bets, SubFlow, decimal_text, proof_json, read_number, read_proof

KIND = "deficiency-certificate"


@dataclass(frozen=True)
class DeficiencyCertificate:
    """A bracket of the Le Cam deficiency δ(A → B) = min over W of max over x of TV((A·W)_x, B_x), with its proofs.

    Attributes:
        original: A.
        refined: B, over the same domain.
        least: δ is above this.
        most: δ is below this.
        bets: An adversary who, with gains scaled to [0, 1], gains at least ``least`` more from B than from A.
        flow: A garbling W of A, perhaps only a part of one, from which B is less than ``most`` away.
    """

    original: Protocol
    refined: Protocol
    least: Fraction
    most: Fraction
    bets: Bets
    flow: SubFlow

    @property
    def ends(self) -> tuple[float, float]:
        """The bracket as floats, rounded outwards, its lower end at least 0, which a deficiency is anyway."""
        low, high = float(self.least), float(self.most)
        low = low if Fraction(low) <= self.least else math.nextafter(low, -math.inf)
        return max(low, 0.0), high if Fraction(high) >= self.most else math.nextafter(high, math.inf)

    def to_json(self) -> dict[str, object]:
        """Return the certificate as JSON: descriptions, and numbers as exact text."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": KIND,
            "original": side_json(self.original),
            "refined": side_json(self.refined),
            "least": decimal_text(self.least),
            "most": decimal_text(self.most),
            "bets": proof_json(self.bets),
            "flow": proof_json(self.flow),
        }

    @classmethod
    def from_json(cls, document: object) -> DeficiencyCertificate:
        """Return the certificate that :meth:`to_json` wrote; this checks its form, not its claim.

        Raises:
            InputError: If the document is not a certificate of this kind and version.
        """
        keys = {"schema_version", "kind", "original", "refined", "least", "most", "bets", "flow"}
        document = check_form(document, KIND, keys)
        original, refined = (read_side(document[side]) for side in ("original", "refined"))
        bets, flow = read_proof(document["bets"]), read_proof(document["flow"])
        if not (isinstance(original, Protocol) and isinstance(refined, Protocol)):
            raise InputError("A certificate of a deficiency is about two protocols.")
        if not (isinstance(bets, Bets) and isinstance(flow, SubFlow)):
            raise InputError("The deficiency is shown to be above a number by bets, and below one by a sub_flow.")
        return cls(original, refined, read_number(document["least"]), read_number(document["most"]), bets, flow)

    def save(self, path: str | Path) -> None:
        """Write the certificate to a JSON file, atomically."""
        save_document(self.to_json(), path)

    @classmethod
    def load(cls, path: str | Path) -> DeficiencyCertificate:
        """Read a certificate from a JSON file.

        Raises:
            InputError: If the file cannot be read or does not hold a certificate.
        """
        return cls.from_json(load_document(path))
