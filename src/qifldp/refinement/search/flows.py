"""Flows that a linear program found, as exact numbers that may pass the strict inequalities of a proof."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from qifldp.channels.profile import Profile
from qifldp.refinement.proofs import SubFlow
from qifldp.refinement.search.closed import exactly
from qifldp.refinement.search.transport import Transport

LEFT_OUT = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5)
"""Shares of a flow that are left out, in turn, so that what the solver fills to the brim, or over it within its
tolerance of 1e-7, stays strictly inside; where the margin has room for so much."""

DECIMALS_OF_LACK = 6
"""A millionth of what B's posterior lacks of certainty is left out of its column."""

SOLVED = 1e-7
"""The solver's tolerance: a margin this much below one may be one."""

KEPT_FREE = 1e-6
"""Share of all but the largest share of a column that is kept free: more than the solver's tolerance."""


def exact_flows(found: Transport, original: Profile, refined: Profile) -> Iterator[SubFlow]:
    """Yield the flow of a program, shrunk a little in several ways, as exact decimals; nothing if it falls short."""
    shares = [(w, v, share) for w, v, share in found.flows if share > 0 and exactly(share) < 2]
    if found.margin >= 1:
        for left_out in LEFT_OUT:
            if left_out <= max(found.margin - 1, LEFT_OUT[0]):
                yield SubFlow(tuple((w, v, exactly(share * (1 - left_out))) for w, v, share in shares))
    if found.margin > 1 - SOLVED:
        yield SubFlow(tuple(_full(shares, original, refined)))


def _full(
    shares: list[tuple[int, int, float]], original: Profile, refined: Profile
) -> Iterator[tuple[int, int, Fraction]]:
    """Yield a flow that fills each column of B but for a share far below 1 − T(w').

    Where B's posterior is next to certain, a blur of more than that share misses it. What a double holds of a full
    column is too coarse, and the solver fills it to within its tolerance: here the largest share of a column takes the
    rest, of those whose row has room for it, and what the others fill to the brim, or over it, stays inside.
    """
    room, mass_b = (
        dict(zip(side.sizes.tolist(), np.exp(side.log_mass).tolist(), strict=True)) for side in (original, refined)
    )
    for w, v, share in shares:
        room[w] -= share * mass_b[v]
    columns: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for w, v, share in shares:
        columns[v].append((w, share))
    k = refined.domain_size
    lack = dict(zip(refined.sizes.tolist(), refined.log_density[:, 1].tolist(), strict=True))  # ln kβ
    for v, column in columns.items():
        zeros = math.ceil(-(lack[v] + math.log((k - v) / k)) / math.log(10))  # of 1 − T(w') = (k − w')β
        left = 1 - Fraction(1, 10 ** (zeros + DECIMALS_OF_LACK))
        rest = KEPT_FREE * sum(share for _, share in column) * mass_b[v]
        largest = max(column, key=lambda entry: (room[entry[0]] > rest, entry[1]))[0]
        for w, share in column:
            if w != largest:
                part = exactly(share * (1 - KEPT_FREE))
                left -= part
                yield w, v, part
        yield largest, v, left
