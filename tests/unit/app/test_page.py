"""The page without a browser: controls change the answers, and nothing that a stranger wrote becomes markup."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import qifldp
from qifldp.app import uploads
from qifldp.app.answers import Files
from qifldp.app.state import VIEWS
from qifldp.protocols.specs import SEVEN

SCRIPT = Path(qifldp.__file__).parent / "app" / "start.py"

HOSTILE = "</style><script>window.harmed=1</script><img src=x onerror=window.harmed=1> :red[x] [y](javascript:1) $x$"

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # Streamlit's test harness leaves its folder to us


def opened(query: dict[str, str] | None = None, files: Files | None = None) -> AppTest:
    """Return the page as a session sees it that opens an address."""
    page = AppTest.from_file(str(SCRIPT), default_timeout=120)
    for name, value in (query or {}).items():
        page.query_params[name] = value
    if files is not None:
        page.session_state["files"] = files
    return page.run()


def bodies(page: AppTest) -> list[str]:
    """Return all markup that is shown."""
    assert not page.exception
    return [element.proto.body for element in page.get("html")]


def text(page: AppTest) -> str:
    """Return what a reader reads of it."""
    shown = [body for body in bodies(page) if not body.startswith("<style>")]
    return html.unescape(re.sub(r"<[^>]*>", " ", " ".join(shown)))


def column(page: AppTest, key: str) -> list[str]:
    """Return a column of the table of figures."""
    found = next(body for body in bodies(page) if f'data-key="{key}"' in body)
    return re.findall(rf'data-key="{key}">.*?<data value="([^"]+)"', found)


def key(page: AppTest, control: str) -> str:
    """Return the key of a control as it stands now: another one whenever the program has it show something else."""
    return str(page.session_state["controls"][control])


def test_it_opens_with_a_recommendation_and_seven_rows() -> None:
    page = opened()
    assert "a set of 27 of the 100 values" in text(page)
    assert "Of all protocols that keep the tight ε (what is really spent) to at most 1, it estimates best." in text(
        page
    )
    assert len(column(page, "bayes_capacity")) == 7
    assert dict(page.query_params) == {}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens(view: str) -> None:
    page = opened({"view": view, "k": "12", "epsilon": "ln(3)"})
    assert "ε = ln(3)" in text(page)
    shown = {} if view == "overview" else {"view": view}
    assert dict(page.query_params) == {"k": "12", "epsilon": "ln(3)"} | shown


def test_a_slider_changes_the_table_and_the_address() -> None:
    page = opened({"k": "12"})
    before = column(page, "bayes_capacity")
    page.select_slider(key=key(page, "epsilon")).set_value(2.0).run()
    after = column(page, "bayes_capacity")
    assert len(after) == 7
    assert all(float(new) > float(old) for old, new in zip(before, after, strict=True))
    assert dict(page.query_params) == {"k": "12", "epsilon": "2"}
    page.select_slider(key=key(page, "k")).set_value(20).run()
    assert column(page, "bayes_capacity") != after
    assert page.text_input(key=key(page, "k_text")).value == "20"


def test_an_exact_budget_is_kept_as_it_is_typed() -> None:
    page = opened({"k": "12"})
    page.text_input(key=key(page, "epsilon_text")).set_value("ln(3)").run()
    assert page.query_params["epsilon"] == "ln(3)"
    assert column(page, "epsilon")[0] == "1.0986122886681098"
    page.text_input(key=key(page, "epsilon_text")).set_value(HOSTILE[:50]).run()
    assert "epsilon must be a positive number, ln(3) or 2*ln(3), got '</style><script>" in text(page)
    assert page.query_params["epsilon"] == "ln(3)"
    assert not any("<script>" in body for body in bodies(page))


def test_an_adversary_and_a_threshold() -> None:
    page = opened({"k": "12", "protocols": "the", "theta": "0.9", "adversary": "tries", "tries": "5"})
    assert "How often the value is among 5 guesses. From THE: " in text(page)
    assert "the: epsilon=1, theta=0.9" in text(page)
    page.select_slider(key=key(page, "theta")).set_value(0.75).run()
    assert "the: epsilon=1, theta=0.75" in text(page)
    page.toggle(key=key(page, "own_theta")).set_value(False).run()
    assert "theta" not in page.query_params


def test_what_is_in_use_is_shown() -> None:
    page = opened({"k": "12", "theta": "2/3"})
    assert page.text_input(key=key(page, "theta_text")).value == "2/3"
    assert page.select_slider(key=key(page, "theta")).value == 0.67
    page.text_input(key=key(page, "theta_text")).set_value("0.777").run()
    assert "the: epsilon=1, theta=0.777" in text(page)
    assert page.text_input(key=key(page, "theta_text")).value == "0.777"
    assert page.select_slider(key=key(page, "theta")).value == 0.78
    assert page.query_params["theta"] == "0.777"


def test_a_control_that_is_to_show_something_else_is_another_one() -> None:
    page = opened({"k": "12"})
    before = {name: key(page, name) for name in ("k", "k_text", "n", "n_text", "epsilon", "data", "protocols")}
    page.text_input(key=before["k_text"]).set_value("2000").run()
    assert page.select_slider(key=key(page, "k")).value == 2_000
    assert page.text_input(key=key(page, "k_text")).value == "2000"
    after = {name: key(page, name) for name in before}
    assert {name for name in before if before[name] != after[name]} == {"k"}
    page.text_input(key=key(page, "k_text")).set_value("many").run()
    assert "k must be a whole number from 2 to 100,000, got 'many'." in text(page)
    assert page.text_input(key=key(page, "k_text")).value == "2,000"
    page.pills(key=key(page, "protocols")).set_value([]).run()
    assert "Keep at least one protocol." in text(page)
    assert page.pills(key=key(page, "protocols")).value == list(SEVEN)


def test_who_tells_least_and_who_most() -> None:
    page = opened({"k": "12"})
    found = re.search(r"Least from (\w+) \(([\d.]+) %\), most from (\w+) \(([\d.]+) %\)", text(page))
    assert found is not None
    figures = dict(zip(map(str.upper, SEVEN), map(float, column(page, "asr_uniform")), strict=True))
    assert found[1] == min(figures, key=figures.__getitem__)
    assert found[3] == max(figures, key=figures.__getitem__)
    assert float(found[2]) < float(found[4])


def test_head_to_head_shows_the_verdict_and_checks_its_proof() -> None:
    page = opened({"view": "pair", "k": "12"})
    assert "THE is safer for everybody than SUE." in text(page)
    assert "SUE ⊑ THE" in text(page)
    assert "THE ⋢ SUE" in text(page)
    for way in ("forth", "back"):
        page.button(key=f"verify_{way}").click().run()
        assert re.search(r"Proved (exactly|in balls of \d+ bits): ", text(page))
    page.selectbox(key=key(page, "original")).set_value("grr").run()
    assert "Neither is safer for everybody" in text(page)
    page.selectbox(key=key(page, "refined")).set_value("grr").run()
    assert "Choose two different ones." in text(page)
    assert page.query_params["original"] == "grr"


@pytest.mark.parametrize(
    "query",
    [
        {"k": "abc", "epsilon": HOSTILE, "view": HOSTILE, HOSTILE: HOSTILE},
        {"k": "9" * 5_000, "n": "-1", "tries": "nan", "members": "1e9", "theta": "7", "protocols": ",,,"},
        {"data": "../../etc/passwd", "original": "file:/etc/passwd", "refined": "matrix", "adversary": "\x00"},
    ],
)
def test_bad_addresses_give_defaults_and_a_note(query: dict[str, str]) -> None:
    page = opened(query)
    assert "The default is shown." in text(page)
    assert len(column(page, "bayes_capacity")) == 7
    assert not any("<script>" in body or "<img src=x" in body for body in bodies(page))
    assert dict(page.query_params) == {}


def test_a_hostile_column_is_text() -> None:
    cells = "\n".join(f'"{value}"' for value in (HOSTILE, "=1+1", "<b>x</b>", "<b>x</b>"))
    data = f'"{HOSTILE}"\n{cells}\n'.encode()
    (name,) = uploads.column_names(data, "a<img src=x onerror=window.harmed=1>.csv")
    found = uploads.population_of(data, "a<img src=x onerror=window.harmed=1>.csv", name)
    for view in VIEWS:
        page = opened({"view": view}, Files(found, None, "key"))
        page.selectbox(key=key(page, "data")).set_value("upload").run()
        assert "3 values, 4 reports" in text(page)
        assert HOSTILE in text(page)
        assert not any("<script>" in body or "<img src=x" in body for body in bodies(page))
        assert not any(HOSTILE[:8] in element.value for element in page.markdown)


def test_a_channel_stands_beside_the_protocols() -> None:
    matrix = uploads.matrix_from(b"2/3,1/3\n1/3,2/3\n", "m<b>.csv")
    page = opened({"epsilon": "ln(3)"}, Files(None, matrix, "key"))
    assert len(column(page, "bayes_capacity")) == 8
    assert dict(page.query_params) == {"k": "2", "epsilon": "ln(3)", "channel": "upload"}
    assert "m<b>.csv" in text(page)
    page = opened({"epsilon": "ln(3)", "view": "pair"}, Files(None, matrix, "key"))
    page.selectbox(key=key(page, "original")).set_value("grr").run()
    page.selectbox(key=key(page, "refined")).set_value("matrix").run()
    assert "Your channel is safer for everybody than GRR." in text(page)
    page.text_input(key=key(page, "epsilon_text")).set_value("1").run()
    assert "must be exact" in text(page)


def test_long_work_is_offered_not_done() -> None:
    page = opened({"k": "20000"})
    assert page.button(key="start_curves").label == "Draw the curves"
    page = opened({"k": "20000", "view": "order"})
    assert page.button(key="start_order").label == "Decide the order"


def test_a_number_with_another_bound_is_another_control() -> None:
    page = opened({"k": "20", "adversary": "tries", "tries": "1"})
    assert "How often the value is among 1 guess." in text(page)
    before = key(page, "tries")
    page.text_input(key=key(page, "n_text")).set_value("1000").run()
    assert key(page, "tries") == before
    page.text_input(key=key(page, "k_text")).set_value("60").run()
    assert key(page, "tries") != before
    assert page.number_input(key=key(page, "tries")).max == 59
