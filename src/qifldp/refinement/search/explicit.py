"""Deciding refinement between explicit channels, with exact rational proofs.

Quick exact rules first (equal, constant, two secrets, A without freedom), then the margin in floats and a witness or
an exact gain function near what it finds. What is returned is proved exactly; the verifier checks it again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from qifldp.channels.channel import Channel
from qifldp.errors import ConvergenceError
from qifldp.refinement.proofs import GainMatrix, Identical, NearWitness, Witness
from qifldp.refinement.search.cone import independent_columns, place_in_cone
from qifldp.refinement.search.explicit_boundary import boundary_witness, corrected_witness, polished
from qifldp.refinement.search.explicit_cone import ONE, equations, generators, target
from qifldp.refinement.search.explicit_exact import (
    Floats,
    dependencies,
    distances,
    flint_matrix,
    floats,
    fraction,
    fractions,
    part,
    separating_gain,
    stochastic,
)
from qifldp.refinement.search.explicit_interior import Margin, find_margin
from qifldp.refinement.search.explicit_near import near_witness
from qifldp.refinement.search.explicit_reading import read_pair
from qifldp.refinement.search.explicit_strength import CLEARLY_LACKING, lacking, nearest_garbling
from qifldp.refinement.search.explicit_two import decide_two_secrets
from qifldp.refinement.search.linear import UnsolvedError, check_time

ROUNDING = 1e-12
"""A float B this close to a garbling of A may be one but for rounding: the deficiency, and every entry in proportion
to its column. Rows of channels must sum to one within the same."""

NEARLY_ONE = 1e-5
"""Margins within this of 1 may be 1: on the boundary, the interior point stops 1e-6 short."""

FLOAT_GAIN_BITS = 160
"""Bits after which a gain function found in floats (53 bits) gets no better."""

WRITTEN_OUT = 100
"""Entries up to which a witness is written out exactly, as is easiest to read; numbers get longer with every row."""

MOST_UNKNOWNS = 10**6
"""Entries of a witness up to which the margin is computed."""


LARGEST_CONE = 80
"""Equations up to which an exact tie is decided by the exact simplex method (seconds)."""


@dataclass(frozen=True)
class ExplicitAnswer:
    """What was found about A ⊑ B.

    Attributes:
        proof: A witness or an exact gain function for the channels as :func:`exact_channel` reads them; or None.
        method: What found it.
        reason: Why there is no proof, if there is none.
        deficiency_bound: Without a proof, a proved upper bound on the Le Cam deficiency, if one was computed.
    """

    proof: Witness | NearWitness | GainMatrix | Identical | None
    method: str
    reason: str = ""
    deficiency_bound: float | None = None


@dataclass(frozen=True)
class _Found:
    """The same for the reduced channels: a witness, or W₀ near one with a right inverse; a gain function; or None."""

    result: fmpq_mat | GainMatrix | None
    method: str
    reason: str = ""
    bound: float | None = None
    inverse: fmpq_mat | None = None


@dataclass(frozen=True)
class _Pair:
    """The reduced channels, whether they come from floats, and the time at which to give up.

    ``written_out``: whether a witness must be exact, as it is small, or as rows of A have been left out.
    """

    original: fmpq_mat
    refined: fmpq_mat
    rounded: bool
    deadline: float | None
    written_out: bool = True

    def check_time(self) -> None:
        """Raise ConvergenceError if the time is up."""
        check_time(self.deadline)


def decide_explicit(original: Channel, refined: Channel, *, deadline: float | None = None) -> ExplicitAnswer:
    """Decide original ⊑ refined for explicit channels, as :func:`exact_channel` reads them.

    Args:
        original: A.
        refined: B, over the same secrets.
        deadline: ``time.monotonic()`` at which to give up.

    Raises:
        InputError: If the numbers of secrets differ.
    """
    read = read_pair(original, refined)
    if read is None:
        return ExplicitAnswer(Identical(), "identical")
    pair = _Pair(read.reduced_original, read.reduced_refined, read.rounded, deadline)
    try:
        found = _decide(pair)
    except ConvergenceError as error:
        return ExplicitAnswer(None, "explicit", str(error))
    if isinstance(found.result, fmpq_mat):
        rows = read.lifted(found.result)
        if found.inverse is None:
            return ExplicitAnswer(Witness(rows), found.method)
        return ExplicitAnswer(NearWitness(rows, read.lifted_inverse(found.inverse)), found.method)
    return ExplicitAnswer(found.result, found.method, found.reason, found.bound)


def _decide(pair: _Pair) -> _Found:
    """Decide a pair of reduced channels."""
    a, b = pair.original, pair.refined
    if b.ncols() == 1:
        return _Found(fmpq_mat([[1]] * a.ncols()), "constant")
    if a == b:
        return _Found(fmpq_mat([[int(y == z) for z in range(b.ncols())] for y in range(a.ncols())]), "equal")
    if a.nrows() == 2:
        answer = decide_two_secrets(fractions(a), fractions(b))
        return _refuted(pair, answer, "two secrets") if isinstance(answer, GainMatrix) else _yes(answer, "two secrets")
    pair.check_time()
    rows, others, factor = dependencies(a)
    if factor is not None:
        excess = part(b, others) - factor * part(b, rows)
        if any(entry for row in excess.tolist() for entry in row):
            return _refuted(pair, _off_row_relations(pair, rows, others, factor, excess), "linear relation")
    written_out = bool(others) or a.ncols() * b.ncols() <= WRITTEN_OUT
    independent = _Pair(part(a, rows), part(b, rows), pair.rounded, pair.deadline, written_out)
    found = _unique(independent) if len(rows) == a.ncols() else _by_margin(independent)
    if not isinstance(found.result, GainMatrix):
        return found
    return _Found(_spread(found.result, rows, a.nrows()), found.method)


def _yes(table: Sequence[Sequence[Fraction]], method: str) -> _Found:
    return _Found(flint_matrix(table), method)


def _spread(gain: GainMatrix, rows: list[int], secrets: int) -> GainMatrix:
    """Return a gain function of the chosen secrets as one of all, that gains nothing from the others."""
    place = {row: index for index, row in enumerate(rows)}
    nothing = Fraction(0)
    return GainMatrix(tuple(tuple(g[place[x]] if x in place else nothing for x in range(secrets)) for g in gain.rows))


def _off_row_relations(
    pair: _Pair, rows: list[int], others: list[int], factor: fmpq_mat, excess: fmpq_mat
) -> GainMatrix | None:
    """Return the bets v and −v on a relation v·A = 0 between A's rows that B's do not satisfy."""
    worst = int(np.argmax(np.abs(floats(excess)).sum(axis=1)))
    bet = [Fraction(0)] * pair.original.nrows()
    bet[others[worst]] = Fraction(1)
    for row, weight in zip(rows, factor.tolist()[worst], strict=True):
        bet[row] = -fraction(weight)
    return separating_gain((bet, [-entry for entry in bet]), pair.original, pair.refined)


def _unique(pair: _Pair) -> _Found:
    """Decide for an invertible A, where W = A⁻¹B is the only candidate; a negative entry is a bet that B rewards."""
    targets = pair.refined.ncols()
    found = _near(pair, np.full((pair.original.ncols(), targets), 1 / targets), "rounded solution")
    if found is not None:
        return found
    witness = pair.original.solve(pair.refined)
    table = witness.tolist()
    value, y = min((min(row), y) for y, row in enumerate(table))
    if value >= 0:
        return _Found(witness, "exact solution")
    unit = fmpq_mat([[int(row == y)] for row in range(pair.original.ncols())])
    bet = [-fraction(entry) for (entry,) in pair.original.transpose().solve(unit).tolist()]
    gain = separating_gain((bet, [Fraction(0)] * len(bet)), pair.original, pair.refined)
    return _refuted(pair, gain, "exact solution", floats(witness))


def _by_margin(pair: _Pair) -> _Found:
    """Decide for A of full row rank with more columns than rows."""
    margin, gain = _margin(pair), None
    pair.check_time()
    if margin.lower > 1:
        found = _near(pair, margin.witness, "interior point")
        if found is not None:
            return found
        witness = corrected_witness(pair.original, pair.refined, margin.witness)
        if witness is not None:
            return _Found(witness, "interior point")
    if margin.upper < 1:
        actions = [[Fraction(entry) for entry in row] for row in margin.gain.tolist()]
        gain = separating_gain(actions, pair.original, pair.refined, most_bits=FLOAT_GAIN_BITS)
        if gain is not None and (margin.upper < 1 - NEARLY_ONE or not pair.rounded):
            return _Found(gain, "interior point")
    return _on_boundary(pair, margin, gain)


def _near(pair: _Pair, interior: Floats, method: str) -> _Found | None:
    """Return what lies near a witness, if that can be proved and the witness need not be written out."""
    found = None if pair.written_out else near_witness(pair.original, pair.refined, interior)
    return None if found is None else _Found(found[0], method, inverse=found[1])


def _margin(pair: _Pair) -> Margin:
    unknowns = pair.original.ncols() * pair.refined.ncols()
    if unknowns > MOST_UNKNOWNS:
        raise ConvergenceError(f"The witness would have {unknowns:,} unknowns (at most {MOST_UNKNOWNS:,}).")
    return find_margin(floats(pair.original), floats(pair.refined), deadline=pair.deadline)


def _on_boundary(pair: _Pair, margin: Margin, gain: GainMatrix | None) -> _Found:
    """Decide where the margin is 1 as far as floats can tell."""
    near = polished(floats(pair.original), floats(pair.refined), margin.witness)
    pair.check_time()
    if gain is None and distances(pair.original, stochastic(near), pair.refined)[0] > CLEARLY_LACKING:
        clear = _clear_gain(pair)
        if clear is not None:
            return _Found(clear, "deficiency")
    witness = boundary_witness(pair.original, pair.refined, near)
    if witness is not None:
        return _Found(witness, "boundary")
    if gain is None and not pair.rounded and equations(pair.original, pair.refined) <= LARGEST_CONE:
        return _by_cone(pair, near)
    return _refuted(pair, gain, "interior point", near)


def _clear_gain(pair: _Pair) -> GainMatrix | None:
    """Return a gain function from which B gives more by what rounding cannot explain, if there is one.

    The interior point may not see it, where all that A tells is told by outputs that hardly ever occur.
    """
    a, b = floats(pair.original), floats(pair.refined)
    left = None if pair.deadline is None else pair.deadline - time.monotonic()
    try:
        found = nearest_garbling(a, b, seconds=left)
    except UnsolvedError:
        return None
    if found is None or lacking(a, b, found[0]) <= CLEARLY_LACKING:
        return None
    actions = [[Fraction(entry) for entry in row] for row in found[1].tolist()]
    return separating_gain(actions, pair.original, pair.refined, most_bits=FLOAT_GAIN_BITS)


def _by_cone(pair: _Pair, near: Floats) -> _Found:
    """Decide in exact numbers: a functional at most 0 on the generators and above 0 on (B, 1) is a gain function."""
    (m, k), n = (pair.original.ncols(), pair.original.nrows()), pair.refined.ncols()
    entries = [(y, z) for y in range(m) for z in range(n)]
    likely = sorted(range(len(entries)), key=lambda place: -near[entries[place]])
    columns, wanted = generators(pair.original, n), target(pair.refined, [ONE] * m)
    place = place_in_cone(columns, wanted, independent_columns(columns, likely), check_time=pair.check_time)
    if place.inside:
        witness = [[place.weights.get(y * n + z, fmpq(0)) for z in range(n)] for y in range(m)]
        return _Found(fmpq_mat(witness), "exact simplex")
    if place.functional is None:
        return _refuted(pair, None, "exact simplex", near)
    bets = [[fraction(entry) for entry in place.functional[z * k : (z + 1) * k]] for z in range(n - 1)]
    gain = separating_gain([*bets, [Fraction(0)] * k], pair.original, pair.refined)
    return _refuted(pair, gain, "exact simplex", near)


def _refuted(pair: _Pair, gain: GainMatrix | None, method: str, garbling: Floats | None = None) -> _Found:
    """Return a refutation, unless rounding of floats explains it: then no proof, and how near B is to a garbling."""
    if gain is not None and not pair.rounded:
        return _Found(gain, method)
    near, bound = _nearness(pair, garbling)
    if near:
        return _Found(None, method, "Whether it is refined depends on the rounding of the entries.", bound)
    if gain is not None:
        return _Found(gain, method)
    where = "" if bound is None or bound > CLEARLY_LACKING else " so near the boundary"
    return _Found(None, method, f"No exact proof was found{where}.", bound)


def _nearness(pair: _Pair, garbling: Floats | None) -> tuple[bool, float | None]:
    """Return whether B is a garbling of A but for rounding, and a proved bound on the deficiency if it was computed."""
    bound = None
    if garbling is not None:
        bound, relative = distances(pair.original, stochastic(garbling), pair.refined)
        if max(bound, relative) <= ROUNDING:
            return pair.rounded, bound
    margin = _margin(pair)
    if margin.upper < 1 - NEARLY_ONE:
        return False, bound
    garbling = polished(floats(pair.original), floats(pair.refined), margin.witness)
    second, relative = distances(pair.original, stochastic(garbling), pair.refined)
    return pair.rounded and max(second, relative) <= ROUNDING, second if bound is None else min(bound, second)
