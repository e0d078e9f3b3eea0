"""``--match``: the named figure really is equal to the first protocol's, or the row says why it is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.terminal import Terminal

EQUAL = 1e-9
"""Relative difference within which the solver promises that figures are equal."""

FIGURES = {"tight-epsilon": "tight_epsilon", "asr": "asr_uniform", "shannon": "shannon_capacity_bits"}


def matched(terminal: Terminal, match: str, size: str, epsilon: str, protocols: str) -> list[dict[str, Any]]:
    """Return the rows of a comparison at an equal figure."""
    options = ("--domain-size", size, "--epsilon", epsilon, "--match", match, "--protocols", protocols)
    document = terminal("compare", *options, "--json").document()
    assert document["question"]["match"] == match
    rows: list[dict[str, Any]] = document["rows"]
    return rows


@pytest.mark.parametrize("match", FIGURES)
@pytest.mark.parametrize("epsilon", ["0.1", "ln(3)", "3"])
@pytest.mark.parametrize("size", ["2", "10", "300"])
def test_the_named_figure_is_equal_or_the_row_says_why_not(
    terminal: Terminal, match: str, epsilon: str, size: str
) -> None:
    key = FIGURES[match]
    first, *others = matched(terminal, match, size, epsilon, "the,grr,ss,blh,olh,sue,oue")
    equal = 0
    for row in others:
        if row[key] is None:
            assert row["epsilon"] is None
            assert row["reasons"]["epsilon"] == (f"no ε gives it the {match} of the first protocol, {first[key]:.6g}")
        elif "reasons" in row and "epsilon" in row["reasons"]:
            assert row["reasons"]["epsilon"] == (
                f"its {match} jumps over {first[key]:.6g} here, from {row[key]:.6g}: this is the last ε below"
            )
            assert row[key] < first[key]
            assert row["protocol"] in ("SS", "OLH")
        else:
            assert row[key] == pytest.approx(first[key], rel=EQUAL)
            equal += 1
    assert equal >= 4


def test_equal_budget_is_the_default(terminal: Terminal) -> None:
    rows = matched(terminal, "epsilon", "10", "2", "grr,oue,the")
    assert [row["epsilon"] for row in rows] == [2, 2, 2]
    assert len({row["asr_uniform"] for row in rows}) == 3


@pytest.mark.parametrize("match", ["asr", "shannon"])
def test_binary_hashing_cannot_reach_what_others_leak_at_large_budgets(terminal: Terminal, match: str) -> None:
    first, binary = matched(terminal, match, "10", "6", "oue,blh")
    assert set(binary) >= set(first)
    assert all(
        value is None for key, value in binary.items() if key not in ("protocol", "spec", "asked_epsilon", "reasons")
    )
    assert binary["reasons"] == {
        "epsilon": f"no ε gives it the {match} of the first protocol, {first[FIGURES[match]]:.6g}"
    }


def test_a_jump_of_the_rounded_set_size_is_stated(terminal: Terminal) -> None:
    first, subset = matched(terminal, "asr", "20", "2.4", "grr,ss")
    assert subset["asr_uniform"] < first["asr_uniform"]
    assert subset["reasons"] == {
        "epsilon": f"its asr jumps over {first['asr_uniform']:.6g} here, from {subset['asr_uniform']:.6g}: "
        "this is the last ε below"
    }
    above = matched(terminal, "epsilon", "20", str(subset["epsilon"] * (1 + 1e-9)), "ss")[0]
    assert above["asr_uniform"] > first["asr_uniform"]


def test_jump_in_the_number_of_buckets_is_stated(terminal: Terminal) -> None:
    first, hashing = matched(terminal, "asr", "50", "2", "grr,olh")
    assert hashing["asr_uniform"] < first["asr_uniform"]
    assert hashing["reasons"]["epsilon"].endswith("this is the last ε below")


def test_fixed_parameters_leave_nothing_to_solve(terminal: Terminal) -> None:
    rows = matched(terminal, "asr", "8", "1", "grr,ue:p=0.5,q=0.1,oue:epsilon=2")
    why = "its parameters are fixed in its spec, so there is no budget to solve for"
    assert [row.get("reasons", {}).get("epsilon") for row in rows] == [None, why, why]
    assert rows[2]["epsilon"] == 2


def test_a_channel_file_can_come_first(terminal: Terminal) -> None:
    Path("c.csv").write_text("0.75,0.25\n0.25,0.75\n")
    for match, key in FIGURES.items():
        first, second = matched(terminal, match, "2", "1", "file:c.csv,grr")
        assert first["epsilon"] is None
        assert second[key] == pytest.approx(first[key], rel=EQUAL)


@pytest.mark.parametrize(("match", "target"), [("tight-epsilon", "0"), ("shannon", "0"), ("asr", "0.5")])
def test_nobody_leaks_as_little_as_a_constant_channel(terminal: Terminal, match: str, target: str) -> None:
    Path("constant.csv").write_text("0.5,0.5\n0.5,0.5\n")
    _, second = matched(terminal, match, "2", "1", "file:constant.csv,grr")
    assert second["epsilon"] is None
    assert second["reasons"] == {"epsilon": f"no ε gives it the {match} of the first protocol, {target}"}


def test_nobody_has_the_infinite_budget_of_the_identity(terminal: Terminal) -> None:
    Path("id.csv").write_text("1,0\n0,1\n")
    _, second = matched(terminal, "tight-epsilon", "2", "1", "file:id.csv,grr")
    assert second["epsilon"] is None
    assert second["reasons"] == {"epsilon": "no ε gives it the tight-epsilon of the first protocol, inf"}
