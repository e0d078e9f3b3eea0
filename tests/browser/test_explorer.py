"""The explorer in a browser: it answers, it harms nobody, it can be used with the keyboard, and calls nobody."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from browser.explorer import ANSWERS_WITHIN, HOSTILE, free_port, running, settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CAPACITY = "td[data-key=bayes_capacity] data"

Opener = Callable[[str], "Page"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("explorer")


@pytest.fixture(scope="module")
def address(browser: Browser, folder: Path) -> Iterator[str]:
    with running(folder) as found:
        yield found


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Opener]:
    """A function that opens the explorer at a query; at the end nothing may have been complained about."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    complaints: list[str] = []

    def open_at(query: str) -> Page:
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on(
            "request", lambda asked: None if _own(asked.url, address) else complaints.append(f"request: {asked.url}")
        )
        page.goto(f"{address}?{query}")
        settled(page)
        return page

    yield open_at
    harmed = [page.evaluate("window.harmed") for page in context.pages]
    context.close()
    assert complaints == []
    assert harmed == [None] * len(harmed)


def _own(url: str, address: str) -> bool:
    return url.startswith((address, address.replace("http", "ws"), "data:", "blob:"))


def capacities(page: Page) -> list[str]:
    return page.locator(CAPACITY).all_inner_texts()


def test_it_opens_and_draws(opened: Opener) -> None:
    page = opened("")
    assert page.title() == "qifldp explore"
    assert page.locator("p.lead").inner_text().startswith("Take subset selection (SS): ")
    assert len(capacities(page)) == 7
    page.wait_for_selector("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg")


def test_a_slider_changes_the_table_and_the_address(opened: Opener) -> None:
    page = opened("k=12")
    before = capacities(page)
    page.get_by_role("slider", name="Budget, ε").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"document.querySelector('{CAPACITY}').textContent !== '{before[0]}'")
    settled(page)
    after = capacities(page)
    assert all(float(new.strip("× ")) > float(old.strip("× ")) for old, new in zip(before, after, strict=True))
    page.wait_for_url("**/?k=12&epsilon=1.2")
    again = opened("k=12&epsilon=1.2")
    assert capacities(again) == after


def tab(page: Page, view: str) -> Locator:
    """Return what chooses a view."""
    return page.get_by_role("radio", name=view).or_(page.get_by_role("button", name=view)).first


def box(page: Page, label: str) -> Locator:
    """Return the box for the exact value of something."""
    return page.get_by_role("textbox", name=f"{label}, exactly")


def press(page: Page, target: Locator, milliseconds: int) -> None:
    """Press a mouse button on something for so long, as a hand does; a click of a test takes no time."""
    target.hover()
    page.mouse.down()
    page.wait_for_timeout(milliseconds)
    page.mouse.up()


def at_rest(page: Page, facts: str, query: str) -> None:
    """Wait until the page answers a question, and check that it stays with it."""
    page.wait_for_selector(f"p.facts >> text={facts}", timeout=ANSWERS_WITHIN)
    settled(page)
    page.wait_for_timeout(1_000)  # for whatever the browser may still send
    settled(page)
    assert page.locator("p.facts").inner_text() == facts
    assert unquote(page.url.partition("?")[2]) == query


@pytest.mark.parametrize("milliseconds", [0, 60, 150])
def test_what_was_typed_is_taken_when_a_tab_is_pressed_next(opened: Opener, milliseconds: int) -> None:
    page = opened("")
    box(page, "Values, k").fill("20")
    press(page, tab(page, "Head to head"), milliseconds)
    at_rest(page, "20 values, 100,000 reports, ε = 1", "k=20&view=pair")
    assert box(page, "Values, k").input_value() == "20"


def test_quick_actions_are_all_taken(opened: Opener) -> None:
    page = opened("")
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


def slider(page: Page, label: str) -> Locator:
    """Return the slider of something."""
    return page.get_by_role("slider", name=label)


@pytest.mark.parametrize("milliseconds", [0, 150, 700])
def test_a_slider_pressed_after_its_box_was_filled_has_the_last_word(opened: Opener, milliseconds: int) -> None:
    page = opened("")
    box(page, "Values, k").fill("7000")
    place = slider(page, "Values, k").bounding_box()
    assert place is not None
    page.mouse.move(place["x"] + 2, place["y"] + place["height"] / 2)
    page.mouse.down()
    page.wait_for_timeout(milliseconds)
    page.mouse.up()
    at_rest(page, "2 values, 100,000 reports, ε = 1", "k=2")
    assert box(page, "Values, k").input_value() == "2"


def test_a_slider_stands_where_the_box_says(opened: Opener) -> None:
    page = opened("k=40")
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


def test_what_is_typed_while_an_answer_is_made_is_kept(opened: Opener) -> None:
    page = opened("")
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


