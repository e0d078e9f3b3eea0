"""What a packed report has beside what it says of values: the part of a mixture, and the seed and bucket of a hash.

None of it may depend on the value: the part is drawn by its weight, and a seed is uniform, whatever the value is. (The
bucket alone is uniform too; with the seed it says which values are supported, and that is checked elsewhere.) So each
byte is a field in which events are looked for; and the parts, the bits of seeds and which two of them differ are
checked against their law, for each true value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.checks import Cells, Fit, check
from qifldp.audit.columns import Columns, Field, Told
from qifldp.audit.splitting import Places
from qifldp.collection.entropy import WORD
from qifldp.collection.hashing import SEED_BYTES, HashMechanism
from qifldp.collection.mechanism import Mechanism, Rows
from qifldp.collection.mixture import MixMechanism

SEED_BITS = 8 * SEED_BYTES

AT_ONCE = 1 << 16
"""Seeds whose bits are summed at once: their sums are whole numbers that a float32 holds."""

FEW_BUCKETS = 256
"""Buckets up to which one is a field of its own, and not byte by byte."""


def header_fields(mechanism: Mechanism, rows: Rows) -> list[Field]:
    """Return the fields of packed reports that are not about values: byte by byte, and the bucket if there are few."""
    if isinstance(mechanism, MixMechanism):
        return _fields_of_parts(mechanism, rows)
    if not isinstance(mechanism, HashMechanism):
        return []
    few = mechanism.buckets <= FEW_BUCKETS
    fields = [Field("the bucket", rows[:, SEED_BYTES].astype(np.int64), Told(256, str))] if few else []
    named = [f"byte {place + 1} of the seed" for place in range(SEED_BYTES)]
    if not few:
        named += [f"byte {place + 1} of the bucket" for place in range(mechanism.width - SEED_BYTES)]
    codes = ((name, rows[:, place].astype(np.int64)) for place, name in enumerate(named))
    return fields + [Field(name, code, Told(256, _byte), ordered=True) for name, code in codes]


def _byte(code: int) -> str:
    return f"0x{code:02x}"


def _fields_of_parts(mechanism: MixMechanism, rows: Rows) -> list[Field]:
    """Return the part, and each byte of reports of parts that hash together with it."""
    first = rows[:, 0].astype(np.int64)
    fields = [Field("the part of the mixture", first, Told(256, lambda code: _part(mechanism, code)))]

    def told(code: int) -> str:
        return f"{_byte(code % 256)} in {_part(mechanism, code // 256)}"

    widest = max((part.width for part in mechanism.parts if isinstance(part, HashMechanism)), default=0)
    for place in range(1, 1 + widest):
        codes = 256 * first + rows[:, place]
        fields.append(Field(f"byte {place + 1} of the report", codes, Told(256 * 256, told), ordered=True))
    return fields


def _part(mechanism: MixMechanism, place: int) -> str:
    if place == len(mechanism.parts) and mechanism.silence:
        return "silence"
    return f"part {place + 1}" if place < len(mechanism.parts) else f"part {place + 1}, which there is not"


def header_checks(columns: Columns, mechanism: Mechanism, own: Places, labels: tuple[str, ...]) -> list[Fit]:
    """Check the parts of mixtures and the seeds of hashes against their law, for each true value.

    Args:
        columns: The reports.
        mechanism: The declared protocol as it is run.
        own: Column of the true value of each report; negative where it is not looked at.
        labels: Of the watched values.
    """
    if columns.rows is None or columns.support is None:
        return []
    rows, support = columns.rows, columns.support
    if columns.misfits is not None:
        fits = ~columns.misfits
        rows, support, own = rows[fits], support[fits], own[fits]
    if isinstance(mechanism, HashMechanism):
        return list(_seed_checks(rows[:, :SEED_BYTES], own, labels, ""))
    if not isinstance(mechanism, MixMechanism):
        return []
    used = own >= 0
    cells = _part_cells(mechanism, rows[used, 0], support[used], own[used], labels)
    found = [check(some) for some in cells if len(some.counts)]
    for place, part in enumerate(mechanism.parts):
        if isinstance(part, HashMechanism):
            mine = rows[:, 0] == place
            name = f" of {_part(mechanism, place)}"
            found += _seed_checks(rows[mine, 1 : 1 + SEED_BYTES], own[mine], labels, name)
    return found


def _part_cells(
    mechanism: MixMechanism, part: NDArray[np.uint8], support: NDArray[np.bool_], own: Places, labels: tuple[str, ...]
) -> Iterator[Cells]:
    """Yield how often each part is drawn for each true value, and how often its reports support that, and others."""
    w, chances = len(labels), [float(p) / WORD for p in (*mechanism.chances, mechanism.silence) if p]
    names = [_part(mechanism, place) for place in range(len(chances))]
    table = np.array([np.bincount(own[part == place], minlength=w) for place in range(len(chances))])
    trials = np.bincount(own, minlength=w)
    a, b = np.nonzero(np.broadcast_to(trials > 0, table.shape))
    yield Cells(
        "the part, each value", table[a, b], trials[b], np.array(chances)[a],
        [f"reports on {labels[x]} are of {names[place]}" for place, x in zip(a, b, strict=True)],
    )  # fmt: skip
    held, strange = np.zeros((2, len(mechanism.parts), w), np.int64)
    for place in range(len(mechanism.parts)):
        mine = part == place
        some, of = support[mine], own[mine]
        held[place] = np.bincount(of[some[np.arange(len(of)), of]], minlength=w)
        strange[place] = some.sum(axis=0) - held[place]
    table = table[: len(mechanism.parts)]
    of_others = table.sum(axis=1, keepdims=True) - table
    p, q = (np.array([float(one.support_chances[at]) for one in mechanism.parts]) for at in (0, 1))
    for name, counts, of_part, chance, told in (
        ("the true value, each part", held, table, p, "reports of {} on {} support it"),
        ("another value, each part", strange, of_others, q, "reports of {} on others support {}"),
    ):
        a, b = np.nonzero(of_part)
        words = [told.format(names[place], labels[x]) for place, x in zip(a, b, strict=True)]
        yield Cells(name, counts[a, b], of_part[a, b], chance[a], words)


def _seed_checks(seeds: Rows, own: Places, labels: tuple[str, ...], which: str) -> Iterator[Fit]:
    """Check that seeds are new, and their bits and the sums of any two of them fair, for all values and for each."""
    n = len(seeds)
    if not n:
        return
    seeds = np.ascontiguousarray(seeds)
    again = n - len(np.unique(seeds.view(np.dtype((np.void, SEED_BYTES)))))
    chance = min(1.0, n * n / 2.0 ** (SEED_BITS + 1)) if again else 1.0  # of any two alike
    told = f"{again:,} of {n:,} reports have a seed that was there before"
    yield Fit(f"seeds{which} are new", 1, chance, told, fits=True)
    groups = [np.flatnonzero(own == value) for value in range(len(labels))]
    groups = [*groups, np.flatnonzero(own < 0)]
    ones, unequal = (np.array(counts) for counts in zip(*(_bit_counts(seeds[rows]) for rows in groups), strict=True))
    trials = np.array([*map(len, groups), n])
    on = [*(f"in reports on {label}" for label in labels), "in reports on others", "in all reports"]
    bits = [f"bit {place} of the seed{which} is set" for place in range(SEED_BITS)]
    pairs = [f"bits {a} and {b} of the seed{which} differ" for a, b in combinations(range(SEED_BITS), 2)]
    seen = np.flatnonzero(trials > 0)
    seen = seen[seen != len(labels)]  # the values that are not looked at count among all only
    for name, counts, words in (("bits of seeds", ones, bits), ("pairs of bits of seeds", unequal, pairs)):
        each = np.vstack([counts, counts.sum(axis=0)])[seen]
        yield check(_halves(f"{name}{which}", each, trials[seen], [on[place] for place in seen], words))


def _halves(name: str, counts: NDArray[np.int64], trials: NDArray[np.int64], on: list[str], words: list[str]) -> Cells:
    """Return counts, each a half under the law, as checks: of each row the one farthest from a half."""
    worst = np.abs(2 * counts - trials[:, None]).argmax(axis=1)
    rows = np.arange(len(counts))
    told = [f"{words[column]} {of}" for column, of in zip(worst.tolist(), on, strict=True)]
    return Cells(name, counts[rows, worst], trials, np.full(len(rows), 0.5), told, counts.size - len(rows))


def _bit_counts(seeds: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how often each bit of seeds is set, and how often each two bits differ, in the order of combinations."""
    ones, both = np.zeros(SEED_BITS, np.int64), np.zeros((SEED_BITS, SEED_BITS), np.int64)
    for start in range(0, len(seeds), AT_ONCE):
        bits = np.unpackbits(seeds[start : start + AT_ONCE], axis=1).astype(np.float32)
        ones += bits.sum(axis=0).astype(np.int64)
        both += (bits.T @ bits).astype(np.int64)
    a, b = np.triu_indices(SEED_BITS, 1)
    return ones, (ones[a] + ones[b] - 2 * both[a, b])
