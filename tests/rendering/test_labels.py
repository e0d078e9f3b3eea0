"""Where the words of a chart stand, and where its axes end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qifldp.rendering.page.labels import (
    EDGE_ABOVE,
    LONGEST,
    bounds,
    frontier_labels,
    joint_labels,
    ladder,
    log_ticks,
    without_outliers,
)
from qifldp.rendering.page.places import HEIGHT, LETTER, LINE, MARK, Axes, Word, is_clear

AXES = Axes((0, 4), (0.5, 2))

POINTS = [{"series": name, "x": x, "y": y} for name, x, y in (("A", 1.0, 1.0), ("B", 1.01, 1.01), ("C", 3.0, 1.3))]


def test_points_at_one_place_share_a_label() -> None:
    labels = joint_labels(POINTS, "x", "y", AXES, width=760)
    assert [(one.word.text, one.side) for one in labels] == [("A, B", "above"), ("C", "above")]
    assert labels[0].word.at == AXES.place(1.01, 1.01)  # beside the outermost


def test_labels_without_room_beside_their_points_stand_on_the_edge_above_them() -> None:
    far = [point | {"x": float(str(point["x"])) + 2.9} for point in POINTS[:2]]
    (label,) = joint_labels(far, "x", "y", AXES, width=250)
    assert (label.word.text, label.side, label.word.at) == ("A, B", "edge", (1.0, AXES.place(0, 1.01)[1]))


@pytest.mark.parametrize(
    ("apart", "width", "together"), [(0.06, 250, True), (0.1, 250, True), (0.1, 420, False), (0.06, 760, False)]
)
def test_points_share_a_label_if_theirs_would_meet_at_that_width(apart: float, width: int, together: bool) -> None:
    points = [{"series": 4 * name, "x": 0.2 + 4 * apart * place, "y": 1.0} for place, name in enumerate("ABCD")]
    found = [one.word.text for one in joint_labels(points, "x", "y", AXES, width=width)]
    assert found == (["AAAA, BBBB, CCCC, DDDD"] if together else ["AAAA", "BBBB", "CCCC", "DDDD"])


def test_points_that_have_room_have_labels_of_their_own() -> None:
    points = [{"series": name, "x": 1 + 4 * 25 / 760 * place, "y": 1.0} for place, name in enumerate("AB")]
    assert [one.word.text for one in joint_labels(points, "x", "y", AXES, width=760)] == ["A", "B"]


def test_a_label_stands_where_no_line_and_no_other_point_is() -> None:
    def sides(*points: dict[str, Any], lines: tuple[list[tuple[float, float]], ...] = ()) -> list[object]:
        drawn = [AXES.line(line) for line in lines]
        return [one.side for one in joint_labels(points, "x", "y", AXES, width=760, lines=drawn)]

    a, b = ({"series": name, "x": x, "y": 1.0} for name, x in (("A", 1.0), ("B", 2.0)))
    above = [(0.0, 1.06), (1.0, 1.05), (4.0, 0.9)]
    assert sides(a, b) == ["above", "above"]
    assert sides(a, b, lines=(above,)) == ["below", "above"]
    below = [
        (0.0, 1.06),
        (0.96, 1.0),
        (1.0, 0.985),
        (1.06, 0.96),
        (4.0, 0.9),
    ]  # the label is left of a falling line, not on it
    assert sides(a, lines=(above, below)) == ["before"]
    long, beside = a | {"series": "a name"}, {"series": "C", "x": 1.25, "y": 1.03}
    assert sides(long, beside)[0] == "below"


def test_a_label_stands_where_no_other_word_is() -> None:
    a = {"series": "A", "x": 1.0, "y": 1.0}
    place = AXES.place(1, 1)
    words: list[Word] = []
    for side, right, above in (("above", 12, 9), ("below", 12, -9), ("before", -12, -9), ("behind", -12, 9)):
        (label,) = joint_labels([a], "x", "y", AXES, width=760, words=words)
        assert label.side == side
        words.append(Word("word", place, right, above))


def test_labels_of_points_do_not_meet_one_another() -> None:
    long, lower = {"series": "a long name", "x": 1.0, "y": 1.0}, {"series": "B", "x": 1.5, "y": 0.978}
    for points, sides in (([long, lower], ["above", "below"]), ([lower], ["above"])):
        assert [one.side for one in joint_labels(points, "x", "y", AXES, width=420)] == sides


def test_a_label_in_the_way_of_a_line_takes_the_place_of_a_word_that_can_yield() -> None:
    a, below = {"series": "A", "x": 1.0, "y": 1.0}, Word("word", AXES.place(1, 1), 12, -9)
    over = AXES.line([(1.0, 1.05), (4.0, 1.05)])
    beside = [Word("word", AXES.place(1, 1), -12, above) for above in (9, -9)]
    for words, side in (([below], "before"), ([below, *beside], "below")):
        (label,) = joint_labels([a], "x", "y", AXES, width=760, lines=[over], words=words)
        assert label.side == side


def test_a_label_that_meets_something_everywhere_is_on_the_chart() -> None:
    at = {"series": "A", "x": 1.0, "y": 1.99}
    around = [at | {"series": "B" * 60, "x": 1.0 + x, "y": 1.9} for x in (-0.2, 0.3)]
    for label in joint_labels([at, *around], "x", "y", AXES, width=760):
        assert is_clear(label.word, 760)


def test_nothing_of_a_long_label_is_lost() -> None:
    names = [f"SS:omega={place}" for place in range(1, 12)] + ["a name that alone is longer than a line can be"]
    points = [{"series": name, "x": 2.0, "y": 1.0} for name in names]
    (label,) = joint_labels(points, "x", "y", AXES, width=250)
    lines = [line for line, _ in label.word.rows]
    assert " ".join(lines) == ", ".join(names).replace("can be", "can\nbe").replace("\n", " ")
    left, right, bottom, top = label.word.box(250)
    assert right - left == LETTER * max(map(len, lines)) <= LONGEST
    middles = [HEIGHT * label.word.at[1] + above for _, above in label.word.rows]
    assert middles == sorted(middles, reverse=True)
    assert (middles[0] + LINE, middles[-1] - LINE) == pytest.approx((top, bottom))
    assert set(np.diff(middles)) == {-2 * LINE}
    lowest = bottom - HEIGHT * label.word.at[1]
    assert lowest == EDGE_ABOVE - LINE  # as far from its point as a label of one line


def test_a_word_meets_a_line_that_falls_between_its_letters() -> None:
    """A step of a frontier may be narrower than a letter, and pass through a word from top to bottom."""
    word = Word("word", (0.5, 0.5), 9, 0)
    inside = 0.5 + (9 + 1.5 * LETTER) / 760
    steep = np.array([(0.0, 0.9), (inside, 0.9), (inside + 1e-9, 0.1), (1.0, 0.1)])
    assert not is_clear(word, 760, lines=[steep])
    assert is_clear(word, 760, lines=[steep[:2], steep[2:]])
    over, ends = np.array([(0.0, 0.6), (1.0, 0.6)]), np.array([(0.0, 0.5), (0.5, 0.5)])
    assert is_clear(word, 760, lines=[over, ends])
    notch = np.array([(0.0, 0.6), (inside - 1e-3, 0.6), (inside, 0.5), (inside + 1e-3, 0.6), (1.0, 0.6)])
    assert not is_clear(word, 760, lines=[notch])
    upright = np.array([(inside, 0.0), (inside, 1.0)])
    assert not is_clear(word, 760, lines=[upright])
    assert is_clear(word, 760, lines=[upright - (0.05, 0), upright - (-0.05, 0)])


def test_a_word_is_half_a_mark_away_from_points() -> None:
    word = Word("word", (0.5, 0.5), 9, 0)
    left, right, bottom, top = word.box(760)
    across, up = (left + right) / 2, (bottom + top) / 2
    for away, clear in ((MARK - 1, False), (MARK + 1, True)):
        for x, y in ((left - away, up), (right + away, up), (across, bottom - away), (across, top + away)):
            assert is_clear(word, 760, points=[(x / 760, y / HEIGHT)]) == clear


@pytest.mark.parametrize(("at", "clear"), [((0.5, 0.5), True), ((0.99, 0.5), False), ((0.5, 0.99), False)])
def test_a_word_is_on_the_chart(at: tuple[float, float], clear: bool) -> None:
    assert is_clear(Word("word", at, 9, 0), 400) == clear
    assert is_clear(Word("word", (1 - at[0], 1 - at[1]), -9, 0), 400) == clear


def test_a_point_far_above_the_others_is_left_out() -> None:
    near, far = without_outliers([*POINTS, {"series": "D", "x": 1.0, "y": 9.0}], "y")
    assert [one["series"] for one in far] == ["D"]
    assert len(near) == 3


def test_points_that_rise_step_by_step_are_all_near() -> None:
    points = [{"series": str(y), "x": 1.0, "y": y} for y in (1.0, 1.4, 1.9, 2.6, 3.7, 6.0)]
    near, far = without_outliers(points, "y")
    assert [one["y"] for one in near] == [1.0, 1.4, 1.9, 2.6, 3.7]
    assert [one["y"] for one in far] == [6.0]


def test_presets_near_one_another_share_a_mark() -> None:
    marks = ladder([{"epsilon": 2.0}, {"epsilon": 2.04}, {"epsilon": 4.0}], 4.0)
    assert [(one["epsilon"], one["label"]) for one in marks] == [(2.0, "AB"), (4.0, "C")]


@pytest.mark.parametrize(("low", "high"), [(0.001, 2.0), (0.011, 0.014), (0.0061, 0.0069), (0.5, 60.0)])
def test_logarithmic_axes_have_ticks_inside(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert len(ticks) >= 2
    assert all(low <= tick <= high for tick in ticks)


def test_bounds_leave_room() -> None:
    assert bounds([1.0, 1.0], logarithmic=True)[0] < 1 < bounds([1.0, 1.0], logarithmic=True)[1]
    low, high = bounds([2.0, 4.0], logarithmic=False)
    assert 0 <= low < 2 < 4 < high


def test_the_axis_of_a_chance_ends_next_to_one() -> None:
    low, high = bounds([0.9, 0.99], logarithmic=False, most=1)
    assert 0 <= low < 0.9
    assert 1 < high < 1 + 0.02 * (1 - low)
    assert bounds([0.1, 0.2], logarithmic=False, most=1) == bounds([0.1, 0.2], logarithmic=False)


def test_the_axis_of_a_guess_begins_next_to_what_one_without_a_report_achieves() -> None:
    left, right = bounds([0.0201, 0.0205], logarithmic=False, least=0.02, most=1)
    assert 0 < 0.02 - left < 0.02 * (right - left)
    assert bounds([0.1, 0.2], logarithmic=False, least=0.02) == bounds([0.1, 0.2], logarithmic=False)


def test_a_frontier_is_named_above_its_line_at_the_foot_of_the_chart() -> None:
    lines = {1.0: np.array([(0, 0.01), (1, 0.01)]), 2.0: np.array([(0, 0.5), (1, 0.5)])}
    words = frontier_labels(lines, [], width=420)
    assert [(one.text, one.at, one.above > 0) for one in words] == [
        ("tight ε 1", (1.0, 0.01), True),
        ("tight ε 2", (1.0, 0.5), False),
    ]
    for x, above in ((0.95, True), (0.5, False)):  # a point under the line's end is in the way
        point = (x, 0.5 - 12 / HEIGHT)
        assert (frontier_labels(lines, [point], width=420)[1].above > 0) == above


def test_a_frontier_is_named_beyond_a_point_and_beside_other_words() -> None:
    lines = {1.0: np.array([(0, 0.5), (1, 0.5)])}
    at_the_end = (1 - 10 / 420, 0.5)  # too near for a word right above or below the line
    (word,) = frontier_labels(lines, [at_the_end], width=420)
    assert word.above == -21
    (other,) = frontier_labels(lines, [at_the_end], width=420, words=[word])
    assert other.above == 21
    lower, under_it = lines | {0.9: lines[1.0] - (0, 25 / HEIGHT)}, (1 - 30 / 420, 0.5 - 31 / HEIGHT)
    assert [one.above for one in frontier_labels(lower, [under_it], width=420)] == [-9, -21]  # not on the other word


def test_a_frontier_is_named_where_it_leaves_the_chart() -> None:
    falling = [np.array([(0.0, 0.9 + up), (0.9, 0.5 + up), (2.0, -0.6 + up)]) for up in (0.0, -1.0, 1.0)]
    (word,) = frontier_labels(dict(enumerate(falling)), [], width=420)
    assert word.at == pytest.approx((1.0, 0.4))


def test_long_logarithmic_axes_have_powers_of_ten_in_equal_steps() -> None:
    assert log_ticks(1e-25, 1e-3) == [float(f"1e-{power}") for power in (24, 21, 18, 15, 12, 9, 6, 3)]
    assert 1 < len(log_ticks(1e-300, 1e2)) < 10
