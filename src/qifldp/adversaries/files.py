"""Priors, gain functions and sensitive sets from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qifldp.adversaries.gain import Gain, from_matrix, membership
from qifldp.adversaries.prior import Prior
from qifldp.errors import InputError, shown
from qifldp.exact.budget import parse_rational
from qifldp.matrix_files import read_matrix
from qifldp.storage import read_text


def read_prior(path: str | Path) -> Prior:
    """Return the prior in a text file: one number a line, probabilities that sum to one, or counts.

    Raises:
        InputError: If the file holds anything but numbers, or they are neither.
    """
    numbers = [parse_rational(line, "a line of the prior file") for line in _lines(path)]
    if all(number.denominator == 1 for number in numbers) and sum(numbers) > 1:
        return Prior.from_counts(numbers)
    return Prior([float(number) for number in numbers])


def read_sensitive_set(path: str | Path, labels: Sequence[str] | None, domain_size: int) -> Gain:
    """Return the gain of telling membership in the set that a text file lists, one value a line.

    Args:
        path: The file.
        labels: Names of the domain's values; without them, values are numbers from 0.
        domain_size: Number of values.

    Raises:
        InputError: If a line is not a value of the domain.
    """
    index = {label: place for place, label in enumerate(labels or map(str, range(domain_size)))}
    members = []
    for line in _lines(path):
        if line not in index:
            known = "a value of the domain" if labels else f"a value from 0 to {domain_size - 1}"
            raise InputError.expected("a line of the sensitive set", known, line)
        members.append(index[line])
    return membership(members)


def read_gain(path: str | Path) -> Gain:
    """Return the gain function in a file, a row an action and a column a secret (CSV, JSON, NPY or Parquet).

    Raises:
        InputError: If the file is malformed, or a gain is negative.
    """
    return from_matrix(read_matrix(path, "gain").entries)


def _lines(path: str | Path) -> list[str]:
    lines = [line.strip() for line in read_text(path).split("\n") if line.strip()]  # as a domain file is read
    if not lines:
        raise InputError(f"The file {shown(str(path))} has no lines.")
    return lines
