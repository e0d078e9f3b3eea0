"""``compare`` for people: 80 columns, no colour, stars on the least, notes in full."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.terminal import Terminal, read_strictly
from qifldp.rendering.text import in_lines

COLUMNS = {
    "tight_epsilon": 0,
    "asr_uniform": 1,
    "bayes_capacity": 2,
    "shannon_capacity_bits": 3,
    "pairwise_advantage": 4,
}
"""Place of each figure among the figures of the first table, when there are no data."""

CELL = re.compile(r"(?:× )?\d[\d.,e+-]*(?: %)?\*?|–")


def shown(terminal: Terminal, *arguments: str) -> str:
    """Return what people see, having checked that it fits 80 columns, uncoloured and with nothing cut off."""
    outcome = terminal("compare", *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    assert "\x1b" not in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert "…" not in outcome.out.replace("… weighted", "")
    return outcome.out


def first_table(text: str) -> dict[str, list[str]]:
    """Return the cells of the first table after the protocol's name and ε, by protocol."""
    lines = text.split("What an adversary learns")[1].split("\n\n", maxsplit=1)[0].splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("protocol"))
    return {line.split()[0]: CELL.findall(line[len(line.split()[0]) :])[1:] for line in lines[start + 1 :]}


@pytest.mark.parametrize(
    "epsilon",
    ["1e-100", "1e-9", "0.001", "0.012345", "0.1", "0.5", "1", "2", "ln(3)", "5.4321", "8", "16", "30", "700"],
)
def test_kosarak_fits_at_every_budget(terminal: Terminal, epsilon: str) -> None:
    text = shown(terminal, "--dataset", "kosarak", "--epsilon", epsilon)
    for name in ("GRR", "SS", "BLH", "OLH", "SUE", "OUE", "THE"):
        assert len(re.findall(rf"^{name} ", text, flags=re.MULTILINE)) == 2


@pytest.mark.parametrize("size", ["2", "10", "1000", "20000"])
@pytest.mark.parametrize("n", ["1", "1000000000000000"])
def test_other_sizes_fit(terminal: Terminal, size: str, n: str) -> None:
    for epsilon in ("0.00123456", "15.3456"):
        shown(terminal, "--domain-size", size, "--n", n, "--epsilon", epsilon)


@pytest.mark.parametrize("question", [("--match", "shannon", "--epsilon", "1"), ("--max-asr", "0.3")])
def test_solved_comparisons_fit(terminal: Terminal, question: tuple[str, ...]) -> None:
    shown(terminal, "--domain-size", "10", *question)


@pytest.mark.parametrize("epsilon", ["0.5", "1", "3", "6"])
@pytest.mark.parametrize("size", ["2", "12", "200"])
def test_stars_are_on_the_least_values(terminal: Terminal, epsilon: str, size: str) -> None:
    question = ("--domain-size", size, "--epsilon", epsilon)
    table = first_table(shown(terminal, *question))
    rows = read_strictly(terminal("compare", *question, "--json").out)["rows"]
    assert list(table) == [row["protocol"] for row in rows]
    for key, place in COLUMNS.items():
        least = min(row[key] for row in rows)
        starred = {name for name, cells in table.items() if cells[place].endswith("*")}
        assert starred == {row["protocol"] for row in rows if row[key] <= least * (1 + 1e-12)}  # the tie of `least`


def test_figures_are_those_of_the_document(terminal: Terminal) -> None:
    question = ("--domain-size", "12", "--epsilon", "2")
    table = first_table(shown(terminal, *question))
    for row in read_strictly(terminal("compare", *question, "--json").out)["rows"]:
        cells = [cell.rstrip("*") for cell in table[row["protocol"]]]
        assert cells == [
            f"{row['tight_epsilon']:.4g}",
            f"{row['asr_uniform'] * 100:.4g} %",
            f"× {row['bayes_capacity']:.4g}",
            f"{row['shannon_capacity_bits']:.4g}",
            f"{row['pairwise_advantage'] * 100:.4g} %",
        ]


def test_long_names_are_broken_behind_their_separators(terminal: Terminal) -> None:
    names = "the:epsilon=1,theta=0.9,the:theta=0.7,oue:epsilon=2*ln(2),oue"
    text = shown(terminal, "--domain-size", "10", "--epsilon", "1", "--protocols", names, "--no-order")
    learns = text.split("What an adversary learns")[1].split("\n\n", maxsplit=1)[0].splitlines()
    start = next(index for index, line in enumerate(learns) if line.startswith("protocol"))
    assert [line.split()[0] for line in learns[start + 1 :]] == [
        *("the:epsilon=1,", "theta=0.9", "the:epsilon=1,", "theta=0.7"),
        *("oue:", "epsilon=2*ln(2)", "oue:epsilon=1"),
    ]


