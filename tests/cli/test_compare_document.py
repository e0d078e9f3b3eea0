"""The JSON of ``compare``: every key that scripts rely on, strict JSON, and figures that agree with the library."""

from __future__ import annotations

import pytest

import qifldp as ql
from cli.terminal import Terminal
from qifldp.data.datasets import datasets

DOCUMENT = {"schema_version", "domain_size", "n", "prior", "rows", "order"}
ROW = {
    "protocol",
    "spec",
    "epsilon",
    "tight_epsilon",
    "bayes_capacity",
    "asr_uniform",
    "asr_prior",
    "shannon_capacity_bits",
    "pairwise_advantage",
    "standard_error",
    "standard_error_weighted",
    "detectable_frequency",
    "report_bytes",
}
SEVEN = ["GRR", "SS", "BLH", "OLH", "SUE", "OUE", "THE"]


def test_document_has_every_key_of_the_contract(terminal: Terminal) -> None:
    document = terminal("compare", "--domain-size", "50", "--epsilon", "1", "--json").document()
    assert set(document) >= DOCUMENT
    assert document["schema_version"] == 1
    assert document["domain_size"] == 50
    assert document["n"] == 100_000
    assert document["prior"] == {"kind": "uniform"}
    names = [row["spec"] for row in document["rows"]]
    assert [(entry["original"], entry["refined"]) for entry in document["order"]] == [
        (a, b) for a in names for b in names if a != b
    ]
    for entry in document["order"]:
        assert entry["verdict"] in ("refines", "does_not_refine")
        assert (entry["deficiency"] == 0) == (entry["verdict"] == "refines")
        assert {"epsilon", "margin", "deficiency_reverse", "method"} <= set(entry)
    assert [row["protocol"] for row in document["rows"]] == SEVEN
    for row in document["rows"]:
        assert set(row) >= ROW
        assert all(isinstance(row[key], int | float) for key in ROW - {"protocol", "spec"})
        assert isinstance(row["report_bytes"], int)
        assert "reasons" not in row


def test_figures_are_those_of_the_library(terminal: Terminal) -> None:
    document = terminal(
        "compare", "--domain-size", "12", "--epsilon", "2", "--protocols", "the,olh", "--json"
    ).document()
    for row, protocol in zip(document["rows"], (ql.THE(12, 2), ql.OLH(12, 2)), strict=True):
        assert row["epsilon"] == 2
        assert row["tight_epsilon"] == ql.tight_epsilon(protocol)
        assert row["bayes_capacity"] == ql.bayes_capacity(protocol)
        assert row["asr_uniform"] == row["asr_prior"] == ql.asr(protocol)
        assert row["shannon_capacity_bits"] == ql.shannon_capacity(protocol)
        assert row["pairwise_advantage"] == ql.pairwise_advantage(protocol)
        assert row["report_bytes"] == protocol.report_bytes
        assert ql.parse_spec(row["spec"]).build(12) == protocol


def test_informed_guess_uses_the_frequencies_of_the_data(terminal: Terminal) -> None:
    document = terminal(
        "compare", "--dataset", "adult-race", "--epsilon", "2", "--protocols", "grr", "--json"
    ).document()
    prior = datasets()["adult-race"].prior
    row = document["rows"][0]
    assert row["asr_prior"] == ql.asr(ql.GRR(5, 2), prior)
    assert row["asr_uniform"] == ql.asr(ql.GRR(5, 2))
    assert row["asr_prior"] > row["asr_uniform"]


@pytest.mark.parametrize("name", sorted(datasets()))
def test_every_embedded_data_set_can_be_compared(terminal: Terminal, name: str) -> None:
    population = datasets()[name]
    document = terminal("compare", "--dataset", name, "--epsilon", "1", "--json").document()
    assert document["domain_size"] == len(population.values)
    assert document["n"] == population.n
    assert document["prior"] == {
        "kind": "data",
        "title": population.title,
        "n": population.n,
        "largest": max(population.counts) / population.n,
        "source": population.source,
    }
    assert document["notes"] == list(population.notes)
    assert [row["protocol"] for row in document["rows"]] == SEVEN


def test_least_names_the_protocols_that_have_the_least(terminal: Terminal) -> None:
    document = terminal("compare", "--domain-size", "30", "--epsilon", "1,3", "--json").document()
    assert [entry["asked_epsilon"] for entry in document["least"]] == [1, 3]
    for entry in document["least"]:
        rows = [row for row in document["rows"] if row["asked_epsilon"] == entry["asked_epsilon"]]
        for key in ("asr_uniform", "shannon_capacity_bits", "pairwise_advantage", "standard_error"):
            least = min(rows, key=lambda row: float(row[key]))
            assert least["spec"] in entry[key]
    assert document["least"][0]["tight_epsilon"] == [
        row["spec"] for row in document["rows"][:7] if row["protocol"] == "THE"
    ]


def test_number_of_reports_scales_the_errors_only(terminal: Terminal) -> None:
    few, many = (
        terminal("compare", "--domain-size", "9", "--epsilon", "1", "--n", n, "--json").document()
        for n in ("100", "1000000")
    )
    assert (few["n"], many["n"]) == (100, 1_000_000)
    for row, other in zip(few["rows"], many["rows"], strict=True):
        assert row["shannon_capacity_bits"] == other["shannon_capacity_bits"]
        for key in ("standard_error", "standard_error_weighted", "detectable_frequency"):
            assert row[key] == pytest.approx(100 * other[key], rel=1e-14)  # a square root and a quotient apart


@pytest.mark.parametrize("epsilon", ["1e-100", "1e-9", "700"])
@pytest.mark.parametrize("size", ["2", pytest.param("1000", marks=pytest.mark.slow), "100"])
def test_extreme_budgets_still_give_strict_json(terminal: Terminal, epsilon: str, size: str) -> None:
    document = terminal("compare", "--domain-size", size, "--epsilon", epsilon, "--json").document()
    for row in document["rows"]:
        for key in ROW:
            assert row[key] is not None or key in row["reasons"]


def test_hashing_without_a_hash_says_why_it_has_no_size(terminal: Terminal) -> None:
    document = terminal("compare", "--domain-size", "5", "--epsilon", "30", "--protocols", "olh", "--json").document()
    assert document["rows"][0]["report_bytes"] is None
    assert document["rows"][0]["reasons"] == {
        "report_bytes": "no hash function has this many buckets (2^31 at most): it cannot be deployed"
    }
