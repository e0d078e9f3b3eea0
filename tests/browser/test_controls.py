"""The explorer's controls in a browser: numbers, choices, the way back, in quick and slow sequences by every hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from browser.explorer import (
    CAPACITY,
    Explore,
    at_rest,
    box,
    capacities,
    free_port,
    press,
    running,
    settled,
    slider,
    tab,
    upload,
)

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_slider_changes_the_table_and_the_address(explore: Explore) -> None:
    page = explore("k=12")
    before = capacities(page)
    page.get_by_role("slider", name="Budget, ε").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"document.querySelector('{CAPACITY}').textContent !== '{before[0]}'")
    settled(page)
    after = capacities(page)
    assert all(float(new.strip("× ")) > float(old.strip("× ")) for old, new in zip(before, after, strict=True))
    page.wait_for_url("**/?k=12&epsilon=1.2")
    again = explore("k=12&epsilon=1.2")
    assert capacities(again) == after


@pytest.mark.parametrize("milliseconds", [0, 60, 150])
def test_what_was_typed_is_taken_when_a_tab_is_pressed_next(explore: Explore, milliseconds: int) -> None:
    page = explore("")
    box(page, "Values, k").fill("20")
    press(page, tab(page, "Head to head"), milliseconds)
    at_rest(page, "20 values, 100,000 reports, ε = 1", "k=20&view=pair")
    assert box(page, "Values, k").input_value() == "20"


def test_quick_actions_are_all_taken(explore: Explore) -> None:
    page = explore("")
    for label, text in (("Values, k", "20"), ("Budget, ε", "ln(3)"), ("Reports, n", "5000")):
        box(page, label).fill(text)
    box(page, "Reports, n").press("Enter")
    press(page, tab(page, "Who is safer"), 60)
    press(page, tab(page, "Head to head"), 60)
    at_rest(page, "20 values, 5,000 reports, ε = ln(3)", "k=20&epsilon=ln(3)&n=5000&view=pair")
    assert box(page, "Reports, n").input_value() == "5000"
    page.get_by_role("slider", name="Values, k").focus()
    page.keyboard.press("ArrowRight")
    press(page, tab(page, "Overview"), 60)
    at_rest(page, "30 values, 5,000 reports, ε = ln(3)", "k=30&epsilon=ln(3)&n=5000")
    assert box(page, "Values, k").input_value() == "30"


@pytest.mark.parametrize("milliseconds", [0, 150, 700])
def test_a_slider_pressed_after_its_box_was_filled_has_the_last_word(explore: Explore, milliseconds: int) -> None:
    page = explore("")
    box(page, "Values, k").fill("7000")
    place = slider(page, "Values, k").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 2, place["y"] + place["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(milliseconds)
    page.mouse.up()
    at_rest(page, "2 values, 100,000 reports, ε = 1", "k=2")
    assert box(page, "Values, k").input_value() == "2"


def test_a_slider_stands_where_the_box_says(explore: Explore) -> None:
    page = explore("k=40")
    assert slider(page, "Values, k").get_attribute("aria-valuetext") == "40"
    slider(page, "Values, k").press("ArrowRight")
    at_rest(page, "50 values, 100,000 reports, ε = 1", "k=50")
    box(page, "Values, k").fill("40")
    slider(page, "Values, k").press("ArrowLeft")
    at_rest(page, "30 values, 100,000 reports, ε = 1", "k=30")
    slider(page, "Values, k").press("End")
    at_rest(page, "100,000 values, 100,000 reports, ε = 1", "k=100000")
    slider(page, "Values, k").press("ArrowRight")
    slider(page, "Values, k").press("Home")
    at_rest(page, "2 values, 100,000 reports, ε = 1", "k=2")


def test_what_is_typed_while_an_answer_is_made_is_kept(explore: Explore) -> None:
    page = explore("")
    slider(page, "Values, k").press("ArrowLeft")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    for letter in "4567":
        page.keyboard.type(letter)
        page.wait_for_timeout(300)
    assert box(page, "Values, k").input_value() == "4567"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    at_rest(page, "5,000 values, 100,000 reports, ε = 1", "k=5000")
    assert page.evaluate("document.activeElement.type") == "range"


def test_what_is_refused_stays_to_be_mended(explore: Explore) -> None:
    page = explore("")
    box(page, "Budget, ε").fill("ln(3")
    box(page, "Budget, ε").press("Enter")
    page.wait_for_selector("p.error >> text=ε must be from 0.001 to 20")
    settled(page)
    page.keyboard.type(")")
    page.keyboard.press("Enter")
    at_rest(page, "100 values, 100,000 reports, ε = ln(3)", "epsilon=ln(3)")
    assert page.locator("p.error").count() == 0


def test_what_was_begun_and_left_is_not_in_the_way(explore: Explore) -> None:
    page = explore("k=100&n=1000")
    box(page, "Values, k").fill("20")
    page.keyboard.press("Enter")
    at_rest(page, "20 values, 1,000 reports, ε = 1", "k=20&n=1000")
    page.keyboard.type("5")
    page.keyboard.press("Backspace")
    page.keyboard.press("Tab")
    place = slider(page, "Reports, n").bounding_box()
    assert place is not None
    middle = place["y"] + place["height"] / 2
    at = float(slider(page, "Reports, n").input_value()) / float(slider(page, "Reports, n").get_attribute("max") or 0)
    thumb = place["x"] + 8 + at * (place["width"] - 16)
    page.mouse.move(thumb, middle)
    page.mouse.down()
    page.mouse.move(thumb + 40, middle)
    assert box(page, "Reports, n").input_value() != "1,000"
    page.mouse.move(thumb, middle)
    page.mouse.up()
    page.go_back()
    at_rest(page, "100 values, 1,000 reports, ε = 1", "n=1000")
    assert (box(page, "Values, k").input_value(), box(page, "Reports, n").input_value()) == ("100", "1,000")


def test_a_touch_that_is_broken_off_changes_nothing(explore: Explore) -> None:
    page = explore("k=20")
    place = slider(page, "Values, k").bounding_box()
    assert place is not None
    touch = page.context.new_cdp_session(page)
    begin, end = ({"x": place["x"] + part * place["width"], "y": place["y"] + 12} for part in (0.3, 0.9))
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [begin]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [end]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
    at_rest(page, "20 values, 100,000 reports, ε = 1", "k=20")
    assert box(page, "Values, k").input_value() == "20"


def test_the_way_back_and_forward(explore: Explore) -> None:
    page = explore("k=12")
    slider(page, "Budget, ε").press("ArrowRight")
    at_rest(page, "12 values, 100,000 reports, ε = 1.2", "k=12&epsilon=1.2")
    tab(page, "Head to head").click()
    at_rest(page, "12 values, 100,000 reports, ε = 1.2", "k=12&epsilon=1.2&view=pair")
    box(page, "Values, k").fill("many")
    page.keyboard.press("Enter")
    page.wait_for_selector("p.error >> text=k must be")
    page.go_back()
    at_rest(page, "12 values, 100,000 reports, ε = 1.2", "k=12&epsilon=1.2")
    assert (page.locator("p.error").count(), box(page, "Values, k").input_value()) == (0, "12")
    page.go_back()
    at_rest(page, "12 values, 100,000 reports, ε = 1", "k=12")
    assert box(page, "Budget, ε").input_value() == "1"
    page.go_forward()
    at_rest(page, "12 values, 100,000 reports, ε = 1.2", "k=12&epsilon=1.2")
    page.go_forward()
    at_rest(page, "12 values, 100,000 reports, ε = 1.2", "k=12&epsilon=1.2&view=pair")
    page.get_by_role("button", name="GRR").focus()
    page.go_back()
    at_rest(page, "12 values, 100,000 reports, ε = 1.2", "k=12&epsilon=1.2")
    assert page.evaluate("document.activeElement.innerText") == "GRR"
    slider(page, "Budget, ε").press("ArrowRight")
    at_rest(page, "12 values, 100,000 reports, ε = 1.5", "k=12&epsilon=1.5")


def test_a_server_that_was_started_again_goes_on(browser: Browser, tmp_path: Path) -> None:
    port, connected = free_port(), "[data-test-connection-state=CONNECTED]"
    with running(tmp_path, port) as address:
        page = browser.new_page()
        page.goto(f"{address}?k=50")
        for k in ("20", "30"):
            settled(page)
            box(page, "Values, k").fill(k)
            page.keyboard.press("Enter")
            page.wait_for_url(f"**/?k={k}")
    page.wait_for_selector(connected, state="detached")
    box(page, "Reports, n").fill("777")  # while there is none
    page.keyboard.press("Enter")
    with running(tmp_path, port):
        page.wait_for_selector(connected)
        at_rest(page, "30 values, 777 reports, ε = 1", "k=30&n=777")
        page.go_back()
        tab(page, "Your data").click()
        at_rest(page, "30 values, 100,000 reports, ε = 1", "k=30&view=data")  # nothing older was heard as new
        page.close()


@pytest.mark.parametrize("wait", [0, 300])
def test_quick_actions_beside_uploads_are_all_taken(explore: Explore, wait: int) -> None:
    page = explore("view=data&epsilon=ln(3)")
    upload(page, 0, "a.csv", b"c\n" + b"".join(b"v%d\n" % (row % 5) for row in range(40)))
    upload(page, 1, "m.csv", b"1,0\n0,1\n")
    page.get_by_role("button", name="Use this column").click()
    page.wait_for_selector("p.facts >> text=a.csv, column c; 5 values, 40 reports")
    settled(page)
    assert box(page, "Reports, n").is_disabled()
    press(page, page.get_by_role("button", name="Use this channel"), 60)
    page.wait_for_timeout(wait)
    press(page, tab(page, "Overview"), 60)
    at_rest(page, "2 values, 100,000 reports, ε = ln(3)", "k=2&epsilon=ln(3)&channel=upload")
    assert box(page, "Reports, n").input_value() == "100,000"
