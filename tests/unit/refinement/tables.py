"""Channels of small fractions."""

from __future__ import annotations

import random
from fractions import Fraction

Table = list[list[Fraction]]


def random_table(source: random.Random, rows: int, columns: int, zeros: int = 0) -> Table:
    """Return a channel; the more zeros, the more of its entries are one."""
    table: Table = []
    while len(table) < rows:
        row = [source.choice([0] * zeros + [1, 2, 3, 5, 7]) for _ in range(columns)]
        if any(row):
            table.append([Fraction(entry, sum(row)) for entry in row])
    return table


def times(left: Table, right: Table) -> Table:
    """Return left·right."""
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in zip(*right, strict=True)]
        for row in left
    ]
