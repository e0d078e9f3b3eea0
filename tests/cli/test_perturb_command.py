"""``qifldp perturb``: what it writes, what it says, what it refuses."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from cli.terminal import Terminal
from qifldp.cli.perturb import NO_DOMAIN, OWN_IDS
from qifldp.data.datasets import load_dataset
from qifldp.data.transactions import read_items
from qifldp.engines.local import count_reports
from qifldp.engines.report_files import open_reports
from qifldp.protocols.specs import SEVEN

SIMULATION = "Simulation: reports drawn from a seed protect nobody.\n"
NAMES = ("grüße", "b,c", 'd"e', "f")


@pytest.fixture(autouse=True)
def data() -> None:
    values = [NAMES[i % 3] for i in range(300)]
    rows = "".join(f'"{value.replace(chr(34), chr(34) * 2)}",p{place}\n' for place, value in enumerate(values))
    Path("d.csv").write_text(f"x,who\n{rows}", encoding="utf-8")
    parquet.write_table(pa.table({"x": values, "who": [f"p{i}" for i in range(300)]}), "d.parquet")
    Path("domain.txt").write_text("\n".join(NAMES), encoding="utf-8")
    Path("t.dat").write_text("3 1\n\n2\n1 2 3\n")


def perturbing(*arguments: str, out: str = "r.parquet") -> tuple[str, ...]:
    return ("perturb", *arguments, "--protocol", "oue", "--epsilon", "1", "--out", out)


COLUMN = ("d.csv", "--column", "x", "--domain", "domain.txt")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize("spec", SEVEN)
def test_secure_reports_of_every_protocol(terminal: Terminal, spec: str, ending: str) -> None:
    arguments = ("perturb", *COLUMN, "--protocol", spec, "--epsilon", "ln(3)", "--out", f"r.{ending}", "--json")
    document = terminal(*arguments).document()
    assert (document["reports"], document["simulated"], document["seed"]) == (300, False, None)
    assert document["file_bytes"] == Path(f"r.{ending}").stat().st_size
    header = open_reports(Path(f"r.{ending}")).header
    assert (header.values, header.simulated) == (NAMES, False)
    assert (header.protocol.spec, header.protocol.report_bytes) == (document["spec"], document["report_bytes"])
    assert document["fingerprint"] == header.to_json()["fingerprint"]
    assert document["epsilon_given"] <= header.protocol.tight_epsilon * (1 + 1e-15)
    assert count_reports(f"r.{ending}").accumulator.n == 300


def test_what_it_prints(terminal: Terminal) -> None:
    outcome = terminal(*perturbing(*COLUMN))
    assert (outcome.code, outcome.err) == (0, "")
    size = Path("r.parquet").stat().st_size
    assert outcome.out == (
        "oue:epsilon=1 over 4 values: 300 reports, drawn from the system's entropy\n"
        "  ε claimed ......... 1\n  ε actually given .. 1\n  bytes a report .... 1\n"
        f"  written ........... r.parquet, {float(f'{size / 1000:.2g}'):g} kB\n"
    )


def test_one_report_is_one(terminal: Terminal) -> None:
    Path("d.csv").write_text("x\nf\n", encoding="utf-8")
    first = terminal(*perturbing(*COLUMN)).out.splitlines()[0]
    assert first == "oue:epsilon=1 over 4 values: 1 report, drawn from the system's entropy"


def test_a_seed_is_a_simulation_and_says_so(terminal: Terminal) -> None:
    outcome = terminal(*perturbing(*COLUMN, "--seed", "7"))
    assert (outcome.code, outcome.err) == (0, SIMULATION)
    assert "300 reports, simulated from a seed" in outcome.out
    first = Path("r.parquet").read_bytes()
    assert open_reports(Path("r.parquet")).header.simulated
    terminal(*perturbing("d.parquet", *COLUMN[1:], "--seed", "7"))
    assert Path("r.parquet").read_bytes() == first
    terminal(*perturbing(*COLUMN, "--seed", "8"))
    assert Path("r.parquet").read_bytes() != first
    terminal(*perturbing(*COLUMN))
    assert not open_reports(Path("r.parquet")).header.simulated


def test_ids_go_with_their_reports(terminal: Terminal) -> None:
    terminal(*perturbing(*COLUMN, "--ids", "who"))
    assert parquet.read_table("r.parquet").column("id").to_pylist() == [f"p{i}" for i in range(300)]
    Path("e.csv").write_text("x,who\nf,a\nf,\n")
    terminal.refuses("Row 2 has no id.", *perturbing("e.csv", *COLUMN[1:], "--ids", "who", out="s.parquet"))
    assert not Path("s.parquet").exists()


@pytest.mark.parametrize("name", ["line\nbreak", 'quo"te', "com,ma"])
def test_ids_that_csv_cannot_hold(terminal: Terminal, name: str) -> None:
    parquet.write_table(pa.table({"x": ["f", "f"], "who": ["a", name]}), "e.parquet")
    arguments = ("e.parquet", *COLUMN[1:], "--ids", "who")
    terminal.refuses_with(f"The id {name!r} has a comma, ", *perturbing(*arguments, out="s.csv"))
    assert not Path("s.csv").exists()
    for out in ("s.parquet", "s.arrow"):
        assert terminal(*perturbing(*arguments, out=out)).code == 0
        assert count_reports(out).accumulator.n == 2


def test_embedded_data(terminal: Terminal) -> None:
    arguments = ("--dataset", "adult-education", "--protocol", "grr", "--epsilon", "20", "--seed", "1")
    outcome = terminal("perturb", *arguments, "--out", "r.parquet", "--json")
    assert (outcome.code, outcome.err) == (0, SIMULATION)
    population = load_dataset("adult-education")
    counted = count_reports("r.parquet")
    assert counted.header.values == population.values
    # At ε = 20 one report in 32 million is another's value.
    assert np.abs(counted.accumulator.counts - np.array(population.counts)).max() <= 1
    column = parquet.read_table("r.parquet").column("report").to_pylist()
    assert len(set(column[:100])) > 4  # not in the order of the counts


def test_transactions(terminal: Terminal) -> None:
    arguments = (
        "perturb",
        "t.dat",
        "--domain",
        "3",
        "--protocol",
        "grr",
        "--epsilon",
        "300",
        "--out",
        "r.csv",
        "--json",
    )
    document = terminal(*arguments).document()
    assert (document["reports"], document["notes"]) == (3, ["Lines without items, which report nothing: 1."])
    assert Path("r.csv").read_text().splitlines()[1:] == ["report", "02", "01", "00"]
    assert open_reports(Path("r.csv")).header.values == ("1", "2", "3")
    Path("items.txt").write_text("2\n3\n")
    bucket = terminal(*arguments, "--domain", "items.txt", "--other", "bucket", "--item", "random").document()
    assert bucket["domain_size"] == 3
    assert open_reports(Path("r.csv")).header.values == ("2", "3", "(other)")


def test_values_outside_the_domain(terminal: Terminal) -> None:
    Path("domain.txt").write_text(f"{NAMES[0]}\n{NAMES[1]}\n", encoding="utf-8")
    terminal.refuses(
        "Row 3 of d.csv, column x has the value 'd\"e', outside the declared domain: "
        "extend the domain, or report such rows as one more value (--other bucket).",
        *perturbing(*COLUMN),
    )
    assert not Path("r.parquet").exists()
    document = terminal(*perturbing(*COLUMN, "--other", "bucket"), "--json").document()
    assert document["notes"] == ["Rows outside the declared domain, reported as (other): 100."]
    terminal.refuses(
        "Row 1 of t.dat has the value '3', outside the declared domain: "
        "extend the domain, or report such rows as one more value (--other bucket).",
        *perturbing("t.dat", "--domain", "2"),
    )


SAY = "Say what is perturbed: either DATA with --column, or --dataset."
ABOUT_DATA = "--column, --domain and --ids are about DATA: leave them out with --dataset."
ABOUT_ROWS = "--item and --other are about DATA: leave them out with --dataset."
NO_COLUMNS = "Transactions have no columns: leave --column and --ids out."


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), SAY),
        (("d.csv", "--dataset", "kosarak"), SAY),
        (("--dataset", "kosarak", "--column", "x"), ABOUT_DATA),
        (("--dataset", "kosarak", "--domain", "domain.txt"), ABOUT_DATA),
        (("--dataset", "kosarak", "--ids", "x"), ABOUT_DATA),
        (("--dataset", "kosarak", "--item", "first"), ABOUT_ROWS),
        (("--dataset", "kosarak", "--other", "bucket"), ABOUT_ROWS),
        ((*COLUMN, "--item", "random"), "--item is about transactions (.dat): a row of other DATA has one value."),
        (("--dataset", "kosarek"), "There is no embedded data set called 'kosarek': did you mean kosarak?"),
        (("d.csv", "--column", "x"), NO_DOMAIN),
        (("t.dat",), NO_DOMAIN),
        (("d.csv", "--domain", "domain.txt"), "Say which column of DATA is perturbed: --column NAME."),
        (("t.dat", "--domain", "3", "--column", "x"), NO_COLUMNS),
        (("t.dat", "--domain", "3", "--ids", "x"), NO_COLUMNS),
        (("t.dat", "--domain", "1"), "domain size must be from 2 to 10,000,000, got 1."),
        (("t.dat", "--domain", "9" * 9), f"--domain must be a file or a number of items, got '{'9' * 9}'."),
        (("d.csv", "--column", "x", "--domain", "3"), "There is no file '3'."),
        (("d.csv", "--column", "z", "--domain", "domain.txt"), "There is no column called 'z': there are 'x', 'who'."),
        ((*COLUMN, "--ids", "z"), "There is no column called 'z': there are 'x', 'who'."),
        ((*COLUMN, "--ids", "x"), OWN_IDS),
        (("d.parquet", *COLUMN[1:], "--ids", "x"), OWN_IDS),
        (("missing.csv", *COLUMN[1:], "--ids", "x"), OWN_IDS),  # before any work
        (("d.txt", "--column", "x", "--domain", "domain.txt"), "There is no file 'd.txt'."),
        ((*COLUMN, "--seed", "-1"), "seed must be a whole number of at least 0, got -1."),
        ((*COLUMN, "--epsilon", "nan"), "epsilon must be a positive number, ln(3) or 2*ln(3), got 'nan'."),
        ((*COLUMN, "--epsilon", "-1"), "epsilon must be positive (1e-100 at least), got '-1'."),
        (
            (*COLUMN, "--protocol", "ue:p=0.5,q=0.1"),
            "The parameters of ue are p and q, not a budget: leave --epsilon out.",
        ),
        (
            (*COLUMN, "--out", "r.txt"),
            "A file of reports must be named .parquet, .arrow, .feather or .csv, got 'r.txt'.",
        ),
        (
            (*COLUMN, "--out", "d.csv"),
            "The result would overwrite 'd.csv', which it is made from: choose another file.",
        ),
        (
            (*COLUMN, "--out", "no/r.csv"),
            "The file 'no/r.csv' cannot be written: No such file or directory.",
        ),
    ],
)
def test_refused_arguments(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    before = sorted(Path().iterdir())
    outcome = terminal("perturb", "--protocol", "oue", "--epsilon", "1", "--out", "r.parquet", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.removeprefix(SIMULATION) == f"qifldp: {sentence}\n"
    assert sorted(Path().iterdir()) == before


def test_probabilities_that_cannot_be_drawn(terminal: Terminal) -> None:
    terminal.refuses(
        "This protocol cannot be run: its probabilities are within 2^-64 of 0, of 1 or of each other.",
        *perturbing(*COLUMN),
        *("--epsilon", "1e-30"),
    )


def test_the_real_kosarak(terminal: Terminal) -> None:
    named = os.environ.get("QIFLDP_KOSARAK")
    if named is None:
        pytest.skip("QIFLDP_KOSARAK names no file")
    truth = Counter(text for part in read_items(named) for text in part.texts.to_pylist())
    common = ("--protocol", "olh", "--epsilon", "4", "--seed", "1")
    document = terminal("perturb", named, "--domain", "41270", *common, "--out", "r.parquet", "--json")
    assert document.code == 0
    found = terminal("estimate", "r.parquet", "--confidence", "0.999999", "--json").document()
    assert (found["n"], found["refused"], found["simulated"]) == (sum(truth.values()), {}, True)
    rows = {row["value"]: row for row in found["rows"]}
    for item, count in truth.most_common(20):  # a false alarm in fewer than one of 10^4 seeds
        assert rows[item]["low"] <= count / found["n"] <= rows[item]["high"]
    assert {item for item, _ in truth.most_common(3)} <= {row["value"] for row in found["rows"] if row["detected"]}
