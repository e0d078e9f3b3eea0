"""What Spark raises, as one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from urllib.parse import unquote

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from qifldp.engines.pieces import ReportFile
from qifldp.errors import InputError, shown

FILE = re.compile(r"Encountered error while reading file (\S+)\.\s")
OURS = re.compile(r"^qifldp\.errors\.\w+: (.+)$", re.MULTILINE)
CAUSE = re.compile(r"^Caused by: (?:[\w$.]+: )?(.+)$", re.MULTILINE)
READER = re.compile(r"^\s*at org\.apache\.(parquet|spark\.sql\.execution\.datasources\.parquet)\.", re.MULTILINE)
"""Of a failure within Spark's reader of Parquet, which does not always say in which file it was."""

MISSING = re.compile(r"No module named '(\w+)")


@contextmanager
def telling(files: Sequence[ReportFile]) -> Iterator[None]:
    """Turn what Spark raises into an InputError, while its JVM is there to be asked.

    Args:
        files: What Spark reads; if it does not say which of them is damaged, they are read here until one is.
    """
    try:
        yield
    except (Py4JError, PySparkException) as error:
        text = str(error)
    else:
        return
    if READER.search(text) and not FILE.search(text):
        for damaged in files:
            for _ in damaged.pieces():
                pass
    raise InputError(_sentence(text))


def _sentence(text: str) -> str:
    missing = MISSING.search(text)
    if missing is not None:
        return f"Spark's workers have no {missing[1]}: install qifldp for the Python that PYSPARK_PYTHON names there."
    ours = OURS.search(text)
    if ours is not None:
        return ours[1]
    causes = CAUSE.findall(text)
    reason = shown(causes[-1] if causes else text.partition("\n")[0], 160)
    file = FILE.search(text)
    if file is None:
        return f"Spark failed: {reason}."
    return f"The file {shown(unquote(file[1]).rsplit('/', 1)[-1])} cannot be read: {reason}."
