"""``qifldp estimate``: the document, the table, resuming, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cli.terminal import Outcome, Terminal
from qifldp.collection.reports import Reports, fingerprint
from qifldp.engines.local import count_reports
from qifldp.engines.report_schema import ReportHeader
from unit.engines.samples import build, draw, raw_csv, write

PROTOCOL = build("oue", 30)
LABELS = tuple(f"v{place}" for place in range(30))
HEADER = ReportHeader(PROTOCOL, LABELS)


@pytest.fixture(autouse=True)
def reports() -> None:
    write(Path("r.parquet"), draw(PROTOCOL, 20_000), header=HEADER)


def test_document(terminal: Terminal) -> None:
    document = terminal("estimate", "r.parquet", "--json").document()
    estimates = count_reports("r.parquet").accumulator.estimate()
    assert {key: document[key] for key in ("n", "refused", "weights", "post", "confidence", "simulated")} == {
        "n": 20_000,
        "refused": {},
        "weights": "value",
        "post": "none",
        "confidence": 0.95,
        "simulated": False,
    }
    assert [row["value"] for row in document["rows"]] == list(LABELS)
    for key, column in estimates.columns.items():
        assert [row[key] for row in document["rows"]] == column.tolist()
    assert {"low", "high", "low_simultaneous", "high_simultaneous", "detected"} < set(document["rows"][0])


@pytest.mark.parametrize("post", ["none", "normsub", "simplex", "mle"])
@pytest.mark.parametrize("weights", ["value", "plain"])
def test_options_reach_the_estimator(terminal: Terminal, weights: str, post: str) -> None:
    arguments = ("--weights", weights, "--post", post, "--confidence", "0.8")
    document = terminal("estimate", "r.parquet", *arguments, "--json").document()
    found = count_reports("r.parquet").accumulator.estimate(weights=weights, post=post, confidence=0.8)  # type: ignore[arg-type]
    assert [row["frequency"] for row in document["rows"]] == found.frequency.tolist()
    assert [row["high"] for row in document["rows"]] == found.high.tolist()
    assert (document["weights"], document["post"], document["confidence"]) == (weights, post, 0.8)
    if post != "none":
        assert abs(sum(row["frequency"] for row in document["rows"]) - 1) < 1e-9


def test_places_where_there_are_no_labels(terminal: Terminal) -> None:
    write(Path("plain.csv"), draw(PROTOCOL, 50))
    document = terminal("estimate", "plain.csv", "--json").document()
    assert [row["value"] for row in document["rows"]] == [str(place) for place in range(30)]


def test_candidates(terminal: Terminal) -> None:
    Path("c.txt").write_text("v7\nv3\n\nv7\n")
    document = terminal("estimate", "r.parquet", "--candidates", "c.txt", "--json").document()
    assert [row["value"] for row in document["rows"]] == ["v7", "v3"]
    everything = terminal("estimate", "r.parquet", "--json").document()
    assert document["rows"] == [everything["rows"][7], everything["rows"][3]]
    table = terminal("estimate", "r.parquet", "--candidates", "c.txt").out
    assert sum(line.startswith("v") for line in table.splitlines()) == 3  # the heading and two values
    Path("c.txt").write_text("v7\nv33\n")
    terminal.refuses(
        "There is no value 'v33' in the domain of the reports: did you mean 'v3'?",
        *("estimate", "r.parquet", "--candidates", "c.txt"),
    )
    Path("c.txt").write_text("\n \n")
    terminal.refuses("The file of candidates 'c.txt' names no value.", "estimate", "r.parquet", "--candidates", "c.txt")


def test_candidates_with_a_line_break_of_unicode(terminal: Terminal) -> None:
    protocol = build("oue", 3)
    write(Path("s.parquet"), draw(protocol, 50), header=ReportHeader(protocol, ("a\u2028b", "a", "b")))
    Path("c.txt").write_text("a\u2028b\n", encoding="utf-8")
    document = terminal("estimate", "s.parquet", "--candidates", "c.txt", "--json").document()
    assert [row["value"] for row in document["rows"]] == ["a\u2028b"]


def lines(outcome: Outcome) -> list[str]:
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out.splitlines()


def test_one_report_is_one(terminal: Terminal) -> None:
    write(Path("r.parquet"), draw(build("grr", 3), 1))
    assert lines(terminal("estimate", "r.parquet"))[0] == "grr:epsilon=1 over 3 values: 1 report"


def test_table(terminal: Terminal) -> None:
    shown = lines(terminal("estimate", "r.parquet"))
    assert shown[0] == "oue:epsilon=1 over 30 values: 20,000 reports"
    assert shown[2].split() == ["value", "estimate", "95", "%", "interval"]
    rows = [line for line in shown[3:] if line.startswith("v")]
    assert len(rows) == 20
    estimates = [float(row.split()[1]) for row in rows]
    assert estimates == sorted(estimates, reverse=True)
    assert rows[0].rstrip().endswith("█" * 16)
    assert max(map(len, shown)) <= 80
    assert "Not shown: 10 values of smaller estimates (--all shows them)." in shown
    assert sum(line.startswith("v") for line in lines(terminal("estimate", "r.parquet", "--all"))) == 31


@pytest.mark.parametrize(
    ("confidence", "shown"),
    [
        ("0.9", "90 %"),
        ("0.999", "99.9 %"),
        ("0.5", "50 %"),
        ("0.9999999999999999", "99.99999999999999 %"),
        ("1e-300", "1e-298 %"),
    ],
)
def test_a_confidence_is_shown_with_all_its_digits(terminal: Terminal, confidence: str, shown: str) -> None:
    """One below 1 is not 100 %."""
    heading = lines(terminal("estimate", "r.parquet", "--confidence", confidence))[2]
    assert heading.split(maxsplit=2)[2].rstrip() == f"{shown} interval"


def test_detected_values_are_marked(terminal: Terminal) -> None:
    Path("d.csv").write_text("x\n" + "a\n" * 3000 + "b\n" * 10)
    Path("domain.txt").write_text("a\nb\nc\nd\n")
    terminal(*("perturb", "d.csv", "--column", "x", "--domain", "domain.txt", "--protocol", "grr", "--epsilon", "3"),
             *("--seed", "1", "--out", "s.parquet"))  # fmt: skip
    shown = lines(terminal("estimate", "s.parquet"))
    assert [line.split()[2] for line in shown[3:7]] == ["%*", "%", "%", "%"]
    assert shown[3].startswith("a ")
    document = terminal("estimate", "s.parquet", "--json").document()
    assert [row["detected"] for row in document["rows"]] == [True, False, False, False]
    assert "Simulation: reports drawn from a seed, not by the secure client." in shown


def test_refused_reports_are_told(terminal: Terminal) -> None:
    raw_csv(Path("s.csv"), build("oue", 5), "report\n00\n01\nff\nxx\nff\n")
    assert "Refused: 3 (bits beyond the domain are set: 2; not hexadecimal: 1)." in lines(terminal("estimate", "s.csv"))
    document = terminal("estimate", "s.csv", "--json").document()
    assert document["refused"] == {"bits beyond the domain are set": 2, "not hexadecimal": 1}
    raw_csv(Path("s.csv"), build("oue", 5), "report\nff\nxx\nff\n")
    terminal.refuses(
        "All reports were refused: 3 (bits beyond the domain are set: 2; not hexadecimal: 1).", "estimate", "s.csv"
    )
    raw_csv(Path("s.csv"), build("oue", 5), "report\n")
    terminal.refuses("There are no reports to estimate from.", "estimate", "s.csv")


def test_labels_from_strangers_are_not_obeyed(terminal: Terminal) -> None:
    strange = ("\x1b[31mred", "[bold]b[/bold]", "\u202ex", ":smile:", "long" * 20)
    protocol = build("oue", 5)
    write(Path("s.parquet"), draw(protocol, 500), header=ReportHeader(protocol, strange))
    outcome = terminal("estimate", "s.parquet")
    assert {character for character in outcome.out if not character.isprintable()} == {"\n"}
    assert "[bold]b[/bold]" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_a_label_of_two_lines_is_one_row(terminal: Terminal) -> None:
    protocol = build("oue", 3)
    write(Path("s.parquet"), draw(protocol, 500), header=ReportHeader(protocol, ("a\nb 99.000 %", "c", "d")))
    shown = lines(terminal("estimate", "s.parquet"))
    first = {line.split()[0] for line in shown[3 : shown.index("", 3)]}
    assert first == {"a\N{REPLACEMENT CHARACTER}b", "c", "d"}


def test_where_weights_by_size_have_nothing_to_go_by(terminal: Terminal) -> None:
    raw_csv(Path("s.csv"), build("oue", 2), "report\n00\n03\n00\n")
    terminal.refuses(
        "All reports support no value or all values, and weighed by size they say nothing: "
        "take the textbook estimate (--weights plain).",
        *("estimate", "s.csv"),
    )
    assert terminal("estimate", "s.csv", "--weights", "plain", "--json").document()["n"] == 3


def test_tiny_budgets(terminal: Terminal) -> None:
    Path("d.csv").write_text("x\na\nb\nc\nd\n")
    Path("domain.txt").write_text("a\nb\nc\nd\n")
    terminal(*("perturb", "d.csv", "--column", "x", "--domain", "domain.txt", "--protocol", "grr"),
             *("--epsilon", "1e-18", "--seed", "1", "--out", "s.parquet"))  # fmt: skip
    for post in ("simplex", "normsub", "mle"):
        rows = terminal("estimate", "s.parquet", "--post", post, "--json").document()["rows"]
        assert abs(sum(row["frequency"] for row in rows) - 1) < 1e-12


def test_checkpoint_is_removed_when_the_result_is_out(terminal: Terminal) -> None:
    assert terminal("estimate", "r.parquet", "--checkpoint", "c.json", "--json").code == 0
    assert not Path("c.json").exists()
    count_reports("r.parquet", checkpoint="c.json")
    outcome = terminal("estimate", "r.parquet", "--checkpoint", "c.json", "--out", "no/result.json")
    assert (outcome.code, outcome.out) == (2, "")
    assert json.loads(Path("c.json").read_text())["files"] == 1  # kept, since the result is not out
    document = terminal("estimate", "r.parquet", "--checkpoint", "c.json", "--json").document()
    assert document["n"] == 20_000


def test_result_is_written(terminal: Terminal) -> None:
    outcome = terminal("estimate", "r.parquet", "--out", "result.json")
    assert (outcome.code, outcome.err) == (0, "The result is in result.json (JSON).\n")
    assert json.loads(Path("result.json").read_text()) == terminal("estimate", "r.parquet", "--json").document()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nope.parquet",), "There is no file 'nope.parquet'."),
        (("r.parquet", "--confidence", "1"), "confidence must be between 0 and 1, got 1.0."),
        (("r.parquet", "--confidence", "nan"), "confidence must be between 0 and 1, got nan."),
        (("r.parquet", "--master", "local[2]"), "--master is about --engine spark: give both."),
        (
            ("r.parquet", "--engine", "spark", "--checkpoint", "c.json"),
            "--checkpoint is about --engine local: Spark counts lost pieces again by itself.",
        ),
        (
            ("r.parquet", "--out", "r.parquet"),
            "The result would overwrite 'r.parquet', which it is made from: choose another file.",
        ),
        (
            ("r.parquet", "--checkpoint", "./r.parquet"),
            "--checkpoint would overwrite './r.parquet', which the result is made from: name another file.",
        ),
        (
            ("r.parquet", "--candidates", "c.txt", "--checkpoint", "c.txt"),
            "--checkpoint would overwrite 'c.txt', which the result is made from: name another file.",
        ),
    ],
)
def test_refused_arguments(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    before = Path("r.parquet").read_bytes()
    terminal.refuses(sentence, "estimate", *arguments)
    assert Path("r.parquet").read_bytes() == before


def test_a_result_never_replaces_a_file_of_a_folder(terminal: Terminal) -> None:
    Path("folder").mkdir()
    raw_csv(Path("folder/a.csv"), build("oue", 5), "report\n00\n")
    terminal.refuses(
        "The result would overwrite 'folder/a.csv', which it is made from: choose another file.",
        *("estimate", "folder", "--out", "folder/a.csv"),
    )


def test_a_checkpoint_never_replaces_a_file_that_is_none(terminal: Terminal) -> None:
    Path("mine.txt").write_text("v1\nv2\n")
    terminal.refuses(
        "'mine.txt' exists and is not a checkpoint: name another file to keep the counts in.",
        *("estimate", "r.parquet", "--checkpoint", "mine.txt"),
    )
    assert Path("mine.txt").read_text() == "v1\nv2\n"


def test_what_is_not_read_is_noted(terminal: Terminal) -> None:
    Path("folder/in").mkdir(parents=True)
    write(Path("folder/a.parquet"), draw(PROTOCOL, 50))
    Path("folder/b.parquet").symlink_to("a.parquet")
    outcome = terminal("estimate", "folder", "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out)["n"] == 50
    assert outcome.err.splitlines() == [
        "Folders in 'folder' are not read: 'in'.",
        "'b.parquet' and 'a.parquet' are one file, which is counted once.",
    ]


def test_links_to_nowhere(terminal: Terminal) -> None:
    Path("folder").mkdir()
    Path("folder/a.parquet").symlink_to("gone")
    terminal.refuses("The link 'folder/a.parquet' cannot be read: No such file or directory.", "estimate", "folder")


@pytest.mark.parametrize("confidence", ["0.9999999999999999", "1e-300"])
def test_confidences_at_the_ends(terminal: Terminal, confidence: str) -> None:
    document = terminal("estimate", "r.parquet", "--confidence", confidence, "--json").document()
    for row in document["rows"]:
        assert 0 <= row["low_simultaneous"] <= row["low"] <= row["high"] <= row["high_simultaneous"] <= 1


def test_damaged_files(terminal: Terminal) -> None:
    Path("r.parquet").write_bytes(Path("r.parquet").read_bytes()[:3000])
    terminal.refuses_with("The file 'r.parquet' cannot be read: ", "estimate", "r.parquet")


@pytest.mark.parametrize("command", ["perturb", "estimate", "protocol"])
def test_help_shows_examples(terminal: Terminal, command: str) -> None:
    outcome = terminal(command, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out[outcome.out.index("Examples") :].count(f"qifldp {command} ") >= 2
    assert "[bold]" not in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_only_one_protocol_is_wanted(terminal: Terminal) -> None:
    mine, other = fingerprint(PROTOCOL), fingerprint(build("oue", 31))
    assert terminal("estimate", "r.parquet", "--fingerprint", mine.upper(), "--json").document()["n"] == 20_000
    terminal.refuses(
        f"'r.parquet' is of another protocol or other parameters: its fingerprint is {mine}.",
        *("estimate", "r.parquet", "--fingerprint", other),
    )


def test_estimates_that_nobody_sent(terminal: Terminal) -> None:
    rows = np.tile(PROTOCOL.mechanism.draw(np.array([3]), np.random.default_rng(1)), (200, 1))
    write(Path("odd.parquet"), Reports(PROTOCOL, rows))
    warning = "standard errors outside 0 to 1: clients do not do that"
    assert warning in " ".join(terminal("estimate", "odd.parquet").out.split())
    assert "clients do not" not in terminal("estimate", "r.parquet").out


def test_a_confidence_near_one_is_not_one(terminal: Terminal) -> None:
    assert "99.9999 % interval" in terminal("estimate", "r.parquet", "--confidence", "0.999999").out
