"""What Spark raises, as one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from qifldp.errors import InputError, shown

FILE = re.compile(r"Encountered error while reading file (\S+)\.\s")
OURS = re.compile(r"^qifldp\.errors\.\w+: (.+)$", re.MULTILINE)
CAUSE = re.compile(r"^Caused by: (?:[\w$.]+: )?(.+)$", re.MULTILINE)
MISSING = re.compile(r"No module named '(\w+)")


@contextmanager
def telling() -> Iterator[None]:
    """Turn what Spark raises into an InputError, while its JVM is there to be asked."""
    try:
        yield
    except (Py4JError, PySparkException) as error:
        text = str(error)
    else:
        return
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
