"""``--out``: the JSON document in a file, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.terminal import Outcome, Terminal, read_strictly

QUESTIONS = {
    "compare": ("compare", "--domain-size", "4", "--epsilon", "1,2"),
    "leakage": ("leakage", "oue", "--domain-size", "4", "--epsilon", "1"),
}
commands = pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)


@commands
def test_file_is_the_document_of_stdout(terminal: Terminal, question: tuple[str, ...]) -> None:
    printed = terminal(*question, "--json", "--out", "r.json")
    assert (printed.code, printed.err) == (0, "")
    assert Path("r.json").read_text(encoding="utf-8") == printed.out
    assert read_strictly(printed.out)["schema_version"] == 1


@commands
def test_people_get_the_table_and_a_note_on_stderr(terminal: Terminal, question: tuple[str, ...]) -> None:
    table = terminal(*question)
    both = terminal(*question, "--out", "r.json")
    assert both == Outcome(0, table.out, "The result is in r.json (JSON).\n")
    assert Path("r.json").read_text(encoding="utf-8") == terminal(*question, "--json").out


@commands
def test_old_file_is_replaced_and_nothing_else_is_left(terminal: Terminal, question: tuple[str, ...]) -> None:
    Path("r.json").write_text("old and much longer than nothing")
    assert terminal(*question, "--out", "r.json").code == 0
    assert [path.name for path in Path().iterdir()] == ["r.json"]
    assert read_strictly(Path("r.json").read_text(encoding="utf-8"))


@commands
def test_old_file_is_kept_when_the_command_fails(terminal: Terminal, question: tuple[str, ...]) -> None:
    Path("r.json").write_text("old")
    assert terminal(*question, "--epsilon", "0", "--out", "r.json").code == 2
    assert Path("r.json").read_text() == "old"
    assert [path.name for path in Path().iterdir()] == ["r.json"]


@commands
def test_missing_folder(terminal: Terminal, question: tuple[str, ...]) -> None:
    terminal.refuses_with("The file 'nowhere/r.json' cannot be written: ", *question, "--out", "nowhere/r.json")
    assert list(Path().iterdir()) == []


@commands
def test_a_folder_cannot_be_overwritten(terminal: Terminal, question: tuple[str, ...]) -> None:
    Path("results").mkdir()
    terminal.refuses_with("The file 'results' cannot be written: ", *question, "--out", "results", "--json")
    assert [path.name for path in Path().iterdir()] == ["results"]


def test_temporary_names_stay_out_of_error_sentences(terminal: Terminal) -> None:
    terminal.refuses(
        "The file 'nowhere/r.json' cannot be written: No such file or directory.",
        *(*QUESTIONS["compare"], "--out", "nowhere/r.json"),
    )


REFINE = ("refine", "--original", "sue", "--refined", "the", "--domain-size", "5", "--epsilon", "1")
BEFORE_THE_WORK = [
    ("refine.decide_refinement", (*REFINE, "--certificate")),
    ("refine.decide_refinement", (*REFINE, "--deficiency")),
    ("exchange.exchange_rate", ("exchange", *REFINE[1:], "--out")),
    ("recommend.recommend", ("recommend", "--domain-size", "5", "--n", "9", "--epsilon", "1", "--out")),
    ("compare.compare", (*QUESTIONS["compare"], "--out")),
    ("compare.compare", (*QUESTIONS["compare"], "--html")),
    ("leakage.measure", (*QUESTIONS["leakage"], "--out")),
]


@pytest.mark.parametrize(("work", "question"), BEFORE_THE_WORK)
@pytest.mark.parametrize("path", ["nowhere/r", "folder", "file/r", ""])
def test_where_nothing_can_be_written_no_work_is_done(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, work: str, question: tuple[str, ...], path: str
) -> None:
    Path("folder").mkdir()
    Path("file").touch()

    def worked(*_: object, **__: object) -> object:
        raise AssertionError("work was done that cannot be kept")

    monkeypatch.setattr(f"qifldp.cli.{work}", worked)
    if path:
        terminal.refuses_with(f"The file '{path}' cannot be written: ", *question, path)
    else:
        terminal.refuses("The name of the file to write is empty.", *question, path)
