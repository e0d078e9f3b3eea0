"""Every exported theorem is about the range that is written here once more, by hand: no wider, and no narrower.

A theorem that assumes more than its words say would still be proved; here z3 compares its assumptions with the range.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

from qifldp.proofs import lemmas
from qifldp.proofs.formulas import above, at_least
from qifldp.proofs.ledger import CLAIMS, comparisons
from qifldp.proofs.prove import find_claims, smt_files
from qifldp.proofs.terms import Term

z3: Any = importlib.import_module("z3")  # it has no types

FILES = smt_files(CLAIMS)

Range = Callable[..., list[Any]]


def errors_within(a: Any, b: Any, c: Any, d: Any) -> list[Any]:
    return [x >= 0 for x in (a, b, c, d)] + [x <= 1 for x in (a, b, c, d)]


def trade_off_points(a: Any, b: Any, c: Any, d: Any) -> list[Any]:
    return [*errors_within(a, b, c, d), a + b < 1, c + d <= 1]


def any_theta(s: Any, u: Any) -> list[Any]:
    """Every ε > 0 and every θ in [0, 1], ends included."""
    return [s > 1, u >= 1, u <= s]


def smaller_budget(s: Any, t: Any) -> list[Any]:
    """All ε′ ≥ ε ≥ 0."""
    return [t >= 1, s >= t]


def logarithms(k: Any, v: Any, s: Any, a: Any, b: Any, distance: int) -> list[Any]:
    places = [k >= 4, v >= z3.Q(693, 1000), v <= z3.Q(694, 1000), (s + distance) * v == k]
    return [*places, s * s * a <= 1, 2 * s * s * b >= 2 * s - 1]


RANGES: dict[str, Range] = {
    "blh-below-2": lambda x, y: [x >= 1, y >= 4],
    "corollary-2": lambda a, b, c, d: [*errors_within(a, b, c, d), a + b != 1],
    "corollary-2-trivial": lambda c, d: [c >= 0, c <= 1, d >= 0, d <= 1],
    "definition-9": lambda s, u, a, b: any_theta(s, u),
    "epsilon-k-below": lambda k, v, s, a, b: [k >= 3, v > 0, s > 0, a >= 0, s * b < 1, s * v == k],
    "epsilon-k-beyond": lambda k, v, s, a, b: logarithms(k, v, s, a, b, distance=2),
    "epsilon-k-once": lambda k, s, t: [k >= 3, s >= 1, t > s],
    "half-dp": any_theta,
    "half-dp-sue": lambda s, a, b: [s > 1],
    "lemma-1-1-3": trade_off_points,
    "lemma-1-2-3": trade_off_points,
    "lemma-2": trade_off_points,
    "lemma-3": lambda r, t, k, w: [r > 1, r >= t, t >= 1, k >= 2],
    "lemma-5": lambda s, u, t, z: [z >= 1, t >= z, u >= z, s * z >= t * u],
    "lemma-5-theta-3-4": lambda x, y: [y >= 1, x >= y],
    "lemma-5-theta-3-5": lambda x, y: [y >= 1, x >= y],
    "lemma-5-theta-9-10": lambda x, y: [y >= 1, x >= y],
    "lemma-7": smaller_budget,
    "lemma-8": smaller_budget,
    "lemma-9": lambda s: [s > 1],
    "lemma-10-1": any_theta,
    "lemma-10-2": any_theta,
    "lemma-10-3": any_theta,
    "lemma-11": lambda s, u: [s >= 1, u >= 1, u <= s],
    "lemma-11-printed": any_theta,
    "lemma-11-small-theta": lambda s, u: [s > 1, u >= 1, u * u < s],
    "lemma-12": lambda s: [s > 1],
    "lemma-12-one-hot-more": lambda s, x, y: [s > 1],
    "lh-family": lambda s, t, g: [t >= 1, s >= t, g >= 2],
    "oue-least-variance": lambda p, q, s: [q > 0, q < p, p < 1, s > 1, p * (1 - q) == s * s * (1 - p) * q],
    "ss-family": lambda r, t, k, o, w: [t > 1, r >= t, o >= 1, o <= k - 1],
    "the-tight": any_theta,
    "theta-half-never": lambda s, u: [s > 1, u >= 1, u * u == s],
    "theta-one-always": lambda s, u: [s > 1, u == s],
    "universal-1": lambda s, a, b, w, v: [s > 1, a <= s * b, b <= s * a],
}
"""By the names of the files, less what the altered form is called; s, u and so on as they are explained there."""

ALTERED_RANGES: dict[str, Range] = {
    "blh-below-1-altered": RANGES["blh-below-2"],
    "epsilon-k-beyond-altered": lambda k, v, s, a, b: logarithms(k, v, s, a, b, distance=1),
    "epsilon-k-once-altered": lambda k, s, t: [k >= 2, s >= 1, t > s],
    "half-dp-oue-altered": RANGES["half-dp-sue"],
    "half-dp-the-altered": any_theta,
    "lemma-1-altered": lambda a, b, c, d: [*errors_within(a, b, c, d), a + b < 1],
    "lemma-3-altered": lambda r, t, k, w: [r > 1, t >= r, k >= 2],
    "lemma-9-altered": lambda s: [s >= 1],
    "lemma-12-one-hot-at-most-altered": RANGES["lemma-12-one-hot-more"],
    "theta-half-always-altered": RANGES["theta-half-never"],
    "theta-one-never-altered": RANGES["theta-one-always"],
    "universal-2-altered": lambda s, a, b, w, v: [s > 1, a <= s * s * b, b <= s * s * a],
}
"""Of wrong forms with a range or name of their own; the others have that of the right form."""


def range_of(name: str) -> Range:
    return ALTERED_RANGES[name] if name in ALTERED_RANGES else RANGES[name.removesuffix("-altered")]


def differs(text: str, wanted: Range) -> Any:
    """Return a point that is assumed and not in the range, or the other way round; None if there is none."""
    names = re.findall(r"\(declare-fun (\w+) \(\) Real\)", text)
    assert list(inspect.signature(wanted).parameters) == names
    assumed = z3.And(*list(z3.parse_smt2_string(text))[:-1])  # the last one is that the conclusion fails
    solver = z3.Solver()
    solver.add(assumed != z3.And(*wanted(*map(z3.Real, names))))
    verdict = solver.check()
    assert verdict != z3.unknown
    return solver.model() if verdict == z3.sat else None


@pytest.mark.parametrize("file", FILES)
def test_a_theorem_is_about_the_range_that_it_is_said_to_be_about(file: str) -> None:
    assert differs(FILES[file], range_of(file.removesuffix(".smt2"))) is None


def test_every_range_is_of_a_theorem() -> None:
    assert {*RANGES, *ALTERED_RANGES} <= {file.removesuffix(".smt2") for file in FILES}


SMALLEST: dict[str, str | None] = {
    **dict.fromkeys(("blh-below-1", "blh-below-2"), "x"),
    **dict.fromkeys(("corollary-2", "corollary-2-trivial", "lemma-1", "lemma-1-1-3", "lemma-1-2-3", "lemma-2")),
    **dict.fromkeys(("epsilon-k-below", "epsilon-k-beyond")),
    "epsilon-k-once": "s",
    **dict.fromkeys(("lemma-5-theta-3-4", "lemma-5-theta-3-5", "lemma-5-theta-9-10"), "y"),
}
"""The variable that is 1 where the smallest ε is 0, if it is not t, nor s where there is no t; None if no ε varies."""


@pytest.mark.parametrize("file", FILES)
def test_words_include_a_budget_of_zero_where_the_theorem_does(file: str) -> None:
    text, name = FILES[file], file.removesuffix(".smt2").removesuffix("-altered")
    smallest = SMALLEST.get(name, "t" if "(declare-fun t ()" in text else "s")
    if smallest is None:
        return
    solver = z3.Solver()
    solver.add(*list(z3.parse_smt2_string(text))[:-1], z3.Real(smallest) == 1)
    words = text.partition("(set-logic")[0]
    assert bool(re.search(r"epsilon >= 0|>= 1\b", words)) == (solver.check() == z3.sat)
    assert re.search(r"epsilon >=? 0|>=? 1\b", words)


def narrower(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the file of a theorem from the code with one end of a range moved."""
    if name == "lemma-9":
        monkeypatch.setattr(comparisons, "above", lambda term, end: above(term, end + 1))
    elif name in ("lemma-7", "lemma-8"):
        monkeypatch.setattr(lemmas, "at_least", lambda x, y: at_least(x, 2 if isinstance(y, int) and y == 1 else y))
    else:
        right = lemmas.domain

        def domain(s: Term, u: Term, *, positive: bool = False) -> list[Any]:
            return [*right(s, u, positive=positive), at_least(s, 2)]

        for place in (lemmas, comparisons):
            monkeypatch.setattr(place, "domain", domain)
    return smt_files(find_claims({"the-tight": "the-spends-less", "half-dp": "the-half-epsilon"}.get(name, name)))[
        f"{name}.smt2"
    ]


@pytest.mark.parametrize("name", ["lemma-7", "lemma-8", "lemma-9", "lemma-11", "half-dp", "the-tight"])
def test_a_narrower_theorem_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert differs(narrower(name, monkeypatch), range_of(name)) is not None


def test_no_part_of_a_theorem_is_gone_before_a_prover_sees_it() -> None:
    """Sums of rational functions that are zero would leave 0 = 0 in the file, whatever they were made of."""
    gone = {name for name, text in FILES.items() if re.search(r"\((?:=|>=|>) 0 0\)", text)}
    assert gone == set()
