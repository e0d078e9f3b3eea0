"""Certificates of refinement: two descriptions, a verdict, and the evidence for it. Nothing in them is believed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from qifldp.channels.channel import Channel
from qifldp.channels.files import to_json as channel_to_json
from qifldp.errors import InputError, shown
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import protocol_from_json
from qifldp.refinement.proofs import Proof, proof_json, read_proof, read_table
from qifldp.storage import no_key_twice, read_text, write_atomically

SCHEMA_VERSION = 1
KIND = "refinement-certificate"

Verdict = Literal["refines", "does_not_refine"]
Order = Literal["average", "max"]

Side: TypeAlias = Protocol | Channel
"""What a certificate is about: a protocol, or an explicit channel of exact rationals."""


def same_secrets(original: Channel, refined: Channel) -> bool:
    """Whether two channels have rows of the same names in the same order, or one of them does not name its rows.

    Rows called 0, 1, …, in this order, count as not named, unless the other side has the same names in another order.
    """
    places = tuple(map(str, range(original.domain_size)))
    if set(original.inputs) == set(refined.inputs):
        return original.inputs == refined.inputs
    return places in (original.inputs, refined.inputs)


def in_order_of(original: Channel, refined: Channel) -> Channel:
    """Return the refined channel with its rows in the order of the original's, if both name their secrets.

    Raises:
        InputError: If they name different secrets.
    """
    if same_secrets(original, refined):
        return refined
    if set(original.inputs) != set(refined.inputs):
        raise InputError("The two channels name different secrets in their rows.")
    place = {label: row for row, label in enumerate(refined.inputs)}
    rows = [refined.matrix[place[label]] for label in original.inputs]
    return Channel(rows, inputs=original.inputs, outputs=refined.outputs)


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
            "original": side_json(self.original),
            "refined": side_json(self.refined),
            "proof": proof_json(self.proof),
        }

    @classmethod
    def from_json(cls, document: object) -> Certificate:
        """Return the certificate that :meth:`to_json` wrote; this checks its form, not its claim.

        Raises:
            InputError: If the document is not a certificate of this version.
        """
        keys = {"schema_version", "kind", "order", "verdict", "original", "refined", "proof"}
        document = check_form(document, KIND, keys)
        order, verdict = document["order"], document["verdict"]
        if order not in ("average", "max"):
            raise InputError.expected("order of the certificate", "average or max", order)
        if verdict not in ("refines", "does_not_refine"):
            raise InputError.expected("verdict of the certificate", "refines or does_not_refine", verdict)
        original, refined = (read_side(document[side]) for side in ("original", "refined"))
        return cls(original, refined, verdict, read_proof(document["proof"]), order)

    def save(self, path: str | Path) -> None:
        """Write the certificate to a JSON file, atomically."""
        save_document(self.to_json(), path)

    @classmethod
    def load(cls, path: str | Path) -> Certificate:
        """Read a certificate from a JSON file.

        Raises:
            InputError: If the file cannot be read or does not hold a certificate.
        """
        return cls.from_json(load_document(path))


def save_document(document: dict[str, object], path: str | Path) -> None:
    """Write a JSON document to a file, atomically."""
    text = json.dumps(document, indent=1) + "\n"

    def write(file: Path) -> None:
        file.write_text(text, encoding="utf-8")

    write_atomically(path, write)


def load_document(path: str | Path) -> object:
    """Return the JSON document of a file: whole numbers and text, no key twice in one object.

    Raises:
        InputError: If the file cannot be read or does not hold such a document.
    """
    try:
        return json.loads(
            read_text(path), parse_constant=_no_constant, parse_float=_no_constant, object_pairs_hook=no_key_twice
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"The certificate is not JSON of whole numbers and text: {shown(str(error), 120)}.") from None


def check_form(document: object, kind: str, keys: set[str]) -> dict[str, object]:
    """Return a certificate's document if it has exactly these keys, this kind, and the version of this program.

    Raises:
        InputError: If not.
    """
    if not isinstance(document, dict) or set(document) != keys:
        raise InputError(f"A certificate must have exactly: {', '.join(sorted(keys))}.")
    if _not_this_version(document):
        raise InputError.expected("schema_version of the certificate", str(SCHEMA_VERSION), document["schema_version"])
    if document["kind"] != kind:
        raise InputError.expected("kind of the certificate", kind, document["kind"])
    return document


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not exact")


def _not_this_version(document: dict[str, object]) -> bool:
    version = document["schema_version"]
    return type(version) is not int or version != SCHEMA_VERSION


def side_json(side: Side) -> dict[str, object]:
    """Return the description of one side as JSON."""
    return side.to_json() if isinstance(side, Protocol) else channel_to_json(side)


def read_side(document: object) -> Side:
    """Return the side that :func:`side_json` described.

    Raises:
        InputError: If the document describes none.
    """
    if not isinstance(document, dict) or document.get("kind") != "channel":
        protocol = protocol_from_json(document)
        if protocol.to_json() != document:  # defaults left out, or digits of another script
            raise InputError(f"A protocol in a certificate must be written out in full: {shown(protocol.spec)}.")
        return protocol
    keys = {"schema_version", "kind", "inputs", "outputs", "matrix"}
    if set(document) != keys or _not_this_version(document):
        raise InputError(f"A channel in a certificate must have exactly: {', '.join(sorted(keys))}.")
    for labels in (document["inputs"], document["outputs"]):
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InputError("The labels of a channel in a certificate must be text.")
    return Channel(read_table(document["matrix"]), inputs=document["inputs"], outputs=document["outputs"])