def test_what_is_refused_stays_to_be_mended(opened: Opener) -> None:
    page = opened("")
    box(page, "Budget, ε").fill("ln(3")
    box(page, "Budget, ε").press("Enter")
    page.wait_for_selector("p.error >> text=ε must be a positive number")
    settled(page)
    page.keyboard.type(")")
    page.keyboard.press("Enter")
    at_rest(page, "100 values, 100,000 reports, ε = ln(3)", "epsilon=ln(3)")
    assert page.locator("p.error").count() == 0


def test_the_last_protocol_can_be_exchanged(opened: Opener) -> None:
    page = opened("protocols=grr&k=12")
    page.get_by_role("button", name="GRR").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("p.error >> text=Choose at least one protocol.")
    settled(page)
    assert page.evaluate("document.activeElement.innerText") == "GRR"
    page.get_by_role("button", name="SS", exact=True).click()
    page.wait_for_url("**/?k=12&protocols=ss")
    settled(page)
    assert len(capacities(page)) == 1


def test_what_was_begun_and_left_is_not_in_the_way(opened: Opener) -> None:
    page = opened("k=100&n=1000")
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


def test_a_touch_that_is_broken_off_changes_nothing(opened: Opener) -> None:
    page = opened("k=20")
    place = slider(page, "Values, k").bounding_box()
    assert place is not None
    touch = page.context.new_cdp_session(page)
    begin, end = ({"x": place["x"] + part * place["width"], "y": place["y"] + 12} for part in (0.3, 0.9))
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [begin]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [end]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
    at_rest(page, "20 values, 100,000 reports, ε = 1", "k=20")
    assert box(page, "Values, k").input_value() == "20"


def test_the_way_back_and_forward(opened: Opener) -> None:
    page = opened("k=12")
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
def test_quick_actions_beside_uploads_are_all_taken(opened: Opener, wait: int) -> None:
    page = opened("view=data&epsilon=ln(3)")
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


def test_a_shared_view_opens_where_it_was(opened: Opener) -> None:
    page = opened("k=12&epsilon=ln(3)&view=pair&original=sue&refined=the")
    assert page.get_by_text("THE is safer for everybody than SUE.").is_visible()
    page.get_by_role("button", name="Verify").first.click()
    page.wait_for_selector("p.good >> text=Proved")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download the proof").first.click()
    assert caught.value.suggested_filename == "sue-the-certificate.json"
    assert '"kind": "refinement-certificate"' in Path(caught.value.path()).read_text(encoding="utf-8")


def test_long_work_shows_its_progress_and_is_cancelled(opened: Opener) -> None:
    page = opened("k=50000")
    page.get_by_role("button", name="Draw the curves").click()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("text=Cancelled.")
    assert page.get_by_role("button", name="Draw the curves").is_visible()


def test_the_page_is_made_and_downloaded(opened: Opener) -> None:
    page = opened("k=5&protocols=grr,oue")
    page.get_by_role("button", name="Make the page (HTML)").click()
    page.wait_for_selector("[data-testid=stDownloadButton] >> text=Page (HTML)", timeout=120_000)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Page (HTML)", exact=True).click()
    assert Path(caught.value.path()).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def upload(page: Page, which: int, name: str, data: bytes) -> None:
    chosen = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.locator("input[type=file]").nth(which).set_input_files(chosen)  # type: ignore[arg-type]  # a file in memory
    settled(page)


def test_an_upload_is_used_and_forgotten(opened: Opener, folder: Path) -> None:
    page = opened("view=data")
    upload(page, 0, "survey.csv", b"age,answer\n1,yes\n2,no\n3,maybe\n4,yes\n")
    page.get_by_role("button", name="Use this column").click()
    page.wait_for_selector("p.facts >> text=survey.csv, column age; 4 values, 4 reports")
    settled(page)
    page.get_by_role("button", name="Forget the column").click()
    page.wait_for_selector("p.facts >> text=100 values")
    assert sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "log.txt") == []
    assert "survey" not in (folder / "log.txt").read_text(encoding="utf-8")


