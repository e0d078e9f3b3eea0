"""The comparison page in a browser whose network is cut: drawn, usable by mouse and keyboard, harmless, true."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browser.opened import HOSTILE_COLUMN, HOSTILE_FILE, Opened
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.verify import verify_certificate
from qifldp.rendering.text import plain

PAGES = ("plain", "limit", "hostile")


ROW = """rows => rows.map(row => [row.dataset.spec, ...[...row.querySelectorAll("td")].map(
    cell => [cell.dataset.key, cell.querySelector("data")?.value ?? null])])"""


@pytest.mark.parametrize("name", PAGES)
def test_opens_and_draws_every_chart_without_a_complaint(opened: Opened, name: str) -> None:
    tab, complaints = opened(name)
    places = tab.eval_on_selector_all(".chart", "all => all.map(one => one.id)")
    drawn = tab.eval_on_selector_all(".chart[data-drawn] svg", "all => all.map(one => one.closest('.chart').id)")
    assert len(places) > 8
    assert set(places) == set(drawn)
    assert complaints == []


@pytest.mark.parametrize("name", PAGES)
def test_the_embedded_document_is_the_json_of_the_same_run(opened: Opened, name: str) -> None:
    tab, _ = opened(name)
    embedded = json.loads(tab.text_content("#result") or "")
    assert embedded == json.loads((opened.folder / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_the_table_shows_the_numbers_of_the_document(opened: Opened, name: str) -> None:
    tab, _ = opened(name)
    document = json.loads((opened.folder / f"{name}.json").read_text(encoding="utf-8"))
    shown = tab.eval_on_selector_all("#figures tr[data-spec]", ROW)
    assert [spec for spec, *_ in shown] == [plain(row["spec"]) for row in document["rows"]]
    compared = 0
    for (_, *cells), row in zip(shown, document["rows"], strict=True):
        for key, text in cells:
            assert (None if text is None else json.loads(text)) == row[key]
            compared += 1
    assert compared >= 10 * len(shown)


def test_charts_are_drawn_from_the_document(opened: Opened) -> None:
    tab, _ = opened("plain")
    charts = json.loads(tab.text_content("#charts") or "")["charts"]
    document = json.loads((opened.folder / "plain.json").read_text(encoding="utf-8"))
    assert document["planes"][0]["points"]
    for chart in charts.values():
        assert chart["usermeta"]["data"]
        assert not any(name.startswith("/") for name in chart["datasets"])
        for path in chart["usermeta"]["data"]:
            place = document
            for key in path[1:].split("/"):
                place = place[int(key)] if isinstance(place, list) else place[key]
            assert isinstance(place, list)


def test_a_click_on_an_arrow_shows_its_proof(opened: Opened) -> None:
    tab, complaints = opened("plain")
    edge = tab.locator('.diagram[data-place="0"] .edge').first
    original, refined = edge.get_attribute("data-original"), edge.get_attribute("data-refined")
    edge.locator(".touch").click(force=True)
    detail = tab.locator('.detail[data-place="0"]')
    document = json.loads((opened.folder / "plain.json").read_text(encoding="utf-8"))
    entry = next(e for e in document["order"] if e["original"] == original and e["refined"] == refined)
    assert entry["verdict"] == "refines"
    first = detail.locator("[data-verdict]").first
    assert first.get_attribute("data-verdict") == "refines"
    values = first.locator("data").evaluate_all("all => all.map(one => JSON.parse(one.value))")
    assert values == [entry["margin"], entry["deficiency"], entry["deficiency_reverse"]]
    assert "safer for everybody" in (detail.text_content() or "")
    assert complaints == []


def test_the_order_at_another_budget_is_drawn_and_answers(opened: Opened) -> None:
    tab, complaints = opened("plain")
    tab.locator('button[data-budget="1"]').click()
    edge = tab.locator('.diagram[data-place="1"] .edge').first
    head = edge.locator(".head")
    assert head.is_visible()
    box = head.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 8
    dark = "all => all.map(one => getComputedStyle(one).fill)"
    assert edge.locator(".head").evaluate_all(dark) == ["rgb(26, 26, 26)"]
    edge.locator(".touch").click(force=True)
    shown = tab.locator('.detail[data-place="1"] [data-verdict]').first
    assert shown.get_attribute("data-verdict") == "refines"
    assert complaints == []


def test_the_certificate_that_is_saved_verifies(opened: Opened, tmp_path: Path) -> None:
    tab, _ = opened("plain")
    tab.locator('button.verdict.does_not_refine[data-place="0"]').first.click()
    with tab.expect_download() as waiting:
        tab.locator('.detail[data-place="0"] button').first.click()
    waiting.value.save_as(tmp_path / "proof.json")
    assert verify_certificate(Certificate.load(tmp_path / "proof.json")).certificate.verdict == "does_not_refine"


def test_a_channel_of_two_names_is_called_by_both(opened: Opened) -> None:
    tab, _ = opened("twice")
    tab.locator("button.verdict").first.click()
    assert (tab.locator(".detail h3").text_content() or "").startswith("SS = SS:omega=3 and OUE: ")


@pytest.mark.parametrize("key", ["Enter", " "])
def test_the_diagram_works_from_the_keyboard(opened: Opened, key: str) -> None:
    tab, _ = opened("plain")
    nodes = tab.locator('.diagram[data-place="0"] .node')
    for place in (0, 1):
        nodes.nth(place).focus()
        tab.keyboard.press(key)
    assert nodes.nth(0).get_attribute("aria-pressed") == nodes.nth(1).get_attribute("aria-pressed") == "true"
    assert tab.locator('.detail[data-place="0"] [data-verdict]').count() == 2


def test_tab_reaches_the_diagram(opened: Opened) -> None:
    tab, _ = opened("plain")
    for _ in range(60):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.classList.contains('edge')"):
            return
    pytest.fail("sixty times Tab, and no arrow has the focus")


def test_switches_choose_the_budget_and_the_leakage(opened: Opened) -> None:
    tab, _ = opened("plain")
    assert tab.locator('#figures .panel[data-budget="1"]').is_hidden()
    tab.locator('button[data-budget="1"]').click()
    assert tab.locator('#figures .panel[data-budget="1"]').is_visible()
    assert tab.locator('#figures .panel[data-budget="0"]').is_hidden()
    tab.locator('button[data-choice="shannon_capacity_bits"]').click()
    assert tab.locator("#plane-1-shannon_capacity_bits svg").is_visible()
    assert tab.locator("#plane-1-asr_uniform").is_hidden()


def test_text_from_strangers_is_shown_and_does_nothing(opened: Opened) -> None:
    tab, complaints = opened("hostile")
    tab.locator("button.verdict").first.click()
    tab.wait_for_timeout(200)
    assert tab.evaluate("window.harmed") is None
    assert tab.locator("img").count() == 0
    assert tab.locator("script").count() == 4
    text = tab.text_content("main") or ""
    assert HOSTILE_COLUMN.replace("\u202e", "\N{REPLACEMENT CHARACTER}") in text
    assert HOSTILE_FILE.replace("\u202e", "\N{REPLACEMENT CHARACTER}") in text
    assert "\u202e" not in tab.content()
    assert complaints == []


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_screen(opened: Opened, name: str, width: int) -> None:
    tab, _ = opened(name)
    tab.set_viewport_size({"width": width, "height": 800})
    tab.wait_for_function("width => document.documentElement.scrollWidth <= width", arg=width, timeout=10_000)


@pytest.mark.parametrize(("media", "width"), [("screen", 1280), ("print", 680)])
def test_a_long_chain_is_shown_whole_and_covers_nothing(opened: Opened, media: str, width: int) -> None:
    tab, _ = opened("chain")
    tab.set_viewport_size({"width": width, "height": 900})
    tab.emulate_media(media=media)  # type: ignore[arg-type]  # one of two words
    nodes = [node.bounding_box() for node in tab.locator(".hasse .node").all()]
    grid = tab.locator(".pair table").bounding_box()
    assert grid is not None
    assert len(nodes) == 5
    for node in nodes:
        assert node is not None
        assert 0 <= node["x"] <= width - node["width"]
        assert node["x"] + node["width"] <= grid["x"] or node["y"] + node["height"] <= grid["y"]


def test_a_table_that_scrolls_keeps_the_names_of_its_rows(opened: Opened) -> None:
    tab, _ = opened("plain")
    tab.set_viewport_size({"width": 390, "height": 800})
    row, far = tab.locator("#figures tbody tr").first, "e => { e.closest('.scroll').scrollLeft = 9999; }"
    row.evaluate(far)
    name, last = (row.locator(":scope > *").nth(place).bounding_box() for place in (0, -1))
    assert name is not None
    assert last is not None
    assert 0 <= name["x"] <= last["x"] - name["width"] <= 390 - last["width"] - name["width"]


def test_labels_fit_the_width_that_their_chart_gets(opened: Opened) -> None:
    tab, _ = opened("plain")
    names = {one["series"] for one in json.loads(tab.text_content("#result") or "")["planes"][0]["points"]}

    def labels() -> list[str]:
        texts = tab.eval_on_selector_all("#plane-0-asr_uniform svg text", "all => all.map(one => one.textContent)")
        return [text for text in texts if set(text.split(", ")) <= names]

    wide = labels()
    assert len({name for text in wide for name in text.split(", ")}) == sum(len(text.split(", ")) for text in wide)
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.wait_for_timeout(600)
    narrow = labels()
    assert len(narrow) < len(wide)
    assert sorted(", ".join(narrow).split(", ")) == sorted(", ".join(wide).split(", "))


def test_on_paper_every_budget_is_shown_and_no_button(opened: Opened) -> None:
    tab, _ = opened("plain")
    tab.emulate_media(media="print")
    assert tab.locator('#figures .panel[data-budget="1"]').is_visible()
    assert tab.locator("#plane-0-pairwise_advantage").is_visible()
    assert tab.locator(".switch").first.is_hidden()
    assert tab.locator("#save-json").is_hidden()
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details[data-printed] table").first.is_visible()  # every pair with its adversary
    assert not tab.locator("#sweep-asr_uniform ~ details").first.is_visible()
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("details[data-printed][open]").count() == 0


def test_what_is_read_has_contrast(opened: Opened) -> None:
    """The ratio of WCAG 2 between text and ground, of every element with text of its own on the white page."""
    tab, _ = opened("plain")
    script = """() => {
      const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => { v /= 255;
        return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
      const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (!/, 0\\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
      const out = [];
      for (const e of document.querySelectorAll("main *")) {
        const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        if (!own || e.closest("svg") || !e.offsetParent) continue;
        const [a, b] = [light(getComputedStyle(e).color), light(ground(e))].sort((x, y) => y - x);
        out.push([(a + .05) / (b + .05), e.tagName, e.className]);
      }
      return out; }"""
    ratios = tab.evaluate(script)
    assert len(ratios) > 100
    assert [found for found in ratios if found[0] < 4.5] == []
