"""The page without a browser: controls change the answers, and nothing that a stranger wrote becomes markup."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import qifldp
from qifldp.app import answers, cached, long_work, uploads
from qifldp.app.answers import Asked, Files
from qifldp.app.state import VIEWS
from qifldp.app.worker import perform
from qifldp.comparison.compare import Comparison
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN, parse_spec
from qifldp.refinement.decide import decide_refinement

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


def dial(page: AppTest, field: str) -> dict[str, Any]:
    """Return what a dial is told to show."""
    found = [json.loads(one.proto.json) for one in page.get("bidi_component")]
    return next(one for one in found if one["field"] == field)


def choose(page: AppTest, field: str, text: str) -> AppTest:
    """Choose a number as the user of a dial does."""
    shown = dial(page, field)
    given = {"text": text, "count": shown["count"] + 1, "session": shown["session"]}
    page.session_state[f"dial_{field}"] = {"given": given}
    return page.run()


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
    choose(page, "epsilon", "2")
    after = column(page, "bayes_capacity")
    assert len(after) == 7
    assert all(float(new) > float(old) for old, new in zip(before, after, strict=True))
    assert dict(page.query_params) == {"k": "12", "epsilon": "2"}
    choose(page, "k", "20")
    assert column(page, "bayes_capacity") != after
    assert dial(page, "k")["text"] == "20"


@pytest.mark.parametrize(("k", "epsilon", "drawn"), [("12", "1", True), ("2000", "1", False), ("2000", "3", True)])
def test_letters_are_explained_where_they_are_drawn(k: str, epsilon: str, drawn: bool) -> None:
    """Over so many values curves are drawn when they are asked for, and until then the chart ends at the budget."""
    assert ("Letters on the upper edge" in text(opened({"k": k, "epsilon": epsilon}))) == drawn


def test_an_exact_budget_is_kept_as_it_is_typed() -> None:
    page = opened({"k": "12"})
    choose(page, "epsilon", "ln(3)")
    assert page.query_params["epsilon"] == "ln(3)"
    assert column(page, "epsilon")[0] == "1.0986122886681098"
    choose(page, "epsilon", HOSTILE[:50])
    assert "ε must be from 0.001 to 20, such as 1 or ln(3), got '</style><script>" in text(page)
    assert page.query_params["epsilon"] == "ln(3)"
    assert not any("<script>" in body for body in bodies(page))


def test_an_adversary_and_a_threshold() -> None:
    page = opened({"k": "12", "protocols": "the", "theta": "0.9", "adversary": "tries", "tries": "5"})
    assert "How often the value is among 5 guesses. From THE: " in text(page)
    assert "the: epsilon=1, theta=0.9" in text(page)
    choose(page, "theta", "0.75")
    assert "the: epsilon=1, theta=0.75" in text(page)
    choose(page, "theta", "")
    assert "θ is missing; for the most accurate one, do not choose it yourself." in text(page)
    page.toggle(key=key(page, "own_theta")).set_value(False).run()
    assert "theta" not in page.query_params
    page.toggle(key=key(page, "own_theta")).set_value(True).run()
    assert page.query_params["theta"] == "0.75"
    assert dial(page, "theta")["text"] == "0.75"
    assert "θ is missing" not in text(page)


def test_what_is_in_use_is_shown() -> None:
    page = opened({"k": "12", "theta": "2/3"})
    shown = dial(page, "theta")
    assert (shown["text"], shown["value"], shown["stops"][16:18]) == ("2/3", 2 / 3, ["0.66", "0.67"])
    choose(page, "theta", "0.777")
    assert "the: epsilon=1, theta=0.777" in text(page)
    assert dial(page, "theta")["text"] == "0.777"
    assert page.query_params["theta"] == "0.777"


def test_a_dial_keeps_what_was_written() -> None:
    page = choose(opened({"k": "12"}), "k", "2000")
    assert (dial(page, "k")["text"], dial(page, "k")["count"]) == ("2000", 1)
    choose(page, "k", "many")
    sentence = "k must be a whole number from 2 to 100,000, got 'many'."
    for _ in range(2):
        assert sentence in text(page)
        assert (dial(page, "k")["text"], dial(page, "k")["refused"]) == ("many", True)
        assert page.query_params["k"] == "2000"
        page.run()
    page.selectbox(key=key(page, "data")).set_value("adult-age").run()
    assert sentence not in text(page)
    assert (dial(page, "k")["text"], dial(page, "k")["fixed"]) == ("73", True)
    page.selectbox(key=key(page, "data")).set_value("none").run()
    choose(page, "k", "3,000")
    assert sentence not in text(page)
    assert (dial(page, "k")["text"], dial(page, "k")["refused"], page.query_params["k"]) == ("3,000", False, "3000")


def test_a_control_that_is_to_show_something_else_is_another_one() -> None:
    page = opened({"k": "12"})
    before = {name: key(page, name) for name in ("data", "protocols", "adversary", "view")}
    choose(page, "k", "2000")
    page.pills(key=before["protocols"]).set_value(["grr"]).run()
    assert {name: key(page, name) for name in before} == before
    assert column(page, "epsilon") == ["1.0"]


def test_without_a_protocol_the_last_choice_is_answered() -> None:
    page = opened({"k": "12", "protocols": "grr,oue"})
    page.pills(key=key(page, "protocols")).set_value([]).run()
    assert "Choose at least one protocol. Until then the answers are about the last choice." in text(page)
    assert len(column(page, "epsilon")) == 2
    page.pills(key=key(page, "protocols")).set_value(["the"]).run()
    assert "Choose at least one" not in text(page)
    assert page.query_params["protocols"] == "the"


@pytest.mark.parametrize(
    "given", [None, 3, "20", {"text": 20}, {"text": "2" * 99}, {"text": "20", "count": "1"}, {"session": "another"}]
)
def test_what_no_dial_of_this_session_can_have_said_changes_nothing(given: object) -> None:
    page = opened({"k": "12"})
    if isinstance(given, dict):
        given = {"text": "20", "count": 1, "session": dial(page, "k")["session"]} | given
    page.session_state["dial_k"] = {"given": given}
    page.run()
    assert "12 values, 100,000 reports" in text(page)


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
        page = opened({"view": view}, Files(found, None))
        page.selectbox(key=key(page, "data")).set_value("upload").run()
        assert "3 values, 4 reports" in text(page)
        assert HOSTILE in text(page)
        assert not any("<script>" in body or "<img src=x" in body for body in bodies(page))
        assert not any(HOSTILE[:8] in element.value for element in page.markdown)


def test_a_channel_stands_beside_the_protocols() -> None:
    matrix = uploads.matrix_from(b"2/3,1/3\n1/3,2/3\n", "m<b>.csv")
    page = opened({"epsilon": "ln(3)"}, Files(None, matrix))
    assert len(column(page, "bayes_capacity")) == 8
    assert dict(page.query_params) == {"k": "2", "epsilon": "ln(3)", "channel": "upload"}
    assert "m<b>.csv" in text(page)
    page = opened({"epsilon": "ln(3)", "view": "pair"}, Files(None, matrix))
    page.selectbox(key=key(page, "original")).set_value("grr").run()
    page.selectbox(key=key(page, "refined")).set_value("matrix").run()
    assert "Your channel is safer for everybody than GRR." in text(page)
    choose(page, "epsilon", "1")
    assert "must be exact" in text(page)


def test_a_channel_over_other_values_than_the_data_leaves_the_pair() -> None:
    matrix = uploads.matrix_from(b"2/3,1/3\n1/3,2/3\n", "m.csv")
    page = opened({"epsilon": "ln(3)", "view": "pair"}, Files(None, matrix))
    page.selectbox(key=key(page, "original")).set_value("matrix").run()
    page.selectbox(key=key(page, "data")).set_value("adult-age").run()
    assert "Your channel is not among them now: it is over other values than the data." in text(page)
    assert page.selectbox(key=key(page, "original")).value == "sue"
    assert "THE is safer for everybody than SUE." in text(page)


def test_long_work_is_offered_not_done() -> None:
    page = opened({"k": "20000"})
    assert page.button(key="start_curves").label == "Draw the curves"
    page = opened({"k": "20000", "view": "order"})
    assert page.button(key="start_order").label == "Decide the order"


def test_the_number_of_an_adversary_ends_below_k() -> None:
    page = opened({"k": "20", "adversary": "tries", "tries": "1"})
    assert "How often the value is among 1 guess." in text(page)
    assert dial(page, "tries")["stops"][-1] == "19"
    choose(page, "tries", "20")
    assert "Guesses that they may make must be a whole number from 1 to 19, got '20'." in text(page)
    assert page.query_params.get("tries") == "1"
    choose(page, "k", "15")
    assert "must be a whole number from 1 to 14, got '20'." in text(page)
    choose(page, "k", "60")
    assert "must be a whole number" not in text(page)
    assert page.query_params["tries"] == "20"
    choose(page, "tries", "59")
    assert page.query_params["tries"] == "59"
    choose(page, "k", "10")
    assert "How often the value is among 9 guesses." in text(page)
    assert dial(page, "tries")["text"] == "9"
    choose(page, "tries", "500")
    page.selectbox(key=key(page, "adversary")).set_value("membership").run()
    choose(page, "k", "1000")
    page.selectbox(key=key(page, "adversary")).set_value("tries").run()
    assert dial(page, "tries")["text"] == "59"  # not the 500 that was refused
    choose(page, "k", "2")
    assert dial(page, "tries")["fixed"]
    page.selectbox(key=key(page, "adversary")).set_value("guess").run()
    assert "tries" not in page.query_params


def view(page: AppTest, name: str) -> AppTest:
    """Look at another view, in the same session."""
    return page.segmented_control(key=key(page, "view")).set_value(name).run()


def use(page: AppTest, what: str, name: str, content: bytes) -> AppTest:
    """Upload a column or a channel and use it, as its user does."""
    place = {"column": 0, "channel": 1}[what]
    page.file_uploader[place].set_value((name, content, "text/csv")).run()
    next(button for button in page.button if button.label == f"Use this {what}").click().run()
    return page


def press(page: AppTest, label: str) -> AppTest:
    """Press the button that is called so."""
    return next(button for button in page.button if button.label == label).click().run()


def test_a_forgotten_channel_is_in_no_answer() -> None:
    page = opened({"view": "data"})
    use(page, "channel", "m.csv", b"x,y\n0.75,0.25\n0.5,0.5\n0.25,0.75\n")
    use(page, "column", "c.csv", b"v\na\nb\nc\na\n")
    assert {name for name in VIEWS if "m.csv" in text(view(page, name))} == {"overview", "curves", "data"}
    assert len(column(view(page, "overview"), "bayes_capacity")) == 8
    press(view(page, "data"), "Forget the channel")
    for name in VIEWS:
        assert "m.csv" not in text(view(page, name))
    assert len(column(view(page, "overview"), "bayes_capacity")) == 7
    assert "3 values, 4 reports" in text(page)
    press(view(page, "data"), "Forget the column")
    for name in VIEWS:
        assert "c.csv" not in text(view(page, name))


def test_forgetting_a_file_forgets_what_was_made_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "Job", DoneAtOnce)
    asked: list[Asked] = []

    def comparison_of(question: Asked, files: Files) -> Comparison:
        asked.append(question)
        return answers.comparison_of(question, files)

    monkeypatch.setattr(cached, "answers", SimpleNamespace(**vars(answers) | {"comparison_of": comparison_of}))
    page = opened({"view": "data", "k": "3", "protocols": "grr,sue"})
    use(page, "column", "c.csv", b"v\na\nb\nc\na\n")
    press(view(page, "overview"), "Make the page (HTML)")
    assert [one["html"].count("c.csv, column v") > 0 for one in page.session_state["long_answers"].values()] == [True]
    before = len(asked)
    page.run()
    assert len(asked) == before
    press(view(page, "data"), "Forget the column")
    assert "long_answers" not in page.session_state
    view(page, "overview")
    assert "Make the page (HTML)" in {button.label for button in page.button}
    use(view(page, "data"), "column", "c.csv", b"v\na\nb\nc\na\n")
    view(page, "overview")
    assert [question.data for question in asked[before:]] == ["none", "upload"]


def test_a_second_column_has_figures_of_its_own() -> None:
    page = opened({"view": "data"})
    informed = []
    for counts in ((2, 1, 1), (1, 1, 2), (5, 3, 2), (8, 1, 1)):
        rows = "".join(f"{value}\n" * count for value, count in zip("abc", counts, strict=True))
        use(view(page, "data"), "column", "c.csv", f"v\n{rows}".encode())
        informed.append(column(view(page, "overview"), "asr_prior"))
    assert informed[0] == informed[1]
    assert informed[2] != informed[3]
    press(view(page, "data"), "Forget the column")
    use(page, "column", "c.csv", b"v,w\na,p\nb,p\nc,q\na,p\n")
    assert "c.csv, column v" in text(page)
    assert "c.csv, column v" in text(view(page, "overview"))


class DoneAtOnce:
    """Work that is done when it is asked for."""

    outcome, error, progress = "done", "", ("pair", 2, 2)

    def __init__(self, request: dict[str, Any]) -> None:
        self.result = perform(request, lambda doing, done, total: None)


def test_a_second_table_has_columns_of_its_own() -> None:
    page = opened({"view": "data"})
    for name, heads in (("first.csv", "name,age,city"), ("second.csv", "id,diagnosis,zip"), ("third.csv", "only")):
        rows = "".join(",".join(f"{head}{row % 3}" for head in heads.split(",")) + "\n" for row in range(7))
        page.file_uploader[0].set_value((name, f"{heads}\n{rows}".encode(), "text/csv")).run()
        shown = next(box for box in page.selectbox if box.label == "Column")
        assert shown.options == heads.split(",")
        assert shown.value == 0
        press(page, "Use this column")
        assert f"{name}, column {heads.split(',')[0]}" in text(page)
        shown = next(box for box in page.selectbox if box.label == "Column")
        shown.select_index(len(shown.options) - 1).run()  # and the next table begins anew
        press(page, "Use this column")
        assert f"{name}, column {heads.split(',')[-1]}" in text(page)


def test_a_second_channel_has_answers_of_its_own() -> None:
    page = opened({"view": "data", "epsilon": "ln(3)", "k": "2", "original": "grr"})
    found = []
    for matrix in (b"2/3,1/3\n1/3,2/3\n", b"4/5,1/5\n1/5,4/5\n"):
        use(view(page, "data"), "channel", "m.csv", matrix)
        view(page, "pair")
        page.selectbox(key=key(page, "refined")).set_value("matrix").run()
        found.append((text(page), column(view(page, "overview"), "asr_uniform")))
    assert "Your channel is safer for everybody than GRR." in found[0][0]
    assert "GRR is safer for everybody than Your channel." in found[1][0]
    assert [float(guess[-1]) for _, guess in found] == pytest.approx([2 / 3, 4 / 5])


def test_each_way_has_its_deficiency() -> None:
    page = opened({"view": "pair", "k": "10", "protocols": "grr,sue", "original": "sue", "refined": "the"})
    shown = dict(re.findall(r">(deficiency[^<]*)<.*?<data value=\"([^\"]+)\"", " ".join(bodies(page))))
    sides = [parse_spec(name).build(10, Budget.read(1)) for name in ("sue", "the")]
    forth, back = (decide_refinement(original=a, refined=b) for a, b in (sides, sides[::-1]))
    assert float(shown["deficiency"]) == forth.deficiency
    assert float(shown["deficiency, in reverse"]) == back.deficiency
    assert forth.deficiency != back.deficiency


def test_what_was_measured_of_two_sides_is_of_these_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "Job", DoneAtOnce)
    query = {"view": "pair", "k": "101", "protocols": "grr,sue", "original": "sue", "refined": "the"}
    page = opened(query | {"theta": "0.75"})
    press(page, "Measure how far apart they are")
    assert "1.036" in text(page)
    choose(page, "theta", "0.55")
    assert "1.036" not in text(page)
    press(page, "Measure how far apart they are")
    assert "1.065" in text(page)
    choose(page, "theta", "0.75")
    assert "1.036" in text(page)
