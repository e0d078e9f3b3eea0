"""Protocols written out as matrices, and random pairs of them near the boundary of refinement, for tests only."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import linprog

from oracles.garbling import deficiency
from qifldp.channels.channel import Channel
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

HOLDS = 1e-11
"""Largest entry of A·W − B that counts as none: the solver ends on vertices, rounded in doubles."""

FAILS = 1e-9
"""Smallest entry that counts as some; a pair between the two is too close for the program to be an oracle."""

LARGEST_ENUMERATION = 600
"""Reports of a local hash that are written out; with more buckets its members are enumerated instead."""

Family = Callable[[Fraction], Protocol]
"""A protocol for each ε: all other parameters are fixed."""


def written_out(protocol: Protocol) -> Channel:
    """Return the explicit channel over the protocol's own reports, not by way of its profile."""
    k = protocol.domain_size
    if not isinstance(protocol, LH) or protocol.buckets ** (k + 1) <= LARGEST_ENUMERATION:
        return protocol.channel()
    p, _, q, _ = (float(chance) for chance in protocol.chances)
    rows = []
    for secret in range(k):
        row = []
        for members in product((0, 1), repeat=k):
            entry = 1.0
            for value, member in enumerate(members):
                chance = p if value == secret else q
                entry *= chance if member else 1 - chance
            row.append(entry)
        rows.append(row)
    return Channel(rows, normalize=True)


@cache
def refinement_gap(original: Protocol, refined: Protocol) -> float:
    """Return the least largest entry of |A·W − B| over all W, by the plain linear program."""
    return deficiency(written_out(original), written_out(refined))


def truth(original: Protocol, refined: Protocol) -> bool | None:
    """Whether original ⊑ refined by the plain linear program; None if it is too close to tell."""
    gap = refinement_gap(original, refined)
    return True if gap <= HOLDS else False if gap >= FAILS else None


@cache
def max_case_truth(original: Protocol, refined: Protocol) -> bool | None:
    """Whether each posterior of B under the uniform prior is an average of A's; None if it is too close to tell."""
    hulls = [written_out(side).reduced().to_float().matrix for side in (original, refined)]
    a, b = (matrix / matrix.sum(axis=0) for matrix in hulls)
    k, count = a.shape
    worst = 0.0
    for posterior in b.T:  # the least largest entry of |a·weights − posterior|
        slack = -np.ones((k, 1))
        answer = linprog(
            np.concatenate((np.zeros(count), [1.0])),
            A_ub=np.vstack((np.hstack((a, slack)), np.hstack((-a, slack)))),
            b_ub=np.concatenate((posterior, -posterior)),
            A_eq=np.concatenate((np.ones(count), [0.0]))[None, :],
            b_eq=[1.0],
        )
        assert answer.fun is not None, answer.message
        worst = max(worst, float(answer.fun))
    return True if worst <= HOLDS else False if worst >= FAILS else None


def random_family(source: random.Random, k: int) -> Family:
    """Return a protocol kind with random parameters beside ε."""
    theta = Fraction(source.randint(50, 100), 100)
    omega, buckets = source.randint(1, k - 1), source.randint(2, 4)
    kinds: tuple[Family, ...] = (
        lambda e: GRR(k, e),
        lambda e: SS(k, e, omega=omega),
        lambda e: SS(k, e),
        lambda e: BLH(k, e),
        lambda e: OLH(k, e),
        lambda e: LH(k, e, g=buckets),
        lambda e: SUE(k, e),
        lambda e: OUE(k, e),
        lambda e: THE(k, e, theta=theta),
        lambda e: THE(k, e),
    )
    return source.choice(kinds)


def random_unary(source: random.Random, k: int) -> UE:
    """Return UE with random p and q, either of them the larger; odd denominators, so that no pair ties by chance."""
    p, q = source.sample(range(5, 84), 2)
    return UE(k, p=Fraction(p, 89), q=Fraction(q, 97))


def random_budget(source: random.Random) -> Fraction:
    """Return an ε between 0.3 and 3, of two decimals."""
    return Fraction(source.randint(30, 300), 100)


def near_boundary(source: random.Random, k: int, off: Fraction) -> tuple[Protocol, Protocol]:
    """Return a pair whose original has the ε where refinement begins, found by bisection, times 1 ± off."""
    family = random_family(source, k)
    refined = random_unary(source, k) if source.random() < 1 / 5 else random_family(source, k)(random_budget(source))
    low, high = Fraction(1, 20), Fraction(8)
    for _ in range(9):
        middle = Fraction(round((low + high) / 2 * 10**4), 10**4)
        if truth(family(middle), refined):
            high = middle
        else:
            low = middle
    return family(high * (1 + source.choice((-1, 1)) * off)), refined
