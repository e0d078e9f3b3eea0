"""Text from strangers, in data and in file names, is shown but never obeyed by a terminal or by Rich."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.terminal import Terminal

RED = "\x1b[31m"
CONTROL = "\x9b31m"
"""The same escape sequence in one byte of Latin-1, which some terminals obey."""

IDENTITY = "1,0\n0,1\n"


def obeyed(text: str) -> set[str]:
    """Return the control characters in a text, line ends left out."""
    return {character for character in text if not character.isprintable()} - {"\n"}


@pytest.mark.parametrize("column", [RED + "a", CONTROL + "a", "[red]a[/red]", "[/red]a", ":smile:", "a\u202eb"])
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["table", "json"])
def test_column_names(terminal: Terminal, column: str, form: tuple[str, ...]) -> None:
    Path("d.csv").write_text(f"{column},b\nx,1\n{RED}y,2\n", encoding="utf-8")
    outcome = terminal("compare", "d.csv", "--column", column, "--epsilon", "1", "--protocols", "grr", *form)
    assert outcome.code == 0
    assert obeyed(outcome.out) == set()
    if form:
        assert json.loads(outcome.out)["prior"]["title"] == f"d.csv, column {column}"
    else:
        shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in column)
        assert f"d.csv, column {shown}: 2 values, 2 reports, ε = 1" in outcome.out


@pytest.mark.parametrize("name", [f"{RED}.csv", "[red]x.csv", "[bold]x[bold].csv", ":smile:.csv", "x[", CONTROL])
@pytest.mark.parametrize("command", ["compare", "leakage"])
def test_names_of_channel_files(terminal: Terminal, command: str, name: str) -> None:
    file = name if name.endswith(".csv") else f"{name}.csv"
    Path(file).write_text(IDENTITY)
    arguments = {
        "compare": ("compare", "--domain-size", "2", "--epsilon", "1", "--protocols", f"file:{file},grr"),
        "leakage": ("leakage", f"file:{file}"),
    }[command]
    outcome = terminal(*arguments)
    assert outcome.code == 0
    assert obeyed(outcome.out) == set()
    shown = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in file)
    assert f"file:{shown}"[:18] in outcome.out  # a long name goes on in the next line
    assert obeyed(terminal(*arguments, "--json").out) == set()


def test_closing_tag_in_a_path(terminal: Terminal) -> None:
    Path("d[").mkdir()
    Path("d[/red].csv").write_text(IDENTITY)
    outcome = terminal("compare", "--domain-size", "2", "--epsilon", "1", "--protocols", "file:d[/red].csv")
    assert "file:d[/red].csv " in outcome.out


@pytest.mark.parametrize("word", [RED, CONTROL])
def test_error_sentences(terminal: Terminal, word: str) -> None:
    Path("d.csv").write_text(f"{word}a,b\nx,1\n{word}y,2\n", encoding="utf-8")
    Path("domain.txt").write_text("x\nz\n")
    Path(f"{word}.csv").write_text(IDENTITY)
    Path(f"{word}one.csv").write_text("a\nx\nx\n")
    grr = ("--epsilon", "1", "--protocols", "grr")
    sized = ("compare", "--domain-size", "3", "--epsilon", "1")
    for arguments in (
        ("compare", "d.csv", "--column", f"{word}a", "--domain", "domain.txt", *grr),
        ("compare", "d.csv", "--column", f"{word}c", *grr),
        ("compare", f"{word}one.csv", "--column", "a", *grr),
        ("compare", f"{word}nope.csv", "--column", "a", *grr),
        ("compare", "--dataset", word, *grr),
        (*sized, "--protocols", f"file:{word}.csv"),
        (*sized, "--protocols", f"file:{word}.txt"),
        (*sized, "--protocols", f"grr:{word}=1"),
        (*sized, "--protocols", f"ss:omega={word}"),
        (*sized, "--protocols", word),
        ("leakage", f"file:{word}.csv", "--domain-size", "3"),
        ("leakage", "oue", "--domain-size", "3", "--epsilon", "1", "--gain", word),
        ("leakage", "oue", "--domain-size", "3", "--epsilon", "1", "--prior", word),
        ("leakage", "oue", "--domain-size", "3", "--epsilon", "1", "--gain", f"member:{word}"),
        ("leakage", word),
        (*sized, "--out", f"{word}/x.json"),
        (*sized, f"--{word}"),
        (*sized, "--match", word),
        (*sized, "--n", word),
        (word,),
    ):
        terminal.refuses_with("", *arguments)


def test_note_about_the_file_that_was_written(terminal: Terminal) -> None:
    outcome = terminal("compare", "--domain-size", "3", "--epsilon", "1", "--out", f"{RED}[red].json")
    assert outcome.code == 0
    assert obeyed(outcome.err) == set()
    assert "[red].json (JSON)." in outcome.err


def test_json_escapes_what_a_terminal_would_obey(terminal: Terminal) -> None:
    Path("d.csv").write_text(f"a{CONTROL}{RED}\nx\ny\n", encoding="utf-8")
    outcome = terminal("compare", "d.csv", "--column", f"a{CONTROL}{RED}", "--epsilon", "1", "--json")
    assert obeyed(outcome.out) == set()
    assert outcome.document()["prior"]["title"] == f"d.csv, column a{CONTROL}{RED}"
