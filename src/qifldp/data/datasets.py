"""The embedded data sets: real counts, available offline."""

from __future__ import annotations

import csv
import difflib
import io
import json
from functools import cache
from importlib.resources import files

from qifldp.data.population import Population
from qifldp.errors import InputError


@cache
def datasets() -> dict[str, Population]:
    """Return the embedded populations by name: ``kosarak``, and ``adult-COLUMN`` for each column of Adult."""
    found = {"kosarak": _kosarak()}
    adult = json.loads(_text("adult.json"))
    for column, counts in adult["columns"].items():
        notes = ("The value ? stands for missing answers.",) if "?" in counts else ()
        found[f"adult-{column}"] = Population(
            title=f"{adult['title']}: {column}",
            values=tuple(counts),
            counts=tuple(counts.values()),
            notes=notes,
            source=f"{adult['source']} ({adult['licence']})",
        )
    return found


def load_dataset(name: str) -> Population:
    """Return an embedded population.

    Raises:
        InputError: If there is none of this name, naming the nearest.
    """
    known = datasets()
    if name.lower() not in known:
        near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
        raise InputError(f"There is no embedded data set called {name[:40]!r}: {hint}")
    return known[name.lower()]


def _kosarak() -> Population:
    rows = list(csv.DictReader(io.StringIO(_text("kosarak.csv"))))
    return Population(
        title="Kosarak: clicks on the 156 most visited pages of a news portal",
        values=tuple(row["item"] for row in rows),
        counts=tuple(int(row["count"]) for row in rows),
        source=(
            "Kosarak click stream, donated by Ferenc Bodon to the Frequent Itemset Mining Dataset Repository; "
            "counts only, no licence is stated there"
        ),
    )


def _text(name: str) -> str:
    return files("qifldp.data.embedded").joinpath(name).read_text(encoding="utf-8")
