"""``--max-asr``, ``--max-bits``, ``--max-error``: the budget found is admissible, and a little more is not."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import Terminal
from qifldp.exact.budget import Budget
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.specs import parse_spec

SMOOTH = "grr,sue,oue,the:theta=0.8,lh:g=4,ss:omega=2"
"""Protocols whose figures move continuously with ε, so that the limit is met with equality."""

MET = 1e-9
"""Relative distance from the limit within which a continuous figure ends."""

STEP = 1e-6
"""Relative change of ε after which a figure is beyond its limit: a thousand times the accuracy of the solution."""


def limited(terminal: Terminal, option: str, limit: str, protocols: str, size: str = "12") -> list[dict[str, Any]]:
    """Return the rows that a limit gives."""
    question = ("compare", "--domain-size", size, "--protocols", protocols, option, limit, "--json")
    rows: list[dict[str, Any]] = terminal(*question).document()["rows"]
    return rows


def figure(terminal: Terminal, row: dict[str, Any], key: str, epsilon: float) -> float:
    """Return a figure of a row's protocol, its other parameters kept, at another budget."""
    name, _, settings = row["spec"].partition(":")
    kept = [part for part in settings.split(",") if not part.startswith("epsilon=")]
    spec = f"{name}:{','.join(kept)}" if kept else name
    question = ("compare", "--domain-size", "12", "--protocols", spec, "--epsilon", repr(epsilon), "--json")
    return float(terminal(*question).document()["rows"][0][key])


@pytest.mark.parametrize(
    ("option", "limit", "key", "sign"),
    [
        ("--max-asr", "0.2", "asr_uniform", 1),
        ("--max-bits", "0.25", "shannon_capacity_bits", 1),
        ("--max-error", "0.004", "standard_error_weighted", -1),
    ],
)
def test_limit_is_met_and_a_little_more_breaks_it(
    terminal: Terminal, option: str, limit: str, key: str, sign: int
) -> None:
    rows = limited(terminal, option, limit, SMOOTH)
    assert len(rows) == 6
    for row in rows:
        assert row[key] == pytest.approx(float(limit), rel=MET)
        assert figure(terminal, row, key, row["epsilon"] * (1 + sign * STEP)) > float(limit)
        assert "reasons" not in row
        assert "asked_epsilon" not in row


@pytest.mark.parametrize("option", ["--max-asr", "--max-bits", "--max-error"])
def test_no_figure_exceeds_its_limit_by_a_single_bit(terminal: Terminal, option: str) -> None:
    key = {
        "--max-asr": "asr_uniform",
        "--max-bits": "shannon_capacity_bits",
        "--max-error": "standard_error_weighted",
    }[option]
    solved = 0
    for limit in ("0.004", "0.03", "0.14", "0.2", "0.3", "0.4", "0.56789", "0.7"):
        for row in limited(terminal, option, limit, "grr,ss,olh,sue,oue,the", "11"):
            assert row[key] is None or row[key] <= float(limit)
            solved += row[key] is not None
    assert solved >= 24


@pytest.mark.parametrize(("size", "limit"), [(20, 0.518871873437776), (3, 0.6), (2, 0.7), (20, 0.2)])
def test_no_larger_budget_of_rounded_hashing_is_admissible(terminal: Terminal, size: int, limit: float) -> None:
    (row,) = limited(terminal, "--max-asr", repr(limit), "olh", str(size))
    spec = parse_spec("olh")
    beyond = [row["epsilon"] * math.exp(step / 1000) for step in range(1, 1000)]
    admissible = [epsilon for epsilon in beyond if float(asr(spec.build(size, Budget.read(epsilon)))) <= limit]
    assert admissible == []


def test_a_limit_that_every_budget_keeps(terminal: Terminal) -> None:
    (row,) = limited(terminal, "--max-asr", "0.3", "blh", "10")
    assert row["epsilon"] is None
    assert row["asr_uniform"] is None
    assert row["reasons"] == {"epsilon": "the chance of a right guess is at most 0.3 at every ε"}


def test_limits_that_no_budget_keeps(terminal: Terminal) -> None:
    for option, limit, words in (
        ("--max-asr", "0.05", "the chance of a right guess is at most 0.05 at no ε"),
        ("--max-error", "1e-9", "the standard error is at most 1e-09 at no ε"),
    ):
        (row,) = limited(terminal, option, limit, "oue", "10")
        assert (row["epsilon"], row["reasons"]) == (None, {"epsilon": words})


def test_more_bits_than_the_domain_has(terminal: Terminal) -> None:
    (row,) = limited(terminal, "--max-bits", "4", "grr", "10")
    assert row["reasons"] == {"epsilon": "the Shannon capacity is at most 4 at every ε"}


def test_document_states_the_limit(terminal: Terminal) -> None:
    document = terminal("compare", "--domain-size", "5", "--max-bits", "0.5", "--json").document()
    assert document["question"] == {"epsilon": [], "limit": {"bits": 0.5}}
    assert [entry["asked_epsilon"] for entry in document["least"]] == [None]


def test_error_limit_depends_on_the_number_of_reports(terminal: Terminal) -> None:
    few, many = (
        terminal(
            "compare", "--domain-size", "5", "--max-error", "0.01", "--n", n, "--protocols", "grr", "--json"
        ).document()["rows"][0]["epsilon"]
        for n in ("5000", "500000")
    )
    assert few > many


def test_channel_files_and_fixed_parameters_have_nothing_to_solve(terminal: Terminal) -> None:
    Path("c.csv").write_text("0.75,0.25\n0.25,0.75\n")
    bare, fixed = limited(terminal, "--max-asr", "0.6", "file:c.csv,grr:epsilon=2", "2")
    assert bare["reasons"]["epsilon"] == "a bare channel claims no budget"
    assert fixed["reasons"] == {"epsilon": "its parameters are fixed in its spec, so there is no budget to solve for"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--max-asr", "0"), "--max-asr must be above 0 and at most 1, got 0.0."),
        (("--max-asr", "1.5"), "--max-asr must be above 0 and at most 1, got 1.5."),
        (("--max-asr", "nan"), "--max-asr must be above 0 and at most 1, got nan."),
        (("--max-bits", "-1"), "--max-bits must be positive and finite, got -1.0."),
        (("--max-error", "inf"), "--max-error must be positive and finite, got inf."),
        (("--max-asr", "0.5", "--max-bits", "1"), "Give one limit only: --max-asr, --max-bits or --max-error."),
        (
            ("--max-asr", "0.5", "--epsilon", "1"),
            "A limit solves for epsilon: give either a limit or epsilon (and match), not both.",
        ),
        (
            ("--max-asr", "0.5", "--match", "asr"),
            "A limit solves for epsilon: give either a limit or epsilon (and match), not both.",
        ),
        ((), "A comparison needs a budget (epsilon) or a limit (max-asr, max-bits or max-error)."),
    ],
)
def test_limits_that_make_no_sense(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    terminal.refuses(sentence, "compare", "--domain-size", "5", *arguments)
