"""Seconds that each measure takes on a protocol over a million values, its profile included."""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.table import Table

import qifldp as ql
from qifldp.leakage.measures import MEASURES
from qifldp.protocols.specs import SEVEN, parse_spec

DOMAIN_SIZE = 10**6
EPSILON = 1


def main() -> None:
    """Print one row a measure, one column a protocol; every time includes building the profile."""
    table = Table(
        title=f"Seconds at k = {DOMAIN_SIZE:,}, ε = {EPSILON}, from the spec to the figure", title_justify="left"
    )
    table.add_column("measure")
    for name in SEVEN:
        table.add_column(name, justify="right")
    slowest = 0.0
    budget = ql.Budget.read(EPSILON)
    zipf = ql.Prior.zipf(DOMAIN_SIZE)
    jobs = [(measure.title, measure.compute) for measure in MEASURES]
    jobs.append(("guess right, Zipf prior", lambda source: ql.asr(source, zipf)))
    jobs.append(("ten guesses", lambda source: ql.posterior_vulnerability(source, gain=ql.gains.guesses(10))))
    for title, compute in jobs:
        cells = []
        for name in SEVEN:
            start = time.perf_counter()
            compute(parse_spec(name).build(DOMAIN_SIZE, budget))
            cells.append(time.perf_counter() - start)
        slowest = max(slowest, *cells)
        table.add_row(title, *(f"{seconds:.3f}" for seconds in cells))
    Console(file=sys.stdout).print(table)
    Console(file=sys.stdout).print(f"The slowest took {slowest:.3f} s.")


if __name__ == "__main__":
    main()
