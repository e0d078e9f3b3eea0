"""Looks that can be told apart, and the extra that draws."""

from __future__ import annotations

import importlib.util

import pytest

from qifldp.errors import InputError
from qifldp.protocols.specs import SEVEN
from qifldp.rendering.charts import LETTER_WIDTH, LOOKS, axis_title, check_altair, paragraphs

OKABE_ITO = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7"}
GREY = "#555555"


def test_colours_are_of_the_palette() -> None:
    assert {look.color for look in LOOKS.values()} == OKABE_ITO | {GREY}
    assert len({LOOKS[name.upper()].color for name in SEVEN}) == 7


def test_arrows_point_to_the_better_end() -> None:
    assert axis_title("a", "more private", "low", upright=True) == ["a", "← more private"]
    assert axis_title("a", "more private", "high", upright=True) == ["a", "more private →"]
    assert axis_title("a", "safer", "high", upright=False) == ["a (safer →)"]
    assert axis_title("a", "", "low", upright=True) == ["a"]


def test_notes_are_as_wide_as_they_may_be() -> None:
    lines = paragraphs(("one two three " * 20, "four"), 300)
    assert lines[-1] == "four"
    assert 250 < max(map(len, lines)) * LETTER_WIDTH <= 300
    assert " ".join(lines[:-1]) == " ".join(["one two three"] * 20)


@pytest.mark.parametrize("words", range(15, 40))
def test_the_last_line_is_about_as_long_as_the_others(words: int) -> None:
    lines = paragraphs((" ".join(["seven"] * words),), 300)
    assert len(lines) > 1
    assert len(lines[-1]) >= 0.6 * len(lines[0])


@pytest.mark.parametrize("missing", ["altair", "vl_convert"])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    check_altair()
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else found(name))
    with pytest.raises(InputError) as refused:
        check_altair()
    assert str(refused.value) == "Drawing needs Altair and vl-convert: pip install 'qifldp[figures]'."
