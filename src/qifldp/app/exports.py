"""Files to download: tables as CSV without formulas, and names for files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from qifldp.comparison.compare import Comparison
from qifldp.rendering.text import plain

FORMULA = ("=", "+", "-", "@", "|", "%")
"""What a spreadsheet takes for the beginning of a formula, or of a command; tabs and the like are replaced anyway."""

LONGEST_NAME = 60
"""Letters of a file's name."""


def cell(value: object) -> str:
    """Return a value as a cell of CSV: text that a spreadsheet would run is quoted with an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, int | float):
        return repr(value)
    text = plain(str(value)).replace("\n", " ")
    return f"'{text}" if text.lstrip().startswith(FORMULA) else text


def to_csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([cell(head) for head in heads])
    writer.writerows([cell(value) for value in row] for row in rows)
    return text.getvalue()


def records_csv(records: Sequence[Mapping[str, object]]) -> str:
    """Return records that have the same keys as CSV."""
    heads = list(dict.fromkeys(key for record in records for key in record))
    return to_csv(heads, ([record.get(head) for head in heads] for record in records))


def comparison_csv(comparison: Comparison, names: Sequence[str]) -> str:
    """Return the figures of a comparison as CSV."""
    heads = ["name", "protocol", "spec", "epsilon", *comparison.rows[0].figures]
    rows = (
        [name, row.protocol, row.spec, row.epsilon, *row.figures.values()]
        for name, row in zip(names, comparison.rows, strict=True)
    )
    return to_csv(heads, rows)


def name_of(*parts: str, ending: str) -> str:
    """Return a file's name made of parts, of letters, digits, dots and hyphens only."""
    kept = re.sub(r"[^a-z0-9.-]+", "-", "-".join(parts).lower()).strip("-.")[:LONGEST_NAME]
    return f"{kept or 'qifldp'}.{ending}"
