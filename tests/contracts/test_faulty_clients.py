"""Clients that are wrong, each as somebody has shipped it, are found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.report_laws import misfit
from qifldp.collection.hashing import SEED_BYTES
from qifldp.collection.mechanism import FAULTS, Rows
from qifldp.collection.subsets import SubsetMechanism
from qifldp.protocols.local_hashing import BLH, LH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, SUE, UE

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""


def kept_value_first(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    mechanism = protocol.mechanism
    assert isinstance(mechanism, SubsetMechanism)
    assert mechanism.listed
    rows = protocol.perturb(values, rng=np.random.default_rng(1)).rows.copy()
    swap = rows[:, 1] == values
    rows[swap] = rows[swap][:, ::-1]
    return rows


def true_bit_never_flipped(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    rows = protocol.perturb(values, rng=np.random.default_rng(1)).rows.copy()
    rows[np.arange(len(values)), values // 8] |= (1 << (values % 8)).astype(np.uint8)
    return rows


def chances_swapped(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    assert isinstance(protocol, UE)
    swapped = UE(protocol.domain_size, p=protocol.q, q=protocol.p)
    return swapped.perturb(values, rng=np.random.default_rng(1)).rows


def bits_beyond_the_domain(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    rows = protocol.perturb(values, rng=np.random.default_rng(1)).rows.copy()
    rows[:, -1] |= 0x80
    return rows


def seed_reused(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    rows = protocol.perturb(values, rng=np.random.default_rng(1)).rows.copy()
    rows[:, :SEED_BYTES] = rows[0, :SEED_BYTES]
    return rows


def seed_of_few_bits(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    """A seed of 32 bits, as most have it; the bucket is that of the seed that was drawn first."""
    rows = protocol.perturb(values, rng=np.random.default_rng(1)).rows.copy()
    rows[:, 4:SEED_BYTES] = 0
    return rows


def answers_uniform_over_all(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    """The other answer is drawn among all, the true one among them."""
    rng = np.random.default_rng(1)
    p = float(protocol.mechanism.support_chances[0])
    kept = rng.random(len(values)) < p
    return np.where(kept, values, rng.integers(protocol.domain_size, size=len(values))).astype(np.uint8)[:, None]


def own_value_left_out(protocol: Protocol, values: NDArray[np.int64]) -> Rows:
    """A float is compared with the threshold, and rounds to it: always kept."""
    return values.astype(np.uint8)[:, None]


FAULTY: list[tuple[Callable[[Protocol, NDArray[np.int64]], Rows], Protocol, str]] = [
    (kept_value_first, SS(9, 1, omega=2), "values not in increasing order"),
    (true_bit_never_flipped, OUE(3, 1), ""),
    (true_bit_never_flipped, SUE(3, 1), ""),
    (chances_swapped, UE(3, p="3/4", q="1/4"), ""),
    (bits_beyond_the_domain, OUE(3, 1), "bits beyond the domain are set"),
    (seed_reused, BLH(3, 1), ""),
    (seed_of_few_bits, LH(3, 1, g=3), ""),
    (answers_uniform_over_all, GRR(3, 1), ""),
    (own_value_left_out, GRR(3, 1), ""),
]


@pytest.mark.parametrize(("client", "protocol", "reason"), FAULTY)
def test_faulty_clients_are_found(
    client: Callable[[Protocol, NDArray[np.int64]], Rows], protocol: Protocol, reason: str
) -> None:
    """By the law; and where no client can have sent such a report, by the server, which says why."""
    values = np.arange(9_000) % protocol.domain_size
    rows = client(protocol, values)
    mechanism = protocol.mechanism
    assert misfit(mechanism, values, rows) < FALSE_ALARM
    faults = mechanism.faults(rows)
    assert {FAULTS[fault] for fault in faults[faults > 0]} == ({reason} if reason else set())
    right = protocol.perturb(values, rng=np.random.default_rng(1)).rows
    assert misfit(mechanism, values, right) > FALSE_ALARM
