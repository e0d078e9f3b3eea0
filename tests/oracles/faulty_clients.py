"""Clients with the faults that have been shipped, and the same clients without: k values, ε = 1 unless said.

All draw from NumPy, many values at once, and give reports as Python objects: lists, texts, tuples, packed bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.hashing import SEED_BYTES
from qifldp.protocols.local_hashing import OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, UE

K = 16

Client = Callable[[NDArray[np.int64], np.random.Generator], Sequence[object]]


@dataclass(frozen=True)
class Case:
    """A faulty client, and the same without the fault.

    Attributes:
        name: The fault.
        declared: What the client says it is.
        faulty: With the fault.
        sound: Without.
        rounds: Reports of one user.
    """

    name: str
    declared: Protocol
    faulty: Client
    sound: Client
    rounds: int = 1

    def __str__(self) -> str:
        return self.name


def batched(client: Client) -> Callable[..., Sequence[object]]:
    """Return a client as the audit takes one that reports on many values at once."""

    def reports(values: list[int], rng: np.random.Generator) -> Sequence[object]:
        return client(np.array(values), rng)

    reports.batched = True  # type: ignore[attr-defined]
    return reports


def simulated(protocol: Protocol) -> Client:
    """Return the packed reports of a protocol."""
    return lambda values, rng: list(protocol.perturb(values, rng=rng))


def lists(protocol: SS, *, kept_first: bool) -> Client:
    """Return sets as lists: the members in random order, or the kept value first."""

    def draw(values: NDArray[np.int64], rng: np.random.Generator) -> Sequence[object]:
        held = protocol.perturb(values, rng=rng).supports
        keys = rng.random(held.shape) + ~held * 2.0
        if kept_first:
            keys[np.arange(len(values)), values] -= held[np.arange(len(values)), values]
        return np.argsort(keys, axis=1)[:, : protocol.omega].tolist()

    return draw


def bits(protocol: UE | OUE, *, flips: bool = True, long: bool = False) -> Client:
    """Return bits as texts; the true one never flipped, or with some more at the end for the last values."""

    def draw(values: NDArray[np.int64], rng: np.random.Generator) -> Sequence[object]:
        held = protocol.perturb(values, rng=rng).supports
        if not flips:
            held[np.arange(len(values)), values] = True
        texts = ["".join("01"[bit] for bit in row) for row in held.tolist()]
        return (
            [text + "0" * (value // 8) for text, value in zip(texts, values.tolist(), strict=True)] if long else texts
        )

    return draw


def answers(epsilon: float, *, last: int = K - 1, swapped: bool = False) -> Client:
    """Return answers of randomised response; values above ``last`` are taken for it, or p and q are swapped."""
    p = exp(epsilon) / (exp(epsilon) + K - 1)

    def draw(values: NDArray[np.int64], rng: np.random.Generator) -> Sequence[object]:
        own = np.minimum(values, last)
        kept = rng.random(len(own)) < ((1 - p) / (K - 1) if swapped else p)
        others = rng.integers(K - 1, size=len(own))
        return np.where(kept, own, others + (others >= own)).tolist()

    return draw


def hashes(*, reused: bool) -> Client:
    """Return packed reports of local hashing; with one seed for everybody."""
    protocol = OLH(K, 1)

    def draw(values: NDArray[np.int64], rng: np.random.Generator) -> Sequence[object]:
        if not reused:
            return list(protocol.perturb(values, rng=rng))
        mechanism = protocol.mechanism
        seed = np.frombuffer(bytes(range(1, 17)), "<u8").astype(np.uint64)
        own = mechanism.hashes(seed[:1], seed[1:], values).astype(np.int64)
        g = mechanism.buckets
        kept, others = rng.random(len(own)) < mechanism.keep / 2.0**64, rng.integers(g - 1, size=len(own))
        found = np.where(kept, own, others + (others >= own))
        return [bytes(range(1, SEED_BYTES + 1)) + bytes([bucket]) for bucket in found.tolist()]

    return draw


def permanent(rounds: int, *, redrawn: bool) -> Client:
    """Return answers that are drawn once and repeated, or drawn anew in every round; values come repeated."""
    client = answers(1.0)

    def draw(values: NDArray[np.int64], rng: np.random.Generator) -> Sequence[object]:
        if redrawn:
            return client(values, rng)
        return np.repeat(np.asarray(client(values[::rounds], rng)), rounds).tolist()

    return draw


ROUNDS = 20
SWAPPED = UE(K, p=OUE(K, 1).mechanism.support_chances[1], q="1/2")

CASES = (
    Case("kept value first", SS(K, 1), lists(SS(K, 1), kept_first=True), lists(SS(K, 1), kept_first=False)),
    Case("bit never flipped", OUE(K, 1), bits(OUE(K, 1), flips=False), bits(OUE(K, 1))),
    Case("answer redrawn", GRR(K, 1), permanent(ROUNDS, redrawn=True), permanent(ROUNDS, redrawn=False), ROUNDS),
    Case("epsilon off by 1.5, GRR", GRR(K, 1), answers(1.5), answers(1.0)),
    Case("epsilon off by 1.5, OUE", OUE(K, 1), bits(OUE(K, 1.5)), bits(OUE(K, 1))),
    Case("epsilon off by 1.5, OLH", OLH(K, 1), simulated(OLH(K, 1.5)), simulated(OLH(K, 1))),
    Case("epsilon off by 1.5, SS", SS(K, 1), simulated(SS(K, 1.5, omega=4)), simulated(SS(K, 1))),
    Case("seed reused", OLH(K, 1), hashes(reused=True), hashes(reused=False)),
    Case("length leak", OUE(K, 1), bits(OUE(K, 1), long=True), bits(OUE(K, 1))),
    Case("outside mapped to neighbour", GRR(K, 1), answers(1.0, last=K - 2), answers(1.0)),
    Case("p and q swapped, OUE", OUE(K, 1), bits(SWAPPED), bits(OUE(K, 1))),
    Case("p and q swapped, GRR", GRR(K, 1), answers(1.0, swapped=True), answers(1.0)),
    Case("parameters stale, of ε = 1/2", GRR(K, 1), answers(0.5), answers(1.0)),
    Case("parameters stale, of ε = 2", OUE(K, 1), bits(OUE(K, 2)), bits(OUE(K, 1))),
)
