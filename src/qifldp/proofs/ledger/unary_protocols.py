"""V-D and V-E: unary encodings and thresholding with histogram encoding (Def. 7 and 8)."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from qifldp.proofs.checks import STANDARD_ERRORS, Later, agrees
from qifldp.proofs.claim import ENUMERATION, Claim, Finding, every
from qifldp.proofs.formulas import above, at_least, same
from qifldp.proofs.provers import Proved
from qifldp.proofs.samples import LEVELS, THE_LEVEL, THE_THETA
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Term, bit_of, variables
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE, UnaryEncoding

DRAWS = 400_000
SEED = 20_260_526


def _bits(domain_size: int, x: int) -> list[int]:
    return [int(y == x) for y in range(domain_size)]


def _products(made: list[UnaryEncoding], truth: Callable[[Fraction, Fraction], tuple[Fraction, Fraction]]) -> Finding:
    """Every entry is the product over bits of Pr[reported bit | own bit]; ``truth`` may exchange p and q."""
    cases = []
    for protocol in made:
        k = protocol.domain_size
        p, q = truth(*(Fraction(protocol.chances[index]) for index in (0, 2)))
        matrix = protocol.channel().matrix
        for x in range(k):
            for column, report in enumerate(product((0, 1), repeat=k)):
                ones = [p if own else q for own in _bits(k, x)]
                wanted = math.prod(
                    (c if bit else 1 - c for c, bit in zip(ones, report, strict=True)), start=Fraction(1)
                )
                cases.append((f"k = {k}, {protocol.spec}", matrix[x, column] == wanted))
    return every(cases, "entries")


def _encodings() -> list[UnaryEncoding]:
    made: list[UnaryEncoding] = [UE(k, p="7/10", q="1/5") for k in (2, 3, 4)]
    return made + [kind(k, exp_epsilon=x) for kind in (SUE, OUE) for k in (2, 3, 4) for x in LEVELS]


def _histograms() -> list[UnaryEncoding]:
    return [THE(k, exp_epsilon=THE_LEVEL, theta=THE_THETA) for k in (2, 3, 4)]


def _settings(kind: type[SUE | OUE], wanted: Callable[[Fraction], tuple[Fraction, Fraction]]) -> Finding:
    """P and q, as functions of e^{ε/2}."""
    cases = []
    for root in (Fraction(4, 3), Fraction(2), Fraction(7)):
        p, _, q, _ = kind(3, exp_epsilon=root**2).chances
        cases.append((f"e^(ε/2) = {root}", (p, q) == wanted(root)))
    return every(cases, "budgets")


def _example(protocols: list[UnaryEncoding], rows: Callable[[Fraction, Fraction], list[list[Fraction]]]) -> Finding:
    """The channel over two values with columns 00, 01, 10, 11 and rows as given (for 01, then for 10)."""
    cases = []
    for protocol in protocols:
        p, _, q, _ = (Fraction(chance) for chance in protocol.chances)
        matrix = protocol.channel().matrix.tolist()
        # The second value is encoded as 01.
        cases.append((protocol.spec, [matrix[1], matrix[0]] == rows(p, q)))
    return every(cases, "matrices")


def _sue_rows(p: Fraction, q: Fraction) -> list[list[Fraction]]:
    return [[p * q, p * p, q * q, p * q], [p * q, q * q, p * p, p * q]]


def _ue_rows(p: Fraction, q: Fraction) -> list[list[Fraction]]:
    a, b, c, d = (1 - p) * (1 - q), p * (1 - q), (1 - p) * q, p * q
    return [[a, b, c, d], [a, c, b, d]]


def _least_variance(*, rare: bool) -> Proved:
    """For all bits p > q with p(1 − q) = s² (1 − p) q, s = e^{ε/2}: the variance is least at the product's OUE.

    That is q(1 − q)/(p − q)² of rare values, p(1 − p)/(p − q)² (altered) of one that everybody has.
    """
    p, q, s = variables("p", "q", "s")
    best = bit_of(OUE, s)

    def variance(own: Term, other: Term) -> Term:
        chance = other if rare else own
        return chance * (1 - chance) / (own - other) ** 2

    goal = at_least(variance(p, q), variance(1 - best.beta, best.alpha))
    words = (
        "OUE has the least variance of rare values, q(1 - q)/(p - q)^2"
        if rare
        else "Altered: OUE has the least variance of a value that everybody has, p(1 - p)/(p - q)^2"
    )
    words += (
        ",\namong unary encodings 0 < q < p < 1 of one budget, p(1 - q) = s^2 (1 - p) q with s = e^(epsilon/2) > 1."
    )
    assumed = [above(p, q), above(q, 0), above(1 - p, 0), above(s, 1), same(p * (1 - q), s**2 * (1 - p) * q)]
    return Proved((Theorem("oue-least-variance", words, ("p", "q", "s"), assumed, goal),))


def _laplace(scale: float) -> Finding:
    """Simulation of 1 + Z > θ and Z > θ for Z ~ Lap(scale/ε), against p and q."""
    rng = np.random.default_rng(SEED)
    cases = []
    for epsilon, theta in ((0.5, 0.6), (1.0, 0.75), (2.0, 0.9), (4.0, 1.0)):
        noise = rng.laplace(0.0, scale / epsilon, DRAWS)
        chances = [float(THE(2, epsilon, theta=theta).chances[index]) for index in (0, 2)]
        for own, chance in zip((1, 0), chances, strict=True):
            seen = float(np.mean(own + noise > theta))
            label = f"ε = {epsilon:g}, θ = {theta:g}, bit {own}: {seen:.4f} against {chance:.4f}"
            cases.append((label, agrees(seen, chance, DRAWS)))
    return every(cases, f"frequencies in {DRAWS:,} draws each, within {STANDARD_ERRORS} standard errors")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "definition-7",
        "Def. 7, V-D",
        "A unary encoding reports k bits, the own one as 1 with p, the others with q, independently: "
        "C[x, y] is the product over bits.",
        ENUMERATION,
        lambda: _products(_encodings(), lambda p, q: (p, q)),
        lambda: _products(_encodings(), lambda p, q: (q, p)),
        "p and q exchanged",
    ),
    Claim(
        "sue",
        "SUE, V-D1",
        "SUE has p = e^{ε/2}/(e^{ε/2} + 1) and q = 1/(e^{ε/2} + 1), so p + q = 1.",
        ENUMERATION,
        lambda: _settings(SUE, lambda root: (root / (root + 1), 1 - root / (root + 1))),
        lambda: _settings(SUE, lambda root: (root**2 / (root**2 + 1), 1 - root**2 / (root**2 + 1))),
        "e^ε in place of e^{ε/2}",
    ),
    Claim(
        "sue-example",
        "SUE example, V-D1",
        "At k = 2 the rows of SUE are (pq, p², q², pq) and (pq, q², p², pq).",
        ENUMERATION,
        lambda: _example([SUE(2, exp_epsilon=x) for x in LEVELS], _sue_rows),
        lambda: _example([OUE(2, exp_epsilon=x) for x in LEVELS], _sue_rows),
        "for OUE",
    ),
    Claim(
        "oue",
        "OUE, V-D2",
        "OUE has p = 1/2 and q = 1/(e^ε + 1).",
        ENUMERATION,
        lambda: _settings(OUE, lambda root: (Fraction(1, 2), 1 / (root**2 + 1))),
        lambda: _settings(OUE, lambda root: (Fraction(1, 2), 1 / (root + 1))),
        "q = 1/(e^{ε/2} + 1)",
    ),
    Claim(
        "oue-least-variance",
        "“to minimise the variance”, V-D2",
        "Among unary encodings with p(1 − q)/((1 − p)q) = e^ε, OUE has the least q(1 − q)/(p − q)², the variance of "
        "rare values, for every ε > 0.",
        "SMT",
        Later(lambda: _least_variance(rare=True)),
        Later(lambda: _least_variance(rare=False)),
        "p(1 − p)/(p − q)², the variance of a value that everybody has",
    ),
    Claim(
        "oue-example",
        "OUE example, V-D2",
        "At k = 2 the rows of OUE are ((1−p)(1−q), p(1−q), q(1−p), pq) and the same with the middle exchanged.",
        ENUMERATION,
        lambda: _example([OUE(2, exp_epsilon=x) for x in LEVELS], _ue_rows),
        lambda: _example([OUE(2, exp_epsilon=x) for x in LEVELS], lambda p, q: _ue_rows(p, q)[::-1]),
        "rows exchanged",
    ),
    Claim(
        "definition-8",
        "Def. 8, V-E",
        "Laplace noise of scale 2/ε and threshold θ set a bit with p = 1 − ½e^{ε(θ−1)/2} if it was 1, "
        f"with q = ½e^{{−εθ/2}} if it was 0 ({DRAWS:,} draws each, within {STANDARD_ERRORS} standard errors).",
        "simulation",
        partial(_laplace, 2.0),
        partial(_laplace, 1.0),
        "noise of scale 1/ε",
    ),
    Claim(
        "the-channel",
        "THE channel matrix, V-E",
        "C[x, y] of THE is the product over bits of Pr[y_m | x_m].",
        ENUMERATION,
        lambda: _products(_histograms(), lambda p, q: (p, q)),
        lambda: _products(_histograms(), lambda p, q: (1 - q, 1 - p)),
        "errors of the two bits exchanged",
    ),
    Claim(
        "the-example",
        "THE example, V-E",
        "At k = 2 the rows of THE are those of any unary encoding, the first row for the first value.",
        ENUMERATION,
        lambda: _example([THE(2, exp_epsilon=THE_LEVEL, theta=THE_THETA)], _ue_rows),
        lambda: _example([THE(2, exp_epsilon=THE_LEVEL, theta=THE_THETA)], _sue_rows),
        "those of SUE",
    ),
)
