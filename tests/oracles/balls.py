"""Profiles and measures in ball arithmetic: enclosures of the real answer, at as many bits as it takes.

Written from the definitions of the protocols and measures; nothing here imports the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, perm

from flint import arb, ctx, fmpq

FIRST_BITS = 256
LAST_BITS = 1 << 15

SETTLED = 60
"""Relative accuracy in bits at which a ball is a double for our purposes (a double has 53)."""


def real(value: Fraction | int) -> arb:
    number = Fraction(value)
    return arb(fmpq(number.numerator, number.denominator))


@dataclass(frozen=True)
class Law:
    """How a protocol supports values: with p and q, and with all sets of one size, or each value on its own.

    Attributes:
        ratio: Likelihood ratio ρ of the report.
        p: Pr[the secret is supported], and 1 − p.
        q: Pr[another value is supported], and 1 − q.
        size: The size of all sets, or None where values are independent.
    """

    ratio: arb
    p: tuple[arb, arb]
    q: tuple[arb, arb]
    size: int | None = None


def law(name: str, k: int, epsilon: Fraction, theta: Fraction | None = None) -> Law:
    """Return the law of one of the seven protocols at a real budget, from its definition."""
    half, weight = real(epsilon) / 2, real(epsilon).exp()
    if name in ("grr", "ss"):
        size = 1 if name == "grr" else max(1, _floor(k / (weight + 1) + real(Fraction(1, 2))))
        total = size * weight + (k - size)
        p, not_p = size * weight / total, (k - size) / total
        q = (size - 1) / real(k - 1) * p + size / real(k - 1) * not_p
        not_q = (k - size) / real(k - 1) * p + (k - size - 1) / real(k - 1) * not_p
        return Law(weight, (p, not_p), (q, not_q), size)
    if name in ("blh", "olh"):
        g = 2 if name == "blh" else _floor(weight + real(Fraction(3, 2)))
        p, not_p = weight / (weight + (g - 1)), (g - 1) / (weight + (g - 1))
        q, not_q = real(1) / g, real(g - 1) / g
    elif name == "sue":
        p, not_p = half.exp() / (half.exp() + 1), 1 / (half.exp() + 1)
        q, not_q = not_p, p
    elif name == "oue":
        p, not_p = real(Fraction(1, 2)), real(Fraction(1, 2))
        q, not_q = 1 / (weight + 1), weight / (weight + 1)
    else:
        assert name == "the"
        assert theta is not None
        not_p, q = (-half * real(1 - theta)).exp() / 2, (-half * real(theta)).exp() / 2
        p, not_q = 1 - not_p, 1 - q
    return Law(p * not_q / (not_p * q), (p, not_p), (q, not_q))


def _floor(value: arb) -> int:
    found = value.floor().unique_fmpz()
    return -1 if found is None else int(found)


@dataclass(frozen=True)
class BallProfile:
    """Sizes w of reports with their masses μ[w] and posteriors α, β under the uniform prior (∅ and [k] together)."""

    k: int
    law: Law
    rows: list[tuple[int, arb, arb, arb]]


def profile(k: int, found: Law) -> BallProfile:
    """Return μ[w] = p·Bin(w−1; k−1, q) + (1−p)·Bin(w; k−1, q), or all mass at one size."""
    uniform = real(1) / k
    if found.size is not None:
        masses = {found.size: real(1)}
    else:
        (p, not_p), (q, not_q) = found.p, found.q
        binomial = [not_q ** (k - 1)]
        for w in range(k - 1):
            binomial.append(binomial[-1] * (k - 1 - w) / (w + 1) * (q / not_q))
        masses = {w: p * binomial[w - 1] + not_p * binomial[w] for w in range(1, k)}
        masses[0] = not_p * binomial[0] + p * binomial[k - 1]
    rows = []
    for w, mass in sorted(masses.items()):
        other = 1 / (w * found.ratio + (k - w))
        rows.append((w, mass, found.ratio * other, other) if w else (w, mass, uniform, uniform))
    return BallProfile(k, found, rows)


def capacity_excess(found: BallProfile) -> arb:
    """Return ML − 1."""
    return found.k * _sum(mass * alpha for _, mass, alpha, _ in found.rows) - 1


def min_entropy_capacity(found: BallProfile) -> arb:
    return (1 + capacity_excess(found)).log() / real(2).log()


def shannon_bits(found: BallProfile) -> arb:
    """Return log2 k − Σ μ H."""
    k = found.k
    entropy = _sum(-m * (w * a * a.log() + (k - w) * b * b.log()) for w, m, a, b in found.rows)
    return (real(k).log() - entropy) / real(2).log()


def sibson_two_bits(found: BallProfile) -> arb:
    k = found.k
    total = _sum(m * k * ((w * a * a + (k - w) * b * b) / k).sqrt() for w, m, a, b in found.rows)
    return 2 * total.log() / real(2).log()


def advantage(found: BallProfile) -> arb:
    """Return D(1 − 1/ρ), D = Pr[x ∈ S, x' ∉ S given x]."""
    k = found.k
    telling = _sum(m * a * (w * (k - w)) for w, m, a, _ in found.rows) / (k - 1)
    return telling * (1 - 1 / found.law.ratio)


def guesses_leakage(found: BallProfile, tries: int) -> arb:
    k = found.k
    after = _sum(m * (min(tries, w) * a + max(0, tries - w) * b) for w, m, a, b in found.rows)
    return after - real(Fraction(tries, k))


def guessing_entropy(found: BallProfile) -> arb:
    k = found.k
    return _sum(m * (a * (w * (w + 1)) + b * (k * (k + 1) - w * (w + 1))) for w, m, a, b in found.rows) / 2


def membership_leakage(found: BallProfile, members: int) -> arb:
    """Return what a report adds to telling whether x is one of z ≤ k/2 values: E max(0, 2 Pr[yes | S] − 1).

    For max(m, 1 − m) = 1 − m + max(0, 2m − 1), and E m = z/k.
    """
    k, z, total = found.k, members, real(0)
    for w, mass, alpha, beta in found.rows:
        for j in range(max(0, w + z - k), min(w, z) + 1) if w else ():
            lean = 2 * (j * alpha + (z - j) * beta) - 1
            if not lean <= 0:
                chance = Fraction(comb(z, j) * perm(w, j) * perm(k - w, z - j), perm(k, z))
                total += mass * real(chance) * (lean + abs(lean)) / 2
    return total


def variance(found: BallProfile, frequency: Fraction, n: int) -> arb:
    (p, not_p), (q, not_q), f = found.law.p, found.law.q, real(frequency)
    return (f * p * not_p + (1 - f) * q * not_q) / (n * (p - q) ** 2)


def one_guess_leakage(found: BallProfile, prior: Sequence[Fraction]) -> arb:
    """Return V − π_1 for π decreasing: the first member is guessed if ρπ_i ≥ π_1, else the favourite."""
    weights = [real(weight) for weight in prior]
    rivals = sum(bool(found.law.ratio * weight >= weights[0]) for weight in weights)
    if rivals == 1:
        return real(0)  # no report changes the guess
    first, none = _first_member(found, rivals)
    return _sum(w * chance for w, chance in zip(weights, first, strict=False)) + weights[0] * none - weights[0]


def _first_member(found: BallProfile, count: int) -> tuple[list[arb], arb]:
    """Return Pr[i is the first member | x = i] for i = 1..count, and Pr[none of them is a member | x = 1]."""
    (p, not_p), (_, not_q), k, w = found.law.p, found.law.q, found.k, found.law.size
    if w is None:
        return [p * not_q**i for i in range(count)], not_p * not_q ** (count - 1)
    firsts = [p * real(Fraction(comb(k - 1 - i, w - 1), comb(k - 1, w - 1))) for i in range(count)]
    return firsts, not_p * real(Fraction(comb(k - count, w), comb(k - 1, w)))


def _sum(terms: Iterable[arb]) -> arb:
    total = real(0)
    for term in terms:
        total += term
    return total


def settle(expressions: Callable[[], dict[str, arb]]) -> dict[str, float]:
    """Return expressions as doubles, evaluated with more and more bits until every ball is small or exact."""
    bits = FIRST_BITS
    while bits <= LAST_BITS:
        with ctx.workprec(bits):
            balls = expressions()
            if all(value.is_exact() or value.rel_accuracy_bits() >= SETTLED for value in balls.values()):
                return {name: float(value.mid()) for name, value in balls.items()}
        bits *= 2
    raise ArithmeticError(f"not settled with {LAST_BITS} bits")
