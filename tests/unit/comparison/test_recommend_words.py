"""The sentences of a recommendation say what is so, and whoever follows them gets what they say."""

from __future__ import annotations

import re

import pytest

from qifldp.comparison.candidates import Goal
from qifldp.comparison.recommend import recommend
from qifldp.exact.budget import Budget


def test_it_is_said_at_which_budget_a_mixture_stands_beside_those_at_their_least() -> None:
    found = recommend(domain_size=10, n=1_000, goal=Goal("error", 0.05))
    assert found.chosen is not None
    assert f"{found.chosen.tight_epsilon:.4g}" == "1.328"
    assert " to at most 5 % (the mixture at 1.328), it leaks least to one guess;" in found.sentences[1]
    alone = recommend(domain_size=10, n=1_000, goal=Goal("error", 0.05), specs=("ss", "mix:parts=0.5*ss@5+0.5*ss@6"))
    assert all("(the mixture at" not in sentence for sentence in alone.sentences)


def test_too_few_reports_are_said_to_be_too_few() -> None:
    sentence = (
        "So few reports tell next to nothing, as frequencies are between 0 % and 100 %: "
        "a standard error of 10 % takes some 40,000."
    )
    goal = Goal("epsilon", Budget.read("0.1"))
    found = recommend(domain_size=50, n=100, goal=goal)
    assert found.chosen is not None
    assert found.chosen.standard_error == pytest.approx(2, rel=0.05)
    assert found.sentences[3] == sentence
    enough = recommend(domain_size=50, n=40_000, goal=goal)
    assert enough.chosen is not None
    assert enough.chosen.standard_error == pytest.approx(0.1, rel=0.05)
    assert not any("So few reports" in one for one in enough.sentences)


def test_what_comes_from_the_frontier_is_said_where_it_was_not_asked_for() -> None:
    found = recommend(domain_size=10, n=100_000, goal=Goal("epsilon", Budget.read(1)), specs=("the", "sue", "oue"))
    assert "SS is none of the protocols asked about: it comes from the frontier of all." in found.sentences
    named = recommend(domain_size=10, n=100_000, goal=Goal("epsilon", Budget.read(1)))
    assert not any("none of the protocols" in sentence for sentence in named.sentences)


def test_a_large_epsilon_that_nothing_limits_is_pointed_out() -> None:
    """One guess is not all: BLH keeps it down at any ε, with reports that tell nearly everything now and then."""
    goal = Goal("error", 0.001)
    found = recommend(domain_size=1000, n=10**6, goal=goal)
    assert found.chosen is not None
    assert found.chosen.protocol == "BLH"
    assert "its tight ε is 7.197, and SS keeps the limit with 1.761." in found.sentences[-1]
    capped = recommend(domain_size=1000, n=10**6, goal=Goal("error", 0.001, cap=Budget.read(8)))
    assert not any("tight ε is" in one for one in capped.sentences)
    alike = recommend(domain_size=1000, n=10**6, goal=goal, specs=("oue", "olh"))
    assert not any("tight ε is" in one for one in alike.sentences)


def test_few_per_cent_are_told_as_such() -> None:
    found = recommend(domain_size=1000, n=10**6, goal=Goal("epsilon", Budget.read(2)))
    reasons = {other.protocol: other.reason for other in found.others}
    errors = {c.protocol: c.standard_error or 0 for c in (found.chosen, *found.others) if c is not None}
    assert reasons["OUE"].startswith(f"errs {100 * (errors['OUE'] / errors['SS'] - 1):.2g} % more, ")
    assert reasons["BLH"].startswith(f"errs {errors['BLH'] / errors['SS']:.3g} times as much, ")


@pytest.mark.parametrize(("k", "n", "error"), [(2, 10**5, 0.01), (3, 10**5, 0.01), (8, 10**5, 0.01), (2, 10**12, 1e-6)])
def test_a_smaller_budget_that_is_advised_is_enough(k: int, n: int, error: float) -> None:
    """By the digits that the advice has."""
    found = recommend(domain_size=k, n=n, goal=Goal("error", error))
    (advice,) = re.findall(r"(\w+) keeps the limit with ([\d.]+)\.", " ".join(found.sentences))
    taken = recommend(domain_size=k, n=n, goal=Goal("error", error, cap=Budget.read(advice[1])))
    assert taken.chosen is not None
    assert advice[0] in {one.protocol for one in (taken.chosen, *taken.others) if one.outcome != "infeasible"}


def test_a_budget_that_is_too_small_is_told_from_the_one_needed() -> None:
    found = recommend(domain_size=2, n=10**5, goal=Goal("error", 0.01, cap=Budget.read("0.31489")))
    assert found.chosen is None
    assert "GRR: it needs a tight ε of 0.315, above 0.31489" in {f"{o.protocol}: {o.reason}" for o in found.others}


def test_no_larger_epsilon_is_advised_where_reports_are_too_large_at_any() -> None:
    goal = Goal("error", 0.00066946, most_bytes=1, cap=Budget.read("2.55165"))
    found = recommend(domain_size=3000, n=10**5, goal=goal)
    reasons = {other.protocol: other.reason for other in found.others}
    assert reasons["GRR"] == "its reports have 2 bytes, above 1"


def test_leakage_that_is_less_by_digits_that_do_not_show() -> None:
    found = recommend(domain_size=10**5, n=10**12, goal=Goal("epsilon", Budget.read(60)))
    reasons = {other.protocol: other.reason for other in found.others}
    assert re.fullmatch(
        "errs [0-9,]+ times as much, for leakage that is less by less than four digits show", reasons["SUE"]
    )


def test_one_report_and_one_bit_are_named_as_one() -> None:
    one = recommend(domain_size=4, n=1, goal=Goal("bits", 1.0))
    words = " ".join(one.sentences)
    assert "from 1 report," in words
    assert "a report to at most 1 bit" in words
    assert "1 bits" not in words


def test_nothing_keeps_an_impossible_limit() -> None:
    found = recommend(domain_size=4, n=1000, goal=Goal("asr", 0.2))
    assert found.chosen is None
    assert {other.outcome for other in found.others} == {"infeasible"}
    (sentence,) = found.sentences
    assert sentence == (
        "No protocol keeps the chance of a right guess to at most 20 % over 4 values: "
        "without a report, too, a guess is right with 25 %."
    )
    assert found.to_json()["recommended"] is None


def test_that_nothing_keeps_a_limit_is_said_of_those_named_where_others_may() -> None:
    found = recommend(domain_size=20, n=1000, goal=Goal("error", 0.001), specs=("blh",))
    assert found.sentences == (
        "None of the protocols named keeps the standard error to at most 0.1 % over 20 values and 1,000 reports.",
    )
    small = recommend(domain_size=300, n=1000, goal=Goal("epsilon", Budget.read(1), 1), specs=("oue",))
    assert small.sentences[0].startswith("None of the protocols named keeps the tight ε ")
