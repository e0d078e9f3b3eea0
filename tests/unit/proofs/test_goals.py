"""Every exported theorem concludes what is written here once more, by hand: nothing less, and nothing else.

The statements are written from the definitions of the paper, with fractions. They are compared with the goals of the
files far beyond the ranges of the theorems, and comparison by comparison: within its range the goal of every theorem is
true, and so is whatever is left of it if a part is gone.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import pytest

from qifldp.proofs import lemmas
from qifldp.proofs.formulas import All
from qifldp.proofs.ledger import CLAIMS, bits, comparisons, minimum, thresholds
from qifldp.proofs.prove import find_claims, smt_files
from unit.proofs.test_ranges import range_of

z3: Any = importlib.import_module("z3")  # it has no types

FILES = smt_files(CLAIMS)

HALF = z3.Q(1, 2)

Errors = tuple[Any, Any]
"""α and β of a channel on one bit: rows (1 − α, α) and (β, 1 − β), the paper's (14)."""


class Goal(NamedTuple):
    """What a theorem concludes.

    Attributes:
        where: Where all fractions have a value, and more: the places at which the goals are compared.
        says: The conclusion.
    """

    where: list[Any]
    says: Any


def sue(s: Any) -> Errors:
    """V-D1: p = e^{ε/2}/(e^{ε/2} + 1), q = 1 − p, s = e^{ε/2}."""
    return 1 / (s + 1), 1 / (s + 1)


def oue(s: Any) -> Errors:
    """V-D2: p = 1/2, q = 1/(e^ε + 1)."""
    return 1 / (s * s + 1), HALF


def the(s: Any, u: Any) -> Errors:
    """VI-A2: errors e^{−εθ/2}/2 and e^{ε(θ − 1)/2}/2, u = e^{εθ/2}."""
    return 1 / (2 * u), u / (2 * s)


def lh(s: Any, g: Any) -> Errors:
    """V-C: a value is supported by chance with 1/g, the true one with e^ε/(e^ε + g − 1)."""
    return 1 / g, 1 - s * s / (s * s + g - 1)


def equivalent(first: Any, second: Any) -> Any:
    return z3.And(z3.Implies(first, second), z3.Implies(second, first))


def refined(original: Errors, to: Errors) -> Any:
    """Lemma 1 (3)."""
    (a, b), (c, d) = original, to
    return z3.And(b / (1 - a) <= d / (1 - c), (1 - b) / a >= (1 - d) / c)


