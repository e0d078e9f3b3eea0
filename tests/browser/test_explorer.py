"""The explorer in a browser: it answers, it harms nobody, it can be used with the keyboard, and calls nobody."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from browser.explorer import HOSTILE, Explore, capacities, settled, tab, upload


def test_it_opens_and_draws(explore: Explore) -> None:
    page = explore("")
    assert page.title() == "qifldp explore"
    assert page.locator("p.lead").inner_text().startswith("Take subset selection (SS): ")
    assert len(capacities(page)) == 7
    page.wait_for_selector("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg")


def test_the_last_protocol_can_be_exchanged(explore: Explore) -> None:
    page = explore("protocols=grr&k=12")
    page.get_by_role("button", name="GRR").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("p.error >> text=Choose at least one protocol.")
    settled(page)
    assert page.evaluate("document.activeElement.innerText") == "GRR"
    page.get_by_role("button", name="SS", exact=True).click()
    page.wait_for_url("**/?k=12&protocols=ss")
    settled(page)
    assert len(capacities(page)) == 1


def test_a_shared_view_opens_where_it_was(explore: Explore) -> None:
    page = explore("k=12&epsilon=ln(3)&view=pair&original=sue&refined=the")
    assert page.get_by_text("THE is safer for everybody than SUE.").is_visible()
    page.get_by_role("button", name="Verify").first.click()
    page.wait_for_selector("p.good >> text=Proved")
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download the proof").first.click()
    assert caught.value.suggested_filename == "sue-the-certificate.json"
    assert '"kind": "refinement-certificate"' in Path(caught.value.path()).read_text(encoding="utf-8")


def test_long_work_shows_its_progress_and_is_cancelled(explore: Explore) -> None:
    page = explore("k=50000")
    page.get_by_role("button", name="Draw the curves").click()
    page.get_by_role("button", name="Cancel").click()
    page.wait_for_selector("text=Cancelled.")
    assert page.get_by_role("button", name="Draw the curves").is_visible()


def test_the_page_is_made_and_downloaded(explore: Explore) -> None:
    page = explore("k=5&protocols=grr,oue")
    page.get_by_role("button", name="Make the page (HTML)").click()
    page.wait_for_selector("[data-testid=stDownloadButton] >> text=Page (HTML)", timeout=120_000)
    with page.expect_download() as caught:
        page.get_by_role("button", name="Page (HTML)", exact=True).click()
    assert Path(caught.value.path()).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_an_upload_is_used_and_forgotten(explore: Explore, folder: Path) -> None:
    page = explore("view=data")
    upload(page, 0, "survey.csv", b"age,answer\n1,yes\n2,no\n3,maybe\n4,yes\n")
    page.get_by_role("button", name="Use this column").click()
    page.wait_for_selector("p.facts >> text=survey.csv, column age; 4 values, 4 reports")
    settled(page)
    page.get_by_role("button", name="Forget the column").click()
    page.wait_for_selector("p.facts >> text=100 values")
    assert sorted(path.name for path in folder.rglob("*") if path.is_file() and path.name != "log.txt") == []
    assert "survey" not in (folder / "log.txt").read_text(encoding="utf-8")


def test_a_channel_is_compared(explore: Explore) -> None:
    page = explore("view=data")
    upload(page, 1, "m.csv", b"2/3,1/3\n1/3,2/3\n")
    page.get_by_role("button", name="Use this channel").click()
    page.wait_for_selector("p.good >> text=In use: m.csv: 2 × 2, exact.")
    tab(page, "Overview").click()
    page.wait_for_selector("table >> text=m.csv")
    settled(page)
    query = page.url.partition("?")[2]
    assert query == "k=2&channel=upload"
    again = explore(query)
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
def test_a_broken_file_gets_a_sentence(explore: Explore, name: str, data: bytes, sentence: str) -> None:
    page = explore("view=data")
    upload(page, 0, name, data)
    page.wait_for_selector(f"p.error >> text={sentence}")


def test_a_huge_file_is_refused(explore: Explore, tmp_path: Path) -> None:
    huge = tmp_path / "huge.csv"
    huge.write_bytes(b"a\n" + b"x\n" * (11 << 20))
    page = explore("view=data")
    page.locator("input[type=file]").first.set_input_files(huge)
    page.wait_for_selector("text=/File must be 20.*MB or smaller/")


def test_a_hostile_file_does_no_harm(explore: Explore) -> None:
    page = explore("view=data")
    upload(page, 0, "<img src=x onerror=window.harmed=1>.csv", f"{HOSTILE}\n{HOSTILE}\n=1+1\n<b>x</b>\n".encode())
    page.get_by_role("button", name="Use this column").click()
    page.wait_for_selector("p.facts >> text=3 values, 3 reports")
    settled(page)
    assert HOSTILE in page.locator("p.facts").inner_text()
    page.get_by_text("Its 3 most frequent values").click()
    page.wait_for_selector("table >> text=<b>x</b>")
    assert page.locator("table >> text=<script>").first.is_visible()
    assert page.locator("script:has-text('harmed'), img[src='x'], table b:has-text('x')").count() == 0


def test_focus_is_visible_and_every_control_has_a_name(explore: Explore) -> None:
    page = explore("")
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
def test_nothing_is_wider_than_a_phone(explore: Explore, view: str) -> None:
    page = explore(f"view={view}&k=12")
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
