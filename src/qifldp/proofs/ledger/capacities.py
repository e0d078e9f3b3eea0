"""V-D and V-E: Bayes capacities of the unary encodings, as identities in p and q for each k."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from qifldp.channels.exact_profile import independent_mass
from qifldp.leakage.capacity import bayes_capacity
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.samples import LEVELS
from qifldp.proofs.terms import BitField, Term, variables
from qifldp.protocols.unary_encoding import SUE

LARGEST = 10

Formula = Callable[[Term, Term, int], Term]


def _capacity(p: Term, q: Term, k: int) -> Term:
    """ML = 1 + Σ over interior sizes of μ[w] (kα_w − 1), for p > q: uniform posteriors count 1."""
    field: Any = BitField(p)
    ratio = p * (1 - q) / ((1 - p) * q)
    total = p / p
    for w in range(1, k):
        mass = independent_mass(k, p=p, q=q, size=w, field=field)
        total = total + mass * (k * ratio / (ratio * w + (k - w)) - 1)
    return total


def _by_columns(p: Term, q: Term, k: int) -> Term:
    """Σ_y max_x C[x, y] for p > q: the maximum is at a set bit, if there is one."""
    total = (1 - p) * (1 - q) ** (k - 1)
    for ones in range(1, k + 1):
        total = total + math.comb(k, ones) * p * q ** (ones - 1) * (1 - q) ** (k - ones)
    return total


def _identity(formula: Formula, p: Term, q: Term, exact: Formula = _capacity) -> Finding:
    """Formula = exact, as rational functions, at each k."""
    cases = [(f"k = {k}", (formula(p, q, k) - exact(p, q, k)).is_zero) for k in range(2, LARGEST + 1)]
    return every(cases, f"identities, k = 2..{LARGEST}, for all ε")


def _general() -> tuple[Term, Term]:
    p, q = variables("p", "q")
    return p, q


def _symmetric() -> tuple[Term, Term]:
    (p,) = variables("p")
    return p, 1 - p


def _half() -> tuple[Term, Term]:
    (q,) = variables("q")
    return (q / q) / 2, q


def _the(p: Term, q: Term, k: int) -> Term:
    return (1 - q) ** (k - 1) * (1 - p / q) + p / q


def _sue(p: Term, _: Term, k: int) -> Term:
    return (p + p ** (k - 1) * (1 - 2 * p)) / (1 - p)


def _oue(_: Term, q: Term, k: int) -> Term:
    return ((1 - q) ** (k - 1) * (2 * q - 1) + 1) / (2 * q)


def _posterior(likelihood: bool) -> Finding:
    """What is summed for the silent report of SUE, p^{k−1}q: the column maximum, or the largest posterior."""
    cases = []
    for x in LEVELS:
        channel = SUE(3, exp_epsilon=x).channel()
        p, _, q, _ = SUE(3, exp_epsilon=x).chances
        silent = channel.outputs.index("000")
        found = channel.matrix[:, silent].max() if likelihood else channel.posterior("000").probabilities.max()
        columns = [c.max() if likelihood else (c / c.sum()).max() for c in channel.matrix.T]
        right = sum(columns, Fraction(0)) == bayes_capacity(channel)
        cases.append((f"e^ε = {x}: {found}", found == p * p * q and right))
    return every(cases, "channels")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "maximum-posterior",
        "“maximum posterior”, V-D, V-E",
        "The terms p^{k−1}q, p^{k−i+1}q^{i−1}, … that are summed to ML are column maxima, likelihoods.",
        "exact enumeration",
        partial(_posterior, likelihood=True),
        partial(_posterior, likelihood=False),
        "posteriors",
        "corrects",
    ),
    Claim(
        "column-maxima",
        "columns with i ones, V-D, V-E",
        "ML = (1 − p)(1 − q)^{k−1} + Σ_i C(k, i) p q^{i−1} (1 − q)^{k−i} for every unary encoding "
        "with p > q; k = 2..10.",
        "symbolic",
        lambda: _identity(_by_columns, *_general()),
        lambda: _identity(lambda p, q, k: _by_columns(q, p, k), *_general()),
        "p and q exchanged",
    ),
    Claim(
        "sue-capacity",
        "SUE Bayes capacity, V-D",
        "ML(SUE) = (p + p^{k−1}(1 − 2p))/(1 − p), for all ε; k = 2..10.",
        "symbolic",
        lambda: _identity(_sue, *_symmetric()),
        lambda: _identity(lambda p, q, k: _sue(p, q, k + 1), *_symmetric()),
        "the exponent k",
    ),
    Claim(
        "oue-capacity",
        "OUE Bayes capacity, V-D",
        "ML(OUE) = ((1 − q)^{k−1}(2q − 1) + 1)/(2q), for all ε; k = 2..10.",
        "symbolic",
        lambda: _identity(_oue, *_half()),
        lambda: _identity(lambda p, q, k: _oue(p, q, k + 1), *_half()),
        "the exponent k",
    ),
    Claim(
        "the-capacity",
        "THE Bayes capacity, V-E",
        "ML(THE) = (1 − q)^{k−1}(1 − p/q) + p/q, for all ε and θ; k = 2..10.",
        "symbolic",
        lambda: _identity(_the, *_general()),
        lambda: _identity(lambda p, q, k: _the(p, q, k + 1), *_general()),
        "the exponent k",
    ),
)