def corners(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Lemma 1 (3) for errors that may be 0 or 1."""
    return z3.And(b * (1 - c) <= d * (1 - a), (1 - b) * c >= (1 - d) * a)


def witness(a: Any, b: Any, c: Any, d: Any) -> Any:
    """By Cramer's rule: the first column of the W with C·W = D, all entries of which are chances."""
    size = (1 - a) * (1 - b) - a * b
    kept, other = ((1 - c) * (1 - b) - a * d) / size, ((1 - a) * d - (1 - c) * b) / size
    return z3.And(*(z3.And(x >= 0, x <= 1) for x in (kept, other)))


def hull(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Lemma 1 (2): z/(z + o) of D's two columns (z, o) is at most that of C's first one and at least of its second."""
    (z, o), (w, v) = (1 - a, b), (a, 1 - b)
    return z3.And(((1 - c) * (z + o) <= z * ((1 - c) + d)), c * (w + v) >= w * (c + (1 - d)))


def max_case(a: Any, b: Any, c: Any, d: Any, *, columns: int = 2) -> Any:
    """Both posteriors of D lie between C's: of a column (z, o) between those of (1 − a, b) and (a, 1 − b)."""
    return z3.And(*((z * b - o * (1 - a)) * (z * (1 - b) - o * a) <= 0 for z, o in [(1 - c, d), (c, 1 - d)][:columns]))


def ratios_at_most(bit: Errors, most: Any) -> Any:
    """ε-DP of a bit: no entry is more than so many times the other one of its column."""
    a, b = bit
    return z3.And(1 - a <= most * b, b <= most * (1 - a), a <= most * (1 - b), 1 - b <= most * a)


def named_errors(a: Any, b: Any, bit: Errors, then: Any) -> Any:
    return z3.Implies(a == bit[0], z3.Implies(b == bit[1], then))


def whole_ratio(bit: Errors) -> Any:
    """p(1 − q)/((1 − p)q), the largest ratio of whole reports."""
    a, b = bit
    return (1 - b) * (1 - a) / (b * a)


def whole_reports(s: Any, u: Any, a: Any, b: Any, most: Any) -> Any:
    """Def. 9: the largest ratio of whole reports is at most so much for SUE, OUE and THE (multiplied out)."""
    own = (1 - b) * (1 - a) <= most * b * a
    return z3.And(*(named_errors(a, b, bit, own) for bit in (sue(s), oue(s), the(s, u))))


def grr_noise(r: Any, t: Any, k: Any, w: Any) -> Goal:
    """Lemma 3: noise that keeps a value with w turns p and q of GRR at e^ε = r into those at t."""
    (p, q), (kept, other) = ((x / (x + k - 1), 1 / (x + k - 1)) for x in (r, t))
    weight = (kept - q) / (p - q)
    row = [w * p + (1 - w) * q == kept, w * q + (1 - w) / (k - 1) * (p + (k - 2) * q) == other]
    return Goal([r > 1, t > 0, k > 1], z3.And(weight >= 0, weight <= 1, z3.Implies(w == weight, z3.And(*row))))


def set_noise(r: Any, t: Any, k: Any, o: Any, w: Any) -> Goal:
    """Any set of size o holds a value with o/k; SS's own one at e^ε = x with o x/(o x + k − o)."""
    before, after = (o * x / (o * x + k - o) for x in (r, t))
    weight = (after - o / k) / (before - o / k)
    gives = z3.Implies(w == weight, w * before + (1 - w) * o / k == after)
    return Goal([r > 1, t > 0, o > 0, k > o], z3.And(weight >= 0, weight <= 1, gives))


def column_of_sue(s: Any, a: Any, b: Any, w: Any, v: Any) -> Goal:
    """By Cramer's rule: the column (w, v) of which SUE makes (a, b)."""
    p, q = s / (s + 1), 1 / (s + 1)
    first, second = (p * a - q * b) / (p * p - q * q), (p * b - q * a) / (p * p - q * q)
    makes = z3.And(p * w + q * v == a, q * w + p * v == b)
    says = z3.And(first >= 0, second >= 0, z3.Implies(w == first, z3.Implies(v == second, makes)))
    return Goal([s > 1], says)


def least_variance(p: Any, q: Any, s: Any, *, rare: bool) -> Goal:
    """Var/n of rare values is 4e^ε/(e^ε − 1)² for OUE; of one that everybody has (e^ε + 1)²/(e^ε − 1)²."""
    least = (4 * s * s if rare else (s * s + 1) * (s * s + 1)) / ((s * s - 1) * (s * s - 1))
    chance = q if rare else p
    return Goal([p > q, s > 1], chance * (1 - chance) / ((p - q) * (p - q)) >= least)


def minimum_of_both(s: Any) -> tuple[list[Any], list[Any]]:
    """The matrix M_ε of Lemma 12."""
    return (
        [s / (s + 1), 1 / (s + 1) - 1 / (s * s + 1), 1 / (s * s + 1)],
        [1 / (s + 1), s / (s + 1) - HALF, HALF],
    )


def minimum_is_a_channel(s: Any, *, reverse: bool = False) -> Goal:
    """Lemma 12: no entry is negative, and ratios of columns rise; 0 is a place where the second row has one."""
    zero, one = (row[::-1] if reverse else row for row in minimum_of_both(s))
    rise = [one[i] * zero[i + 1] <= one[i + 1] * zero[i] for i in (0, 1)]
    return Goal([s > -1], z3.And(*(entry >= 0 for entry in (*zero, *one)), *rise))


def minimum_one_hot(s: Any, x: Any, y: Any, *, more: bool) -> Goal:
    """Lemma 12 one-hot: x/y is the largest ratio (own bit 1 for 0, another one 0 for 1): s(s² + 1)/2 and above e^ε."""
    zero, one = minimum_of_both(s)
    bound = [2 * x == s * (s * s + 1) * y, x > s * s * y] if more else [x <= s * s * y]
    largest = [one[i] * zero[j] * y <= x * zero[i] * one[j] for i, j in product(range(3), repeat=2)]
    then = z3.Implies(x == one[2] * zero[0], z3.Implies(y == one[0] * zero[2], z3.And(*bound, *largest)))
    return Goal([s > 1], z3.And(one[0] * zero[2] > 0, then))


def from_threshold(s: Any, u: Any, factor: int = 1) -> tuple[Any, Any]:
    """Lemma 10: u ≥ (s² + 1 + (s − 1)√(s² + 1))/(2s), as u ≥ (s² + 1)/(2s) and a square that is large enough."""
    beyond = u - (s * s + 1) / (2 * s)
    return beyond >= 0, factor * beyond * beyond >= (s - 1) * (s - 1) * (s * s + 1) / (4 * s * s)


def part_of_lemma_10(s: Any, u: Any, part: int, factor: int = 1) -> Goal:
    says, (first, second) = refined(oue(s), the(s, u)), from_threshold(s, u, factor)
    parts = [z3.Implies(first, z3.Implies(second, says)), z3.Implies(says, first), z3.Implies(says, second)]
    return Goal(with_the(s, u), parts[part - 1])


def with_the(s: Any, u: Any) -> list[Any]:
    """Where errors of THE are below 1."""
    return [s > 0, 2 * u > 1, 2 * s > u]


def two_the(s: Any, u: Any, t: Any, z: Any, *, backwards: bool = False) -> Goal:
    pair = (the(s, u), the(t, z))
    return Goal([*with_the(s, u), *with_the(t, z)], refined(*(pair[::-1] if backwards else pair)))


def one_theta(x: Any, y: Any, top: int, bottom: int) -> Goal:
    """Lemma 5 at θ = top/bottom, s and u powers of one number."""
    (s, u), (t, z) = ((power(root, bottom), power(root, top)) for root in (x, y))
    return Goal([x >= 1, y >= 1], refined(the(s, u), the(t, z)))


def power(number: Any, exponent: int) -> Any:
    return number * power(number, exponent - 1) if exponent > 1 else number


def slope(k: Any, s: Any) -> Any:
    """d/ds ln[2(s² + 1)^{k−1}/(s^{k−2}(s + 1)^k)]."""
    return 2 * (k - 1) * s / (s * s + 1) - (k - 2) / s - k / (s + 1)


def binary_capacity(x: Any, y: Any) -> Any:
    """(27) at g = 2: (e^ε 2^k + 1 − e^ε)/((e^ε + 1) 2^{k−1}), y = 2^k."""
    return (x * y + 1 - x) / ((x + 1) * (y / 2))


def logarithm(k: Any, v: Any, a: Any, b: Any) -> Any:
    """ln[2(s² + 1)^{k−1}/(s^{k−2}(s + 1)^k)], whose powers of s cancel: v = ln 2, a = ln(1 + 1/s²), b = ln(1 + 1/s)."""
    return v + (k - 1) * a - k * b


GOALS: dict[str, Callable[..., Goal]] = {
    "blh-below-2": lambda x, y: Goal([x > -1, y > 0], binary_capacity(x, y) < 2),
    "corollary-2": lambda a, b, c, d: Goal([a + b != 1], equivalent(max_case(a, b, c, d), witness(a, b, c, d))),
    "corollary-2-trivial": lambda c, d: Goal(
        [], equivalent(z3.And((1 - c) == HALF * (1 - c + d), c == HALF * (c + 1 - d)), 1 - c == d)
    ),
    "definition-9": lambda s, u, a, b: Goal([s > 0, u > 0], whole_reports(s, u, a, b, s * s)),
    "epsilon-k-below": lambda k, v, s, a, b: Goal([], logarithm(k, v, a, b) > 0),
    "epsilon-k-beyond": lambda k, v, s, a, b: Goal([], z3.And(s > 1, logarithm(k, v, a, b) < 0)),
    "epsilon-k-once": lambda k, s, t: Goal(
        [s > 0, t > 0], z3.And(slope(k, z3.RealVal(1)) < 0, z3.Implies(slope(k, s) >= 0, slope(k, t) > 0))
    ),
    "half-dp": lambda s, u: Goal(
        with_the(s, u), z3.And(ratios_at_most(the(s, u), s), z3.Not(ratios_at_most(oue(s), s)))
    ),
    "half-dp-sue": lambda s, a, b: Goal([s > 0], named_errors(a, b, sue(s), ratios_at_most((a, b), s))),
    "lemma-1-1-3": lambda a, b, c, d: Goal([a + b < 1], equivalent(witness(a, b, c, d), corners(a, b, c, d))),
    "lemma-1-2-3": lambda a, b, c, d: Goal([], equivalent(hull(a, b, c, d), corners(a, b, c, d))),
    "lemma-2": lambda a, b, c, d: Goal([], z3.Implies(z3.And(a <= c, b <= d), corners(a, b, c, d))),
    "lemma-3": grr_noise,
    "lemma-5": two_the,
    "lemma-5-theta-3-4": lambda x, y: one_theta(x, y, 3, 4),
    "lemma-5-theta-3-5": lambda x, y: one_theta(x, y, 3, 5),
    "lemma-5-theta-9-10": lambda x, y: one_theta(x, y, 9, 10),
    "lemma-7": lambda s, t: Goal([s > 0, t > 0], refined(sue(s), sue(t))),
    "lemma-8": lambda s, t: Goal([s > 0, t > 0], refined(oue(s), oue(t))),
    "lemma-9": lambda s: Goal([s > 0], z3.And(z3.Not(refined(sue(s), oue(s))), z3.Not(refined(oue(s), sue(s))))),
    "lemma-10-1": lambda s, u: part_of_lemma_10(s, u, 1),
    "lemma-10-2": lambda s, u: part_of_lemma_10(s, u, 2),
    "lemma-10-3": lambda s, u: part_of_lemma_10(s, u, 3),
    "lemma-11": lambda s, u: Goal(with_the(s, u), refined(sue(s), the(s, u))),
    "lemma-11-printed": lambda s, u: Goal(with_the(s, u), refined(sue(s), the(s, u))),
    "lemma-11-small-theta": lambda s, u: Goal(with_the(s, u), refined(sue(s), the(s, u))),
    "lemma-12": minimum_is_a_channel,
    "lemma-12-one-hot-more": lambda s, x, y: minimum_one_hot(s, x, y, more=True),
    "lh-family": lambda s, t, g: Goal([s > 0, t > 0, g > 1], refined(lh(s, g), lh(t, g))),
    "oue-least-variance": lambda p, q, s: least_variance(p, q, s, rare=True),
    "ss-family": set_noise,
    "the-tight": lambda s, u: Goal(with_the(s, u), whole_ratio(the(s, u)) < s * s),
    "theta-half-never": lambda s, u: Goal(with_the(s, u), z3.Not(refined(oue(s), the(s, u)))),
    "theta-one-always": lambda s, u: Goal(with_the(s, u), refined(oue(s), the(s, u))),
    "universal-1": column_of_sue,
}
"""By the names of the files, as the ranges are."""

ALTERED_GOALS: dict[str, Callable[..., Goal]] = {
    "blh-below-1": lambda x, y: Goal([x > -1, y > 0], binary_capacity(x, y) < 1),
    "corollary-2": lambda a, b, c, d: Goal(
        [a + b != 1], equivalent(max_case(a, b, c, d, columns=1), witness(a, b, c, d))
    ),
    "definition-9": lambda s, u, a, b: Goal([s > 0, u > 0], whole_reports(s, u, a, b, s)),
    "epsilon-k-beyond": GOALS["epsilon-k-beyond"],
    "epsilon-k-once": GOALS["epsilon-k-once"],
    "half-dp-oue": lambda s, a, b: Goal([s > 0], named_errors(a, b, oue(s), ratios_at_most((a, b), s))),
    "half-dp-the": lambda s, u: Goal(with_the(s, u), z3.Not(ratios_at_most(the(s, u), s))),
    "lemma-1": GOALS["lemma-1-1-3"],
    "lemma-2": lambda a, b, c, d: Goal([], z3.Implies(b <= d, corners(a, b, c, d))),
    "lemma-3": grr_noise,
    "lemma-5": lambda s, u, t, z: two_the(s, u, t, z, backwards=True),
    "lemma-7": lambda s, t: Goal([s > 0, t > 0], refined(sue(t), sue(s))),
    "lemma-8": lambda s, t: Goal([s > 0, t > 0], refined(oue(t), oue(s))),
    "lemma-9": GOALS["lemma-9"],
    "lemma-10-1": lambda s, u: part_of_lemma_10(s, u, 1, factor=2),
    "lemma-11": lambda s, u: Goal(with_the(s, u), refined(the(s, u), sue(s))),
    "lemma-12": lambda s: minimum_is_a_channel(s, reverse=True),
    "lemma-12-one-hot-at-most": lambda s, x, y: minimum_one_hot(s, x, y, more=False),
    "lh-family": lambda s, t, g: Goal([s > 0, t > 0, g > 1], refined(lh(t, g), lh(s, g))),
    "oue-least-variance": lambda p, q, s: least_variance(p, q, s, rare=False),
    "ss-family": lambda r, t, k, o, w: set_noise(t, r, k, o, w),
    "the-tight": lambda s, u: Goal(with_the(s, u), whole_ratio(the(s, u)) >= s * s),
    "theta-half-always": lambda s, u: Goal(with_the(s, u), refined(oue(s), the(s, u))),
    "theta-one-never": lambda s, u: Goal(with_the(s, u), z3.Not(refined(oue(s), the(s, u)))),
    "universal-2": column_of_sue,
}
"""Of the wrong forms; some have the conclusion of the right one and assume less."""


def goal_of(name: str) -> Callable[..., Goal]:
    return ALTERED_GOALS[name.removesuffix("-altered")] if name.endswith("-altered") else GOALS[name]


def concluded(text: str) -> Any:
    """Return what the last assertion denies."""
    (goal,) = list(z3.parse_smt2_string(text))[-1].children()
    return goal


def comparisons_in(formula: Any) -> Iterator[Any]:
    """Yield the comparisons that a formula is made of."""
    if formula.num_args() and all(part.sort_kind() == z3.Z3_REAL_SORT for part in formula.children()):
        yield formula
    else:
        for part in formula.children():
            yield from comparisons_in(part)


# Names are replaced by their values before anything else: with them z3's own order of steps now and then takes long.
STEPS = ("simplify", "purify-arith", "propagate-values", "solve-eqs", "qfnra-nlsat")


def alike(first: Any, second: Any) -> Any:
    """Return: both comparisons are true or both are not, and both sides are equal in both or in none."""
    ends = (one.arg(0) == one.arg(1) for one in (first, second))
    return z3.And(first == second, next(ends) == next(ends))


def is_true_everywhere(formula: Any, where: Sequence[Any]) -> bool:
    alone = z3.Context()  # so that it is as fast after other questions
    solver = z3.Then(*STEPS, ctx=alone).solver()
    solver.add(*(part.translate(alone) for part in where), z3.Not(formula).translate(alone))
    verdict = solver.check()
    assert verdict != z3.unknown
    return bool(verdict == z3.unsat)


def unlike(text: str, wanted: Callable[..., Goal]) -> str | None:
    """Return how a file's goal is not the one that is wanted, or None if it is.

    Every comparison of the wanted one is in the file, as often, where names are free: some are true with the values of
    the names, and some wherever fractions have a value. And both goals are true at the same points.
    """
    names = re.findall(r"\(declare-fun (\w+) \(\) Real\)", text)
    assert list(inspect.signature(wanted).parameters)[: len(names)] == names
    goal, found = wanted(*map(z3.Real, names)), concluded(text)
    left = list(comparisons_in(found))
    for one in comparisons_in(goal.says):
        place = next((i for i, part in enumerate(left) if is_true_everywhere(alike(part, one), goal.where)), None)
        if place is None:
            return f"without {one}"
        del left[place]
    return None if is_true_everywhere(found == goal.says, goal.where) else "true at other points"


@pytest.mark.parametrize("file", FILES)
def test_a_theorem_concludes_what_it_is_said_to_conclude(file: str) -> None:
    name = file.removesuffix(".smt2")
    assert unlike(FILES[file], goal_of(name)) is None


@pytest.mark.parametrize("file", FILES)
def test_goals_are_compared_all_over_the_range(file: str) -> None:
    names = re.findall(r"\(declare-fun (\w+) \(\) Real\)", FILES[file])
    name, terms = file.removesuffix(".smt2"), [z3.Real(name) for name in names]
    assert is_true_everywhere(z3.And(*goal_of(name)(*terms).where), range_of(name)(*terms))


def test_every_goal_is_of_a_theorem() -> None:
    assert {*GOALS, *(f"{name}-altered" for name in ALTERED_GOALS)} == {file.removesuffix(".smt2") for file in FILES}


def test_the_threshold_of_lemma_10_is_its_two_parts() -> None:
    """With r = √(s² + 1)."""
    s, u, r = map(z3.Real, ("s", "u", "r"))
    root = [s > 1, r > 0, r * r == s * s + 1]
    edge = u >= (s * s + 1 + (s - 1) * r) / (2 * s)
    assert is_true_everywhere(edge == z3.And(*from_threshold(s, u)), root)


def without(*places: int) -> Callable[[Any], Any]:
    """Return what leaves parts out of what is joined by and, where there are more than two."""
    return lambda right: lambda parts: right([x for i, x in enumerate(parts) if i not in places or len(parts) < 3])


WEAKER: dict[str, tuple[str, Any, str, Callable[[Any], Any]]] = {
    "definition-9": ("without THE", bits, "bits", lambda right: lambda *terms: right(*terms)[:2]),
    "half-dp-sue": (
        "two ratios of four", comparisons, "_private_bit",
        lambda right: lambda *bit, **most: All(right(*bit, **most).parts[:2]),
    ),
    "universal-1": ("one entry of a column", comparisons, "All", without(1)),
    "lemma-12": ("the first row only", minimum, "All", without(3, 4, 5)),
    "lemma-12-one-hot-more": ("two columns of three", minimum, "range", lambda _: lambda _: range(2)),
    "lemma-3": (
        "one entry of two", lemmas, "channel_with",
        lambda right: lambda name, weight, *entries: right(name, weight, *entries[:-1]),
    ),
    "lemma-7": ("one corner of two", lemmas, "bit_refines", lambda right: lambda **pair: All(right(**pair).parts[1:])),
    "lemma-10-1": ("a larger radicand", thresholds, "_beyond", lambda right: lambda s, u, _: right(s, u, 2)),
}  # fmt: skip
"""By file: what is wrong with a theorem that says less, and how it is made."""

CLAIM_OF = {"half-dp-sue": "sue-half-epsilon", "universal-1": "universal-optimality", "lemma-10-1": "lemma-10"}
"""Where a file is not named like its claim."""


@pytest.mark.parametrize("name", WEAKER)
def test_a_theorem_that_concludes_less_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, place, function, weaker = WEAKER[name]
    right: Any = getattr(place, function, None)
    monkeypatch.setattr(place, function, weaker(right), raising=False)
    files = smt_files(find_claims(CLAIM_OF.get(name, name.removesuffix("-more"))))
    assert files[f"{name}.smt2"] != FILES[f"{name}.smt2"]
    assert unlike(files[f"{name}.smt2"], GOALS[name]) is not None