@given(st.text(":,+/ab"), st.integers(1, 12))
def test_lines_of_a_name_lose_nothing_and_are_full(name: str, width: int) -> None:
    lines = in_lines(name, width).split("\n")
    assert "".join(lines) == name
    for line, following in pairwise(lines):
        first = re.split(r"(?<=[:,+/])", following)[0]
        assert line[-1] in ":,+/"
        assert len(line) + len(first) > width
    assert all(len(line) <= width or not re.search(r"[:,+/].", line) for line in lines)


def test_every_starred_column_is_summed_up_in_words(terminal: Terminal) -> None:
    text = shown(terminal, "--domain-size", "12", "--epsilon", "1")
    assert "* least in its column. Who leaks least depends on the adversary:" in text
    assert re.search(r"^  worst single report \(tight ε\) \.+ THE$", text, flags=re.MULTILINE)
    assert re.search(r"^  one guess, no prior knowledge \.+ BLH$", text, flags=re.MULTILINE)


def test_every_column_of_errors_has_its_star(terminal: Terminal) -> None:
    text = shown(terminal, "--domain-size", "12", "--epsilon", "2")
    table = text.split("What the collector learns about one frequency")[1].split("\n\n")[0]
    cells = [re.findall(r"[\d.e-]+ %\*?", line) for line in table.splitlines() if " %" in line]
    assert len(cells) == 7
    for place in range(3):
        assert any(row[place].endswith("*") for row in cells)


def test_who_is_least_is_said_of_rows_with_numbers(terminal: Terminal) -> None:
    text = " ".join(shown(terminal, "--domain-size", "10", "--max-asr", "0.3", "--no-order").split())
    assert "* least in its column, of the rows that have numbers. Who leaks least depends on the adversary:" in text
    assert "blh: ε: the chance of a right guess is at most 0.3 at every ε." in text


def test_alone_nobody_is_least(terminal: Terminal) -> None:
    assert "least in its column" not in shown(terminal, "--domain-size", "12", "--epsilon", "1", "--protocols", "grr")


def test_headline_says_what_was_asked(terminal: Terminal) -> None:
    def headline(*question: str) -> str:
        return " ".join(shown(terminal, *question).split("\n\n")[0].split())

    assert headline("--dataset", "kosarak", "--epsilon", "1") == (
        "Kosarak: clicks on the 156 most visited pages of a news portal: 156 values, 3,617,178 reports, ε = 1"
    )
    assert headline("--domain-size", "10", "--max-bits", "0.5") == (
        "10 values, 100,000 reports, Shannon bits at most 0.5"
    )
    assert headline("--domain-size", "10", "--epsilon", "1", "--match", "asr") == (
        "10 values, 100,000 reports, ε = 1 for the first, the others at equal asr"
    )


def test_notes_and_reasons_are_shown_once_and_whole(terminal: Terminal) -> None:
    Path("d.csv").write_text("a\nx\ny\nx\n\n")
    text = " ".join(shown(terminal, "d.csv", "--column", "a", "--epsilon", "1,2").split())
    assert text.count("Note: The domain was read from the data: publishing which values occur is itself a leak.") == 1
    jump = " ".join(
        shown(terminal, "--domain-size", "10", "--epsilon", "6", "--match", "asr", "--protocols", "oue,blh").split()
    )
    assert re.search(r"Note: blh: ε: no ε gives it the asr of the first protocol, 0\.\d+\.", jump)


def test_a_long_name_of_a_channel_file_leaves_the_figures_readable(terminal: Terminal) -> None:
    name = "a-rather-long-name-of-a-file-with-a-channel-matrix-that-somebody-measured.csv"
    Path(name).write_text("0.75,0.25\n0.25,0.75\n")
    outcome = terminal("compare", "--domain-size", "2", "--epsilon", "1", "--protocols", f"file:{name},grr")
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert re.search(r"^GRR .* 73\.11 %", outcome.out, flags=re.MULTILINE)
    assert "75 %" in outcome.out


def test_missing_figures_are_dashes(terminal: Terminal) -> None:
    Path("id.csv").write_text("1,0\n0,1\n")
    text = shown(terminal, "--domain-size", "2", "--epsilon", "1", "--protocols", "file:id.csv")
    assert first_table(text)["file:id.csv"][0] == "–"


def test_rows_of_one_channel_are_said_to_be_one(terminal: Terminal) -> None:
    arguments = ("--domain-size", "100", "--epsilon", "1", "--protocols")
    twice = shown(terminal, *arguments, "ss,ss:omega=27,oue")
    assert len(re.findall(r"^SS ", twice, flags=re.MULTILINE)) == 4
    assert "worst single report (tight ε) ................ all alike" in twice
    assert twice.endswith("\nNote: 2 rows of SS are one channel, ss:epsilon=1,omega=27.\n")
    assert "are one channel" not in shown(terminal, *arguments, "ss,ss:omega=26,oue")
