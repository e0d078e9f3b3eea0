"""What a client in another language needs to send reports: probabilities as drawn, layouts, and test vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from qifldp.collection.bits import UnaryMechanism
from qifldp.collection.client import SecureClient
from qifldp.collection.entropy import WORD_BITS
from qifldp.collection.hashing import MIX_FIRST, MIX_SECOND, MIX_START, SEED_BYTES, HashMechanism, scatter
from qifldp.collection.mechanism import DirectMechanism, Mechanism
from qifldp.collection.mixture import MixMechanism
from qifldp.collection.reports import FORMAT_VERSION, fingerprint
from qifldp.collection.subsets import SubsetMechanism
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol

SCHEMA_VERSION = 1

MOST_BYTES = 1 << 12
"""Larger reports are packed alike, but are too long for test vectors."""

UNIT = f"2^-{WORD_BITS}"

SEEDS = ((0, 0), (1 << 32, 0), (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03), ((1 << WORD_BITS) - 1, (1 << WORD_BITS) - 1))
"""Seeds of the test vectors of a hash: nothing, pi alone, two odd constants, everything."""

PACKED = "The bit of value x is bit x mod 8 (0 is the lowest) of byte floor(x/8); the bits beyond the last value are 0."


def describe_client(protocol: Protocol) -> dict[str, object]:
    """Return the description of a protocol's client as JSON; numbers of 64 bits are text, since JSON has doubles.

    Raises:
        InputError: If the protocol cannot be run with its parameters.
    """
    mechanism = protocol.mechanism
    document: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "protocol": protocol.name,
        "spec": protocol.spec,
        "domain_size": protocol.domain_size,
        "parameters": protocol.parameters,
        "format": FORMAT_VERSION,
        "fingerprint": fingerprint(protocol),
        "epsilon": protocol.epsilon,
        "tight_epsilon": protocol.tight_epsilon,
        "epsilon_given": SecureClient(protocol).epsilon,
        "probability_unit": UNIT,
    }
    return document | (_mixture(protocol, mechanism) if isinstance(protocol, Mix) else _reporting(mechanism))


def _reporting(mechanism: Mechanism) -> dict[str, Any]:
    """Return what a client needs to draw and pack one report: probabilities, steps, layout and test vectors."""
    document = _chances(mechanism)
    for kind, describe in _KINDS.items():
        if isinstance(mechanism, kind):
            document |= describe(mechanism)
    return document


def _chances(mechanism: Mechanism) -> dict[str, Any]:
    p, q = mechanism.support_chances
    keep = mechanism.keep if isinstance(mechanism, DirectMechanism) else None
    other = mechanism.other if isinstance(mechanism, UnaryMechanism) else None
    return {
        "p": {"words": None if keep is None else str(keep), "fraction": str(p), "value": float(p)},
        "q": {"words": None if other is None else str(other), "fraction": str(q), "value": float(q)},
        "report_bytes": mechanism.width,
    }


def _mixture(protocol: Mix, mechanism: Mechanism) -> dict[str, Any]:
    assert isinstance(mechanism, MixMechanism)
    parts: list[dict[str, Any]] = []
    steps = ["Draw a uniform whole number c below 2^64, without a look at the value: it decides which part reports."]
    vectors: list[dict[str, Any]] = []
    below = 0
    for place, (part, drawn, words) in enumerate(zip(protocol.parts, mechanism.parts, mechanism.chances, strict=True)):
        below += words
        own, spec = _reporting(drawn), part.protocol.spec
        parts.append({"part": place, "spec": spec, "chance": {"words": str(words), "below": str(below)}} | own)
        steps += [f"{'If' if place == 0 else 'Else if'} c < {below}, part {place} reports: {spec}.", *_steps(own)]
        vectors += [_placed(vector, place, mechanism.width) for vector in own["test_vectors"]]
    if mechanism.silence:
        steps.append(f"Else say nothing: the report is the byte {len(parts)} and zeros.")
        nothing = bytes([len(parts)]).ljust(mechanism.width, b"\0").hex()
        vectors.append({"part": len(parts), "members": [], "report": nothing})
    return _chances(mechanism) | {
        "layout": "part and report",
        "layout_words": (
            "The place of the part in one byte, 0 for the first, then the bytes of the part's own report, then zeros."
        ),
        "draw": steps,
        "hash": None,
        "silence": {"words": str(mechanism.silence)},
        "parts": parts,
        "test_vectors": vectors if mechanism.width <= MOST_BYTES else [],
    }


def _steps(own: dict[str, Any]) -> list[str]:
    """Return the steps of one part of a mixture, with the numbers that they name."""
    numbers = [f"{name}.words = {own[name]['words']}" for name in ("p", "q") if own[name]["words"] is not None]
    hashed = [own["hash"]["formula"], *(f"pi: {step}" for step in own["hash"]["pi"])] if own["hash"] else []
    lines = [", ".join(numbers), *own["draw"], own["layout_words"], *hashed]
    return [f"  {line}" for line in lines]


def _placed(vector: dict[str, Any], place: int, width: int) -> dict[str, Any]:
    """Return a part's test vector as one of the mixture: its report between the part's place and zeros."""
    key = "report" if "report" in vector else "report_of_first"
    report = bytes([place]) + bytes.fromhex(vector[key])
    return {"part": place} | vector | {key: report.ljust(width, b"\0").hex()}


def _unary(mechanism: Mechanism) -> dict[str, object]:
    k = mechanism.domain_size
    sets = dict.fromkeys([(), (0,), (k - 1,), tuple(dict.fromkeys((0, k // 2, k - 1))), tuple(range(min(k, 9)))])
    return {
        "layout": "bits",
        "layout_words": PACKED,
        "draw": [
            "Draw a uniform whole number u below 2^64 for each value, each on its own.",
            "Set the bit of the true value if u < p.words, that of any other value if u < q.words.",
        ],
        "hash": None,
        "test_vectors": _packings(mechanism, list(sets)),
    }


def _subset(mechanism: Mechanism) -> dict[str, object]:
    assert isinstance(mechanism, SubsetMechanism)
    k, size = mechanism.domain_size, mechanism.size
    spread = tuple(place * k // size for place in range(size))
    sets = dict.fromkeys([tuple(range(size)), tuple(range(k - size, k)), spread])
    item = mechanism.item_bytes
    listed = f"The members in increasing order, each in {item} byte{'s' if item > 1 else ''}, lowest byte first."
    return {
        "layout": "members" if mechanism.listed else "bits",
        "layout_words": listed if mechanism.listed else PACKED,
        "set_size": size,
        "draw": [
            "Draw a uniform whole number u below 2^64; the true value is a member if u < p.words.",
            f"Fill up to {size} members with a uniform set of other values.",
        ],
        "hash": None,
        "test_vectors": _packings(mechanism, list(sets)),
    }


def _packings(mechanism: Mechanism, sets: list[tuple[int, ...]]) -> list[dict[str, object]]:
    if mechanism.width > MOST_BYTES:
        return []
    return [{"members": list(members), "report": _packed(mechanism, members).hex()} for members in sets]


def _packed(mechanism: Mechanism, members: tuple[int, ...]) -> bytes:
    """Return a set as a report."""
    if isinstance(mechanism, SubsetMechanism) and mechanism.listed:
        return b"".join(member.to_bytes(mechanism.item_bytes, "little") for member in members)
    bits = np.zeros(mechanism.domain_size, np.bool_)
    bits[list(members)] = True
    return np.packbits(bits, bitorder="little").tobytes()


def _hash(mechanism: Mechanism) -> dict[str, object]:
    assert isinstance(mechanism, HashMechanism)
    k, g, size = mechanism.domain_size, mechanism.buckets, mechanism.width - SEED_BYTES
    places = np.array(sorted({0, 1, k // 2, k - 1}))
    vectors = []
    for a, b in SEEDS:
        words = np.array([a], np.uint64), np.array([b], np.uint64)
        found = mechanism.hashes(*words, places).tolist()
        report = b"".join(word.astype("<u8").tobytes() for word in words) + found[0].to_bytes(size, "little")
        vectors.append(
            {
                "a": str(a),
                "b": str(b),
                "buckets": [
                    {"value": int(place), "bucket": bucket} for place, bucket in zip(places, found, strict=True)
                ],
                "report_of_first": report.hex(),
            }
        )
    return {
        "layout": "seed and bucket",
        "layout_words": (
            f"a in 8 bytes, b in 8 bytes, the bucket in {size} byte{'s' if size > 1 else ''}, each lowest byte first."
        ),
        "draw": [
            "Draw a and b, uniform words of 64 bits, anew for each report; let y = h(x) for the true value x.",
            "Draw a uniform whole number u below 2^64.",
            "Report y if u < p.words, else a uniform one of the other buckets.",
        ],
        "hash": {
            "buckets": g,
            "formula": "h(x) = floor(g * w / 2^32), w = floor(((a * pi(x) + b) mod 2^64) / 2^32)",
            "pi": [
                f"x = x + {MIX_START} mod 2^32",
                "x = x xor (x >> 16)",
                f"x = x * {MIX_FIRST} mod 2^32",
                "x = x xor (x >> 15)",
                f"x = x * {MIX_SECOND} mod 2^32",
                "x = x xor (x >> 16)",
            ],
            "pi_of": [{"value": int(place), "pi": int(scatter(k)[place])} for place in places],
        },
        "test_vectors": vectors,
    }


_KINDS: dict[type[Mechanism], Callable[[Mechanism], dict[str, object]]] = {
    UnaryMechanism: _unary,
    SubsetMechanism: _subset,
    HashMechanism: _hash,
}
