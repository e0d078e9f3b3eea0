"""Whether reports follow the law of a declared protocol, all of a report: exact binomial counts, in families.

Every check is a count that is binomial under the declared law: how often the true value is supported, each other one,
two together, so many in all, a bit of a seed is set under each value. Its exact p-value is multiplied by the number of
checks in its family (Bonferroni), which needs no independence, and families share the error equally. So a protocol's
own client is said not to fit with at most this error, for every number of samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import two_sided
from qifldp.audit.checks import Cells, Fit, check
from qifldp.audit.columns import Columns
from qifldp.audit.headers import header_checks
from qifldp.audit.splitting import Half
from qifldp.collection.mechanism import Mechanism
from qifldp.collection.mixture import MixMechanism

MOST_WHOLE = 8
"""Values up to which each possible set of supported values is a check of its own."""


def fit(
    columns: Columns,
    mechanism: Mechanism,
    own: NDArray[np.int64],
    labels: tuple[str, ...],
    error: float,
    others: Sequence[Fit] = (),
) -> list[Fit]:
    """Check reports against the law of a mechanism.

    Args:
        columns: Reports, with what they support.
        mechanism: The declared protocol as it is run.
        own: Column of the true value of each report; negative ones are left out.
        labels: Of the watched values.
        error: Chance of at least one family that does not fit, if the reports follow the law.
        others: Further families, checked elsewhere.
    """
    assert columns.support is not None
    used = own >= 0
    families = [check(cells) for cells in _families(columns, mechanism, own, labels, used) if len(cells.counts)]
    families += [_possible(columns), *header_checks(columns, mechanism, own, labels), *others]
    share = error / len(families)
    return [Fit(f.name, f.checks, f.p_value, f.worst, f.p_value > share) for f in families]


def _families(
    columns: Columns,
    mechanism: Mechanism,
    own: NDArray[np.int64],
    labels: tuple[str, ...],
    used: NDArray[np.bool_],
) -> Iterator[Cells]:
    support, sizes = columns.support, columns.sizes
    assert support is not None
    support, mine = support[used], own[used]
    sizes = None if sizes is None else np.maximum(sizes[used], 0)  # below 0 where a report is none
    p, q = (float(chance) for chance in mechanism.support_chances)
    n, w = support.shape
    held = support[np.arange(n), mine]
    yield Cells(
        "the true value", np.array([held.sum()]), np.array([n]), np.array([p]), ["reports support the true value"]
    )
    trials = np.bincount(mine, minlength=w)
    table = np.array([support[mine == value].sum(axis=0) for value in range(w)], np.int64)
    seen = trials > 0
    yield Cells(
        "the true value, each", table.diagonal()[seen], trials[seen], np.full(seen.sum(), p),
        [f"reports on {labels[x]} support it" for x in np.flatnonzero(seen)],
    )  # fmt: skip
    a, b = np.nonzero(seen[:, None] & ~np.eye(w, dtype=bool))
    yield Cells(
        "another value, each", table[a, b], trials[a], np.full(len(a), q),
        [f"reports on {labels[x]} support {labels[y]}" for x, y in zip(a, b, strict=True)],
    )  # fmt: skip
    others = table.sum(axis=0) - table.diagonal()
    yield Cells(
        "another value", others, n - trials, np.full(w, q), [f"reports on others support {label}" for label in labels]
    )
    if sizes is not None:
        yield from _size_cells(mechanism, sizes, held)
    pairs = _pair_chances(mechanism, p, q)
    if pairs is not None:
        yield _company(support, mine, labels, pairs[0])
        yield _strangers(support, mine, labels, pairs[1])
    if w == mechanism.domain_size and w <= MOST_WHOLE and not isinstance(mechanism, MixMechanism):
        yield _whole(mechanism, support, mine, labels, p, q)


def _size_cells(mechanism: Mechanism, sizes: NDArray[np.int64], held: NDArray[np.bool_]) -> Iterator[Cells]:
    """Yield the law of the number of supported values, beside the true one and with it."""
    law = mechanism.size_law()
    mass = np.clip(law.mass, 0.0, 1.0)
    occurs = np.flatnonzero((mass > 0) | (np.bincount(sizes, minlength=len(mass)) > 0))
    counts = np.bincount(sizes, minlength=len(mass))
    yield Cells(
        "the number of values", counts[occurs], np.full(len(occurs), len(sizes)), mass[occurs],
        [f"reports support {size} values" for size in occurs],
    )  # fmt: skip
    chance = np.clip((law.absent + law.gap) * mass, 0.0, 1.0)
    with_own = np.bincount(sizes[held], minlength=len(mass))
    yield Cells(
        "the number of values with the true one", with_own[occurs], np.full(len(occurs), len(sizes)), chance[occurs],
        [f"reports support {size} values, the true one among them" for size in occurs],
    )  # fmt: skip


def _pair_chances(mechanism: Mechanism, p: float, q: float) -> tuple[float, float] | None:
    """Return the chances that the true value and another, and that two others, are supported together."""
    if isinstance(mechanism, MixMechanism):
        return None
    k, w = mechanism.domain_size, mechanism.fixed_size
    if w is None:
        return p * q, q * q
    if k < 3:  # there are no two others
        return (p * (w - 1) / (k - 1), 0.0)
    kept = Fraction(comb(w - 1, 2), comb(k - 1, 2))
    lost = Fraction(comb(w, 2), comb(k - 1, 2))
    return p * (w - 1) / (k - 1), p * float(kept) + (1 - p) * float(lost)


def _company(support: NDArray[np.bool_], mine: NDArray[np.int64], labels: tuple[str, ...], chance: float) -> Cells:
    """Return how often the true value is supported together with another one, for every two values."""
    n, w = support.shape
    held = support[np.arange(n), mine]
    table = np.array([support[(mine == value) & held].sum(axis=0) for value in range(w)], np.int64)
    trials = np.bincount(mine, minlength=w)
    a, b = np.nonzero((trials > 0)[:, None] & ~np.eye(w, dtype=bool))
    words = [f"reports on {labels[x]} support it and {labels[y]}" for x, y in zip(a, b, strict=True)]
    return Cells("the true value and another", table[a, b], trials[a], np.full(len(a), chance), words)


def _strangers(support: NDArray[np.bool_], mine: NDArray[np.int64], labels: tuple[str, ...], chance: float) -> Cells:
    """Return how often two values that are not the true one are supported together, for every two values."""
    w = support.shape[1]
    both = np.zeros((w, w), np.int64)
    for value in range(w):
        part = support[mine == value].astype(np.float32)
        part[:, value] = 0
        both += (part.T @ part).astype(np.int64)
    trials = len(mine) - np.bincount(mine, minlength=w)
    a, b = np.triu_indices(w, 1)
    own = np.bincount(mine, minlength=w)
    free = trials[a] - own[b]
    words = [f"reports on others support {labels[x]} and {labels[y]}" for x, y in zip(a, b, strict=True)]
    used = free > 0
    return Cells(
        "two other values", both[a, b][used], free[used], np.full(int(used.sum()), chance),
        [word for word, keep in zip(words, used.tolist(), strict=True) if keep],
    )  # fmt: skip


def _whole(
    mechanism: Mechanism,
    support: NDArray[np.bool_],
    mine: NDArray[np.int64],
    labels: tuple[str, ...],
    p: float,
    q: float,
) -> Cells:
    """Return how often each set of values is supported, for each true value."""
    k, fixed = mechanism.domain_size, mechanism.fixed_size
    seen = support @ (1 << np.arange(k))
    counts, trials, chances, words = [], [], [], []
    for value in range(k):
        found = np.bincount(seen[mine == value], minlength=1 << k)
        for members in (chosen for size in range(k + 1) for chosen in combinations(range(k), size)):
            has, size = value in members, len(members)
            if fixed is None:
                chance = (p if has else 1 - p) * q ** (size - has) * (1 - q) ** (k - 1 - size + has)
            elif size != fixed:
                chance = 0.0
            else:
                chance = p / comb(k - 1, size - 1) if has else (1 - p) / comb(k - 1, size)
            count = int(found[sum(1 << x for x in members)])
            if chance > 0 or count:
                counts.append(count)
                trials.append(int(found.sum()))
                chances.append(chance)
                words.append(f"reports on {labels[value]} support {{{', '.join(labels[x] for x in members)}}}")
    return Cells("whole reports", np.array(counts), np.array(trials), np.array(chances), words)


def _possible(columns: Columns) -> Fit:
    """Return what is no count: whether there are reports that cannot be."""
    total = sum(columns.impossible.values())
    reasons = "; ".join(f"{count:,} {what}" for what, count in columns.impossible.most_common(3))
    return Fit("possible reports", 1, 0.0 if total else 1.0, reasons or "no report that cannot be", fits=True)


def order_fit(columns: Columns, half: Half) -> Fit | None:
    """Check that which of two values comes first in a list does not depend on which is the true one.

    Of two reports on x and on x′ count those in which x comes before x′. If the order is no part of what is told, both
    do so with one chance, so among pairs of reports of which just one does, it is either with a half (a sign test).
    Exact for every order and all frequencies of values.
    """
    place = next((at for at, s in enumerate(columns.statistics) if s.words[-1].endswith("last place")), None)
    if place is None:
        return None
    levels, count = columns.statistics[place].levels, len(half.paired) // 2
    first, second = half.paired_rows[:count], half.paired_rows[count:]
    x, other = half.paired_own[:count], half.other[:count]

    def before(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        a, b = levels[rows, x], levels[rows, other]
        return (a > 0) & (b > 0) & (a < b)

    one, two = before(first), before(second)
    wins, differ = int((one & ~two).sum()), int((one != two).sum())
    value = float(two_sided(wins, differ, 0.5)) if differ else 1.0
    words = f"the true value is before another one in {wins:,} of {differ:,} pairs that differ, where half are expected"
    return Fit("the order", 1, value, words, fits=True)