def test_a_channel_is_compared(opened: Opener) -> None:
    page = opened("view=data")
    upload(page, 1, "m.csv", b"2/3,1/3\n1/3,2/3\n")
    page.get_by_role("button", name="Use this channel").click()
    page.wait_for_selector("p.good >> text=In use: m.csv: 2 × 2, exact.")
    tab(page, "Overview").click()
    page.wait_for_selector("table >> text=m.csv")
    settled(page)
    query = page.url.partition("?")[2]
    assert query == "k=2&channel=upload"
    again = opened(query)
    assert again.locator("p.facts").inner_text().startswith("2 values, ")
    assert again.get_by_text("This address was made beside an uploaded file, which is not in it").is_visible()


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("a.csv", b"\x89PNG\r\n\x1a\n\x00\x00" * 999, "The file is not CSV that can be read"),
        ("a.parquet", b"PAR1" * 99, "The file is not Parquet that can be read"),
        ("a.csv", b"a\n" + b"x" * (3 << 20), "The file is not CSV that can be read"),
    ],
    ids=["binary", "no Parquet", "one long line"],
)
def test_a_broken_file_gets_a_sentence(opened: Opener, name: str, data: bytes, sentence: str) -> None:
    page = opened("view=data")
    upload(page, 0, name, data)
    page.wait_for_selector(f"p.error >> text={sentence}")


def test_a_huge_file_is_refused(opened: Opener, tmp_path: Path) -> None:
    huge = tmp_path / "huge.csv"
    huge.write_bytes(b"a\n" + b"x\n" * (11 << 20))
    page = opened("view=data")
    page.locator("input[type=file]").first.set_input_files(huge)
    page.wait_for_selector("text=/File must be 20.*MB or smaller/")


def test_a_hostile_file_does_no_harm(opened: Opener) -> None:
    page = opened("view=data")
    upload(page, 0, "<img src=x onerror=window.harmed=1>.csv", f"{HOSTILE}\n{HOSTILE}\n=1+1\n<b>x</b>\n".encode())
    page.get_by_role("button", name="Use this column").click()
    page.wait_for_selector("p.facts >> text=3 values, 3 reports")
    settled(page)
    assert HOSTILE in page.locator("p.facts").inner_text()
    page.get_by_text("Its 3 most frequent values").click()
    page.wait_for_selector("table >> text=<b>x</b>")
    assert page.locator("table >> text=<script>").first.is_visible()
    assert page.locator("script:has-text('harmed'), img[src='x'], table b:has-text('x')").count() == 0


def test_focus_is_visible_and_every_control_has_a_name(opened: Opener) -> None:
    page = opened("")
    seen: set[str] = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        found = page.evaluate(
            """() => {
              const e = document.activeElement, s = getComputedStyle(e);
              const outlined = (x) => { const t = getComputedStyle(x);
                return (t.outlineStyle !== 'none' && parseFloat(t.outlineWidth) > 0) || t.boxShadow !== 'none'; };
              let at = e, shown = false;
              for (let up = 0; at && up < 4; up += 1, at = at.parentElement) shown = shown || outlined(at);
              const label = e.labels && e.labels.length ? e.labels[0].innerText : '';
              return {tag: e.tagName, role: e.getAttribute('role') || '', shown,
                name: e.getAttribute('aria-label') || label || e.innerText || e.getAttribute('title') || ''};
            }"""
        )
        if found["tag"] == "BODY":
            break
        assert found["name"].strip(), found
        if found["tag"] in ("BUTTON", "INPUT", "SUMMARY") or found["role"]:
            assert found["shown"], found
        seen.add(found["name"].strip())
    assert {"Budget, ε", "Values, k", "Reports, n"} <= seen


@pytest.mark.parametrize("view", ["overview", "plane", "curves", "order", "pair", "data"])
def test_nothing_is_wider_than_a_phone(opened: Opener, view: str) -> None:
    page = opened(f"view={view}&k=12")
    page.set_viewport_size({"width": 390, "height": 800})
    settled(page)
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth")
    assert wide <= 0


def test_it_listens_on_loopback_only(address: str) -> None:
    port = int(address.rstrip("/").rpartition(":")[2])
    mine = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port, type=socket.SOCK_STREAM)}
    for other in mine - {"127.0.0.1", "::1"}:
        if str(other).startswith("127."):
            continue
        with socket.socket() as probe:
            assert probe.connect_ex((str(other), port)) != 0


def test_a_request_without_its_token_uploads_nothing(address: str) -> None:
    request = urllib.request.Request(f"{address}_stcore/upload_file/session/file", data=b"x", method="PUT")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=10)
    assert caught.value.code in (400, 403)
    caught.value.close()


@pytest.mark.parametrize(
    ("host", "origin", "accepted"),
    [
        ("127.0.0.1", "", True),
        ("127.0.0.1", "http://evil.example", False),
        ("evil.example", "http://evil.example", False),
    ],
    ids=["its own page", "another page", "a name that was rebound"],
)
def test_only_its_own_page_may_connect(address: str, host: str, origin: str, accepted: bool) -> None:
    port = int(address.rstrip("/").rpartition(":")[2])
    head = (
        f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Sec-WebSocket-Protocol: streamlit\r\nOrigin: {origin or address.rstrip('/')}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", port), timeout=20) as line:
        line.sendall(head.encode())
        status = line.recv(64).split(b" ")[1]
    assert (status == b"101") == accepted
