"""Which protocols and budgets ``compare`` understands, channel files among them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from cli.terminal import Terminal

ROWS = [[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]


def compared(terminal: Terminal, *arguments: str) -> list[dict[str, Any]]:
    """Return the rows of a comparison over a small domain."""
    rows: list[dict[str, Any]] = terminal("compare", "--domain-size", "4", *arguments, "--json").document()["rows"]
    return rows


def test_several_budgets_give_a_row_each(terminal: Terminal) -> None:
    rows = compared(terminal, "--epsilon", "0.5, 1,ln(3),2*ln(3)", "--protocols", "grr,sue")
    budgets = [0.5, 1, math.log(3), 2 * math.log(3)]
    assert [(row["protocol"], row["epsilon"]) for row in rows] == [(p, e) for e in budgets for p in ("GRR", "SUE")]
    assert [row["asked_epsilon"] for row in rows] == [e for e in budgets for _ in range(2)]
    assert [row["spec"] for row in rows[4:]] == [
        "grr:epsilon=ln(3)",
        "sue:epsilon=ln(3)",
        "grr:epsilon=2*ln(3)",
        "sue:epsilon=2*ln(3)",
    ]


def test_exact_budgets_give_exact_figures(terminal: Terminal) -> None:
    (row,) = compared(terminal, "--epsilon", "1", "--protocols", "grr:exp_epsilon=9/4")
    assert row["epsilon"] == math.log(9 / 4)
    assert row["asr_uniform"] == pytest.approx(9 / 21, rel=1e-15)  # p = (9/4)/(9/4 + 3), rounded once or twice


def test_budget_inside_a_spec_overrides_the_option(terminal: Terminal) -> None:
    rows = compared(terminal, "--epsilon", "1", "--protocols", "grr:epsilon=2,oue,the:theta=0.9,epsilon=ln(5)")
    assert [row["epsilon"] for row in rows] == [2, 1, math.log(5)]
    assert [row["asked_epsilon"] for row in rows] == [1, 1, 1]


def test_parameters_stay_with_their_protocol(terminal: Terminal) -> None:
    rows = compared(terminal, "--epsilon", "1", "--protocols", "SS:omega=2,Ue:P=0.5,q=0.1,lh:g=3,grr,the:theta=3/4")
    assert [row["spec"] for row in rows] == [
        "ss:epsilon=1,omega=2",
        "ue:p=0.5,q=0.1",
        "lh:epsilon=1,g=3",
        "grr:epsilon=1",
        "the:epsilon=1,theta=0.75",
    ]
    assert rows[1]["epsilon"] == rows[1]["tight_epsilon"] == pytest.approx(math.log(9), rel=1e-15)  # one logarithm


def write(name: str, rows: list[list[float]]) -> None:
    """Write a matrix without labels in the format of the name's ending."""
    if name.endswith(".csv"):
        Path(name).write_text("\n".join(",".join(map(str, row)) for row in rows))
    elif name.endswith(".json"):
        Path(name).write_text(json.dumps(rows))
    elif name.endswith(".npy"):
        np.save(name, np.array(rows))
    else:
        parquet.write_table(pa.table({f"y{i}": list(column) for i, column in enumerate(zip(*rows, strict=True))}), name)


@pytest.mark.parametrize("name", ["c.csv", "c.json", "c.npy", "c.parquet", "C.CSV"])
def test_channel_files_of_every_format(terminal: Terminal, name: str) -> None:
    write(name.lower(), ROWS)
    Path(name.lower()).rename(name)
    document = terminal(
        "compare", "--domain-size", "2", "--epsilon", "1", "--protocols", f"file:{name},grr", "--json"
    ).document()
    row = document["rows"][0]
    assert (row["protocol"], row["spec"], row["epsilon"]) == ("FILE", f"file:{name}", None)
    assert row["bayes_capacity"] == 1.5
    assert row["asr_uniform"] == 0.75
    assert row["pairwise_advantage"] == 0.5
    assert row["tight_epsilon"] == math.log(4)
    bare = "a bare channel has no estimator"
    assert row["reasons"] == {
        "epsilon": "a bare channel claims no budget",
        "standard_error": bare,
        "standard_error_weighted": bare,
        "detectable_frequency": bare,
        "report_bytes": bare,
    }


def test_identity_channel_has_an_infinite_budget(terminal: Terminal) -> None:
    write("id.csv", [[1, 0], [0, 1]])
    document = terminal(
        "compare", "--domain-size", "2", "--epsilon", "1", "--protocols", "file:id.csv", "--json"
    ).document()
    row = document["rows"][0]
    assert row["tight_epsilon"] is row["max_case_capacity"] is None
    infinite = "infinite: some output is possible under one value and impossible under another"
    assert row["reasons"]["tight_epsilon"] == row["reasons"]["max_case_capacity"] == infinite
    assert row["shannon_capacity_bits"] == pytest.approx(1, rel=1e-9)  # the certified gap of the iteration


def test_rows_are_normalised_on_request_only(terminal: Terminal) -> None:
    write("c.csv", [[0.5, 0.5], [0.1, 0.7]])
    question = ("compare", "--domain-size", "2", "--epsilon", "1", "--protocols", "file:c.csv")
    terminal.refuses(
        "Each row of a channel matrix must sum to one, but row 1 sums to 0.7999999999999999 "
        "(if that is rounding, write fractions, or more digits).",
        *question,
    )
    row = terminal(*question, "--normalize", "--json").document()["rows"][0]
    assert row["bayes_capacity"] == pytest.approx(0.5 + 0.875, rel=1e-15)  # 0.7/0.8 is rounded
