"""``leakage`` for people, and documents as text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cli.terminal import Terminal
from qifldp.comparison.candidates import percent
from qifldp.leakage.measures import MEASURES
from qifldp.rendering.documents import save, to_text
from qifldp.rendering.tables import number
from qifldp.rendering.text import plain


@pytest.mark.parametrize("epsilon", ["1e-9", "1", "700"])
@pytest.mark.parametrize("spec", ["oue", "ss", "the:theta=0.9"])
def test_every_measure_is_shown_in_80_columns(terminal: Terminal, spec: str, epsilon: str) -> None:
    outcome = terminal("leakage", spec, "--domain-size", "50", "--epsilon", epsilon)
    assert (outcome.code, outcome.err) == (0, "")
    assert "\x1b" not in outcome.out
    assert "…" not in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80
    for measure in MEASURES:
        safer = "less" if measure.private_end == "low" else "more"
        assert re.search(rf"^{re.escape(measure.title)} .*\d  {safer} ", outcome.out, flags=re.MULTILINE)


def test_adversary_is_described_and_measured(terminal: Terminal) -> None:
    text = terminal("leakage", "grr", "--domain-size", "4", "--epsilon", "ln(3)", "--prior", "zipf:1").out
    assert text.startswith("grr:epsilon=ln(3) over 4 values, claims ε = 1.099\n")
    assert "An adversary who knows the prior (zipf) and guesses the value in one try\n" in text
    # Zipf over four values is 12, 6, 4 and 3 of 25, and p = 1/2, q = 1/6: the best guesses win .24 + .12 + .08 + .08.
    assert "  gains before the report ..... 0.48\n" in text
    assert "  gains after it, on average .. 0.52\n" in text
    assert "  more by ..................... 0.04, a factor 1.08333\n" in text


def test_bare_channels_claim_nothing(terminal: Terminal) -> None:
    Path("id.csv").write_text("1,0\n0,1\n")
    text = terminal("leakage", "file:id.csv").out
    assert text.startswith("file:id.csv over 2 values\n")
    assert re.search(r"^tight ε +infinite  less ", text, flags=re.MULTILINE)
    assert "Note: ε: a bare channel claims no budget." in text


def test_nothing_to_multiply_is_a_dash(terminal: Terminal) -> None:
    Path("g.csv").write_text("0,0,0\n")
    text = terminal("leakage", "oue", "--domain-size", "3", "--epsilon", "1", "--gain", "g.csv").out
    assert "  more by ..................... 0, a factor –\n" in text


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_documents_refuse_what_is_not_json(tmp_path: Path, value: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        to_text({"figure": value})
    (tmp_path / "kept.json").write_text("old")
    with pytest.raises(ValueError, match="JSON compliant"):
        save({"figure": value}, tmp_path / "kept.json")
    assert (tmp_path / "kept.json").read_text() == "old"


def test_saved_documents_are_utf_8_lines(tmp_path: Path) -> None:
    save({"ε": 1}, tmp_path / "d.json")
    assert (tmp_path / "d.json").read_text(encoding="utf-8") == to_text({"ε": 1}) + "\n"


def test_numbers_for_people() -> None:
    assert number(0.000123456) == "0.0001235"
    assert percent(0.123456) == "12.35 %"
    assert percent(1) == "100 %"
    assert plain("a\x1b[31m\tb\u202e\nε") == "a\ufffd[31m\ufffdb\ufffd\nε"
