"""A Spark session: the one that runs already, or one of our own, which ends with all that it started."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import IO

from py4j.clientserver import ClientServer
from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext, java_gateway
from pyspark.errors import PySparkException, PySparkRuntimeError
from pyspark.sql import SparkSession

from qifldp.errors import InputError, shown

MASTERS = re.compile(r"local(\[[^\]]+\])?|yarn|k8s://.+|spark://[^,:/]+:\d{1,5}(,[^,:/]+:\d{1,5})*")
"""Masters that Spark knows."""

MASTER_SECONDS = 5.0
"""How long each host of a ``spark://`` master may take to answer: Spark itself would try for a minute."""

STOP_SECONDS = 30.0
"""How long a JVM of ours may take to end before it is killed."""

OUR_SETTINGS = {
    "spark.app.name": "qifldp",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}

CAUSE = re.compile(r"(Exception|Error): ")
"""In the line in which Java says what is wrong, and not in those that only say that something is."""

VECTORS = "jdk.incubator.vector"
NO_VECTORS = (
    f"Spark asks for Java's module {VECTORS}, which this Java leaves out: take a whole JDK (PATH or JAVA_HOME)."
)

NO_JAVA = "Counting with Spark needs Java 17 or later: put java on the PATH, or set JAVA_HOME."


@contextmanager
def spark_session(master: str | None) -> Iterator[SparkSession]:
    """Give the running session, or start one and end it afterwards.

    Args:
        master: Such as ``local[4]`` or ``spark://host:7077``; None for the running session's, or else all local cores.

    Raises:
        InputError: If there is no Java, if the master is none or does not answer, if the running
            session has another one, or if Spark does not start.
    """
    running = _running_context()
    if running is not None:
        if master is not None and running.master != master:
            raise InputError(f"A Spark session with master {shown(running.master)} runs already: name that, or none.")
        yield SparkSession.builder.getOrCreate()
        return
    master = "local[*]" if master is None else master
    _check_master(master)
    if shutil.which("java", path=_java_path()) is None:
        raise InputError(NO_JAVA)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output, _jvm(master, output) as gateway:
        session = SparkSession(_start(master, gateway, output))
        try:
            yield session
        finally:
            session.stop()


@contextmanager
def with_settings(session: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Give a session some settings for a while, and then those that it had."""
    before = {name: session.conf.get(name) for name in settings}
    for name, value in settings.items():
        session.conf.set(name, value)
    try:
        yield
    finally:
        for name, had in before.items():
            if had is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, had)


def _running_context() -> SparkContext | None:
    return SparkContext._active_spark_context  # noqa: SLF001 (what is public would start one)


def _java_path() -> str | None:
    """Return where Spark looks for Java: None for the PATH."""
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin") if home else None  # noqa: PTH118 (a search path is text)


def _check_master(master: str) -> None:
    if not MASTERS.fullmatch(master):
        raise InputError.expected("master", "local[N], spark://HOST:PORT, yarn or k8s://…", master)
    if master.startswith("spark://"):
        hosts = [host.rsplit(":", 1) for host in master.removeprefix("spark://").split(",")]
        if not any(_answers(host, int(port)) for host, port in hosts):
            raise InputError(f"The Spark master {shown(master)} does not answer.")


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=MASTER_SECONDS):
            return True
    except (OSError, OverflowError):  # a port above 65,535 overflows
        return False


@contextmanager
def _jvm(master: str, output: IO[str]) -> Iterator[ClientServer | None]:
    """Start a JVM that prints to ``output``, and end it; give None if an earlier session's JVM is there for use.

    PySpark would let the JVM print among our results, and keep it until Python ends.
    """
    if SparkContext._gateway is not None:  # noqa: SLF001 (as below: PySpark has no public way to end its JVM)
        yield None
        return
    conf = SparkConf().setMaster(master).setAll(list(OUR_SETTINGS.items()))
    gateway = None
    with warnings.catch_warnings(), suppress(PySparkRuntimeError):
        warnings.simplefilter("ignore", ResourceWarning)  # PySpark drops the pipe to a JVM that did not start
        gateway = java_gateway.launch_gateway(conf, {"stdout": output, "stderr": output})  # type: ignore[no-untyped-call]
    if gateway is None:
        reason = _reason(output)
        raise InputError(NO_VECTORS if VECTORS in reason else f"Java did not start Spark: {reason}.")
    try:
        yield gateway
    finally:
        if gateway.proc is not None:  # else Spark started Python, and not Python Spark
            gateway.shutdown()
            SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001
            gateway.proc.stdin.close()
            try:
                gateway.proc.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                gateway.proc.kill()


def _start(master: str, gateway: ClientServer | None, output: IO[str]) -> SparkContext:
    conf = SparkConf().setMaster(master).setAll(list(OUR_SETTINGS.items()))
    try:
        context = SparkContext(conf=conf, gateway=gateway)
    except (Py4JError, PySparkException):
        raise InputError(f"Spark did not start with master {shown(master)}: {_reason(output)}.") from None
    if master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable  # this environment's Python, not the first of the PATH
    return context


def _reason(output: IO[str]) -> str:
    """Return the line in which Java says what went wrong."""
    output.seek(0)
    lines = [line.strip() for line in output if line.strip()]
    telling = [line for line in lines if CAUSE.search(line)] or [line for line in lines if "Error" in line]
    return shown((telling or lines or ["it printed nothing"])[0], 200)
