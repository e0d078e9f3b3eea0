"""Two halves of the samples: events are chosen on the first, and tested on the second.

Reports are taken in pairs on different values. Of a pair on (x, x′) the event "of x against x′" is looked at under x in
the first report and under x′ in the second, and the event "of x′ against x" the other way round: so each value is as
often the true one as it is the other one, whatever the frequencies are, and an ε-LDP client has

    mean Pr[E(x, x′) | x] ≤ e^ε · mean Pr[E(x, x′) | x′]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Half:
    """Half of the samples.

    Attributes:
        rows: Places of its reports.
        own: Column of the true value of each, shape (n,).
        paired: Places, within ``rows``, of reports that have a partner.
        other: Column of the partner's value, for each of these.
    """

    rows: Places
    own: Places
    paired: Places
    other: Places

    @property
    def paired_rows(self) -> Places:
        """Places of the reports that have a partner."""
        return self.rows[self.paired]

    @property
    def paired_own(self) -> Places:
        """Columns of their true values."""
        return self.own[self.paired]

    def on(self, column: int) -> Places:
        """Return the places of the reports on one value."""
        return self.rows[self.own == column]


def split(own: Places, rng: np.random.Generator) -> tuple[Half, Half]:
    """Return two halves of the samples at random.

    Args:
        own: Column of the true value of each sample; negative ones take no part.
        rng: The source of randomness.
    """
    order = rng.permutation(np.flatnonzero(own >= 0))
    middle = len(order) // 2
    return _half(order[:middle], own), _half(order[middle:], own)


def both(first: Half, second: Half) -> Half:
    """Return both halves as one, with the pairs of each: the first of all pairs, then the second of all pairs."""
    shift, n, m = len(first.rows), len(first.paired) // 2, len(second.paired) // 2
    paired = np.concatenate([first.paired[:n], second.paired[:m] + shift, first.paired[n:], second.paired[m:] + shift])
    other = np.concatenate([first.other[:n], second.other[:m], first.other[n:], second.other[m:]])
    return Half(np.concatenate([first.rows, second.rows]), np.concatenate([first.own, second.own]), paired, other)


def _half(rows: Places, own: Places) -> Half:
    found = own[rows]
    first, second = np.arange(0, len(rows) - 1, 2), np.arange(1, len(rows), 2)
    unequal = found[first] != found[second]
    first, second = first[unequal], second[unequal]
    paired = np.concatenate([first, second])
    other = np.concatenate([found[second], found[first]])
    return Half(rows, found, paired, other)
