"""The way into the Spark engine, which needs an extra."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

from qifldp.collection.accumulator import Weights
from qifldp.engines.local import Counted, Progress
from qifldp.errors import InputError

PANDAS_NOTE = "PySpark does not yet fully support pandas"
"""Of PySpark, when it is imported and when it is asked for Arrow functions, which then do not use pandas."""

NO_PYSPARK = "Counting with Spark needs PySpark: pip install 'qifldp[spark]'."


def count_reports(
    source: str | Path, *, master: str | None = None, weights: Weights = "value", progress: Progress | None = None
) -> Counted:
    """Count the reports of a Parquet file, or of all files of a folder, as the local engine does: bit for bit.

    The first file says the protocol. If its rows have ids, the first row with an id is the one that is counted, or
    refused; later ones are refused: files go in the order of their names, and rows in the order of their file.

    Each worker needs qifldp, and must find the files under the same path as this process. A worker's Python is what
    PYSPARK_PYTHON names; with a local master it is this one by default.

    Args:
        source: A file or a folder.
        master: Such as ``local[4]`` or ``spark://host:7077``; None for the running session's, or else all local cores.
            A session that runs already is used and kept; one that is started for this ends with its JVM.
        weights: ``value`` or ``plain``.
        progress: Called when all is counted.

    Raises:
        InputError: If a file is not one of reports or is damaged; if there is no PySpark or no Java; if the master
            does not answer; or if Spark fails.
    """
    if any(importlib.util.find_spec(name) is None for name in ("pyspark", "pandas")):
        raise InputError(NO_PYSPARK)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", PANDAS_NOTE, FutureWarning)
        from qifldp.engines.spark.count import count_with_spark  # noqa: PLC0415  # its modules import PySpark

        found = count_with_spark(source, master, weights)
    if progress is not None:
        progress(1.0, found.accumulator.n + sum(found.accumulator.refused.values()))
    return found
