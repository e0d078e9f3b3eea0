"""Long work in a process of its own: its answer, its failure, its end."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest

from qifldp.app.answers import Files, asked, comparison_of
from qifldp.app.jobs import MOST_JOBS, Job
from qifldp.app.state import State
from qifldp.app.uploads import matrix_from, population_of
from qifldp.app.worker import perform, request_of
from qifldp.errors import InputError

START = 120.0
"""Seconds for a process to start and answer, on a machine that is busy."""


def pair(**fields: Any) -> dict[str, Any]:
    state = State(**fields)
    question = asked(state, Files())
    return request_of("pair", state, question, Files(), original=state.original, refined=state.refined)


def test_a_job_answers_like_a_call() -> None:
    job = Job(pair(k=20))
    assert job.wait(START)
    assert (job.outcome, job.error) == ("done", "")
    here = perform(pair(k=20), lambda *_: None)
    assert job.result == here
    assert job.result[0]["verdict"] == "refines"
    assert job.result[0]["certificate"].startswith("{")


def test_a_failure_is_a_sentence() -> None:
    job = Job(pair(k=20, refined="matrix"))
    assert job.wait(START)
    assert (job.outcome, job.error, job.result) == ("failed", "There is no uploaded channel.", None)


def test_a_job_is_cancelled_at_once() -> None:
    state = State(k=50_000)
    question = asked(state, Files())
    job = Job(request_of("curves", state, question, Files(), key_of_figure="asr_uniform"))
    assert job.outcome == "running"
    start = time.monotonic()
    job.cancel()
    assert job.wait(20)
    assert time.monotonic() - start < 20
    assert (job.outcome, job.result) == ("cancelled", None)


def test_a_job_has_a_time_limit() -> None:
    job = Job(pair(k=2_000, original="blh", refined="sue"), seconds=0.2)
    assert job.wait(20)
    assert job.outcome == "failed"
    assert job.error.startswith("It was ended after 0 seconds")


def test_a_job_that_nobody_holds_ends() -> None:
    job = Job(pair(k=2_000))
    process = job._process
    del job
    gc.collect()
    assert process.wait(20) is not None


def test_only_so_many_jobs_at_a_time() -> None:
    jobs = [Job(pair(k=2_000)) for _ in range(MOST_JOBS)]
    with pytest.raises(InputError, match=r"^Two long jobs are running already: wait for one of them, or cancel it\.$"):
        Job(pair())
    for job in jobs:
        job.cancel()
        assert job.wait(20)
    Job(pair()).cancel()


@pytest.mark.parametrize("task", ["order", "page", "curves"])
def test_uploaded_files_go_to_the_worker_and_no_further(task: str) -> None:
    column = population_of(b"a\nx\ny\nx\nz\n", "a.csv", "a")
    matrix = matrix_from(b"0.5,0.5,0\n0.25,0.5,1/4\n1/3,1/3,1/3\n", "m.csv")
    files = Files(column, matrix)
    state = State(data="upload", protocols=("grr", "oue"))
    question = asked(state, files)
    told: list[str] = []
    request = request_of(task, state, question, files, figures=True, key_of_figure="asr_uniform")
    answer: Any = perform(request, lambda doing, done, total: told.append(doing))
    assert told
    if task == "order":
        assert answer["rows"] == comparison_of(question, files).to_json()["rows"]
    elif task == "page":
        assert set(answer) == {"html", "json"}
        assert answer["html"].startswith("<!DOCTYPE html>")
    else:
        assert {record["series"] for record in answer} == {"GRR", "OUE"}
