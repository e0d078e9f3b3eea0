"""Long work as the page offers it: one piece of a kind at a time, and none for a question that is no longer asked."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from qifldp.app import long_work
from qifldp.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # Streamlit's test harness leaves its folder to us


class Job:
    """Work that goes on until it is cancelled."""

    made: list[Job]

    def __init__(self, request: dict[str, Any]) -> None:
        if request["question"] == "refused":
            raise InputError("Two long jobs are running already.")
        self.outcome, self.error, self.progress = "running", "", ("curves", 1, 2)
        self.made.append(self)

    def cancel(self) -> None:
        self.outcome = "cancelled"


def script() -> None:
    import streamlit as st  # noqa: PLC0415  # the page is a script of its own

    from qifldp.app.long_work import offer  # noqa: PLC0415

    question = st.text_input("question", "first", key="question")
    offer("curves", question, "Draw", lambda: {"question": question})


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(Job, "made", [], raising=False)
    monkeypatch.setattr(long_work, "Job", Job)
    return AppTest.from_function(script, default_timeout=60).run()


def test_another_question_ends_the_work_on_the_one_before(page: AppTest) -> None:
    page.button(key="start_curves").click().run()
    assert page.button(key="cancel_curves").label == "Cancel"
    (job,) = Job.made
    assert job.outcome == "running"
    page.text_input(key="question").set_value("second").run()
    assert job.outcome == "cancelled"
    assert [one.proto.body for one in page.get("html")] == [
        '<p class="note">Cancelled, as the question is another one now.</p>'
    ]
    assert page.button(key="start_curves").label == "Draw"
    assert Job.made == [job]


def test_work_that_cannot_start_says_why_once(page: AppTest) -> None:
    page.text_input(key="question").set_value("refused").run()
    page.button(key="start_curves").click().run()
    assert ["Two long jobs are running already." in one.proto.body for one in page.get("html")] == [True]
    page.run()
    assert len(page.get("html")) == 0
