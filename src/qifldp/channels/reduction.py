"""Merging the columns of a matrix that leave one posterior: the step from a channel to its abstract form."""

from __future__ import annotations

import numpy as np

from qifldp.channels.hyper import Numbers

PROPORTIONAL_TOLERANCE = 2.0**-49
"""Relative difference below which two float posteriors count as one: a posterior computed from a column is
two roundings (2^-53 each) away from its exact value, and so may the column's entries be."""


def merge_proportional(matrix: Numbers) -> list[list[int]]:
    """Return the classes of proportional columns, zero columns left out, in the order of their posteriors.

    Two rational columns are in one class if they are exactly proportional. Two float columns are if, secret
    by secret, their normalised entries can be joined by steps of at most 2^-49 of their value. Merging sums
    columns, so the row sums stay, and no leakage moves by more than that fraction for each step.

    Args:
        matrix: Channel matrix, shape (k, m).
    """
    sums = matrix.sum(axis=0)
    seen = np.flatnonzero(sums > 0)
    posteriors = matrix[:, seen] / sums[seen]
    tolerance = 0 if matrix.dtype == object else PROPORTIONAL_TOLERANCE
    classes = np.zeros(seen.size, dtype=np.int64)
    for row in posteriors:
        order = _order(classes, row)
        value, known = row[order], classes[order]
        with np.errstate(invalid="ignore"):
            step = (known[1:] != known[:-1]) | (value[1:] - value[:-1] > tolerance * value[1:])
        classes[order] = np.concatenate(([0], np.cumsum(step.astype(np.int64))))
    return _split(seen, classes)


def _order(classes: np.ndarray, row: Numbers) -> np.ndarray:
    """Return the order of the columns by class, then by their entry in this row."""
    if row.dtype != object:
        return np.lexsort((row, classes))
    return np.array(sorted(range(row.size), key=lambda column: (classes[column], row[column])), dtype=np.int64)


def _split(columns: np.ndarray, classes: np.ndarray) -> list[list[int]]:
    """Return the columns of each class, classes in order."""
    order = np.argsort(classes, kind="stable")
    edges = np.flatnonzero(np.diff(classes[order])) + 1
    return [group.tolist() for group in np.split(columns[order], edges)]
