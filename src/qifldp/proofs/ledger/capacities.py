"""V-D and V-E: Bayes capacities of the unary encodings, as identities in p and q for each k."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from qifldp.channels.exact_profile import independent_mass
from qifldp.leakage.capacity import bayes_capacity
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.samples import LEVELS, THE_LEVEL, THE_THETA
from qifldp.proofs.terms import BitField, Term, variables
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UnaryEncoding

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
    """What is summed for a report of i ones: the largest entry of its column, or the largest posterior.

    The terms are (1 − p)(1 − q)^{k−1} for i = 0 and p q^{i−1}(1 − q)^{k−i}: those of THE. With q = 1 − p they are those
    of SUE, p^{k−1}q and p^{k−i+1}q^{i−1}, with p = 1/2 those of OUE.
    """
    cases = []
    for protocol in _encodings():
        k, channel = protocol.domain_size, protocol.channel()
        p, _, q, _ = (Fraction(chance) for chance in protocol.chances)
        for output, column in zip(channel.outputs, channel.matrix.T, strict=True):
            ones = str(output).count("1")
            term = p * q ** (ones - 1) * (1 - q) ** (k - ones) if ones else (1 - p) * (1 - q) ** (k - 1)
            found = column.max() if likelihood else (column / column.sum()).max()
            cases.append((f"k = {k}, {protocol.spec}, report {output}: {found}, not {term}", found == term))
        total = sum((column.max() for column in channel.matrix.T), Fraction(0))
        cases.append((f"k = {k}, {protocol.spec}: the sum", total == bayes_capacity(channel)))
    return every(cases, "columns and sums")


def _encodings() -> Iterator[UnaryEncoding]:
    for k in (2, 3, 4):
        yield from (kind(k, exp_epsilon=x) for kind in (SUE, OUE) for x in LEVELS)
        yield THE(k, exp_epsilon=THE_LEVEL, theta=THE_THETA)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "maximum-posterior",
        "“maximum posterior”, V-D, V-E",
        "The terms that are summed to ML, (1 − p)(1 − q)^{k−1} and p q^{i−1}(1 − q)^{k−i} for reports with i ones "
        "(for SUE p^{k−1}q and p^{k−i+1}q^{i−1}), are column maxima, likelihoods: every column of SUE, OUE and THE, "
        "k = 2..4.",
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
