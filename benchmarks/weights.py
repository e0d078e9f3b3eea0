"""How much weighing reports by their size gains: mean squared error of plain over weighted estimates.

The error is summed over the values, of 300 seeded runs with 10,000 people. ``--write`` prints Markdown rows, as
docs/explanation/collecting.md has them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import qifldp as ql
from oracles.weighing import RUNS, Gain, shares, squared_errors

KINDS = (ql.SUE, ql.OUE, ql.THE, ql.BLH, ql.OLH)
DOMAINS, EPSILONS = (2, 4, 10, 50, 200), (0.5, 1, 2, 4)


def gain(kind: type[ql.SUE | ql.OUE | ql.THE | ql.BLH | ql.OLH], k: int, epsilon: float, shape: str, n: int) -> Gain:
    """Return the gain of one cell."""
    plain, weighted = squared_errors(kind(k, epsilon), shares(shape, k, n))
    return Gain.of(plain.sum(axis=1), weighted.sum(axis=1))


def main() -> None:
    """Measure, and print a row for each protocol and domain, with a column for each ε."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--shape", choices=["uniform", "zipf", "one"], default="uniform")
    parser.add_argument("--write", action="store_true", help="Markdown rows")
    options = parser.parse_args()
    table = Table("protocol", "k", *(f"ε = {epsilon}" for epsilon in EPSILONS))
    table.title = f"{options.people:,} people, {options.shape}, {RUNS} runs (standard error)"
    for kind in KINDS:
        for k in DOMAINS:
            gains = [gain(kind, k, epsilon, options.shape, options.people) for epsilon in EPSILONS]
            if options.write:
                cells = (kind.name, str(k), *(f"{each.ratio:.2f}" for each in gains))
                print(f"| {' | '.join(cells)} |")  # noqa: T201  # what it is for
            else:
                table.add_row(kind.name, str(k), *(f"{each.ratio:.2f} ± {each.error:.2f}" for each in gains))
    if not options.write:
        Console().print(table)


if __name__ == "__main__":
    main()
