"""What a packed report has beside its values tells nothing: parts of mixtures, seeds and buckets of hashes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qifldp.audit.auditing import audit_client
from qifldp.audit.classifier import Distinguisher, ScoreEvent, learn
from qifldp.audit.headers import _bit_counts
from qifldp.audit.packed import encode_packed
from qifldp.audit.result import Audit
from qifldp.audit.samples import Domain, Samples
from qifldp.audit.splitting import split
from qifldp.collection.hashing import HashMechanism
from qifldp.collection.mixture import MixMechanism
from qifldp.collection.reports import Reports
from qifldp.exact.budget import Budget
from qifldp.protocols.local_hashing import LH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec

Rows = NDArray[np.uint8]
Sign = Callable[[Rows], NDArray[np.integer[Any]]]

OLH16 = OLH(16, 1)


def mix(spec: str, k: int) -> Protocol:
    return parse_spec(f"mix:parts={spec}").build(k, Budget.read("1"))


HALVES = mix("0.5*olh+0.5*lh@4", 8)


def values(k: int, n: int) -> NDArray[np.int64]:
    return np.random.default_rng(1).integers(k, size=n)


def signed(protocol: Protocol, places: NDArray[np.int64], sign: Sign, wanted: NDArray[np.int64]) -> Rows:
    """Return sound reports, each drawn again until a sign of it is the wanted one."""
    rng = np.random.default_rng(2)
    rows = protocol.perturb(places, rng=rng).rows.copy()
    while len(left := np.flatnonzero(sign(rows) != wanted)):
        rows[left] = protocol.perturb(places[left], rng=rng).rows
    return rows


def audited(rows: Rows, protocol: Protocol, places: NDArray[np.int64], *, declared: bool = True) -> Audit:
    samples = Samples(Domain.read(protocol.domain_size), places, Reports(protocol, rows))
    if declared:
        return audit_client(samples, protocol=protocol, classifier=False)
    return audit_client(samples, epsilon=1, classifier=False)


def wrong(found: Audit) -> list[str]:
    return [family.name for family in found.fits if not family.fits]


def test_a_value_in_clear_in_a_seed_is_found() -> None:
    places = values(16, 30_000)
    rows = signed(OLH16, places, lambda rows: rows[:, 0] & 15, places)
    found = audited(rows, OLH16, places)
    assert found.verdict == "violates"
    assert set(wrong(found)) == {"bits of seeds", "pairs of bits of seeds"}
    alone = audited(rows, OLH16, places, declared=False)
    assert alone.event is not None
    assert alone.event.startswith("byte 1 of the seed is 0x")
    assert alone.findings[0].unseen is not None


def test_a_seed_that_is_uniform_over_all_values_is_looked_at_for_each() -> None:
    """Every bit is set in half of all reports."""
    places = np.arange(6000) % 16
    found = audited(signed(OLH16, places, lambda rows: rows[:, 3] & 1, places % 2), OLH16, places)
    assert wrong(found) == ["bits of seeds", "pairs of bits of seeds"][: len(wrong(found))]
    worst = next(family for family in found.fits if family.name == "bits of seeds").worst
    assert worst.startswith("bit 31 of the seed is set in reports on ")


def test_what_two_bytes_of_a_seed_tell_together_is_found() -> None:
    places = values(16, 4000)
    found = audited(signed(OLH16, places, lambda rows: (rows[:, 0] ^ rows[:, 1]) & 15, places), OLH16, places)
    assert wrong(found) == ["pairs of bits of seeds"]
    worst = next(family for family in found.fits if family.name == "pairs of bits of seeds").worst
    assert "of the seed differ in reports on " in worst


def test_a_bit_of_all_seeds_together_is_looked_at_too() -> None:
    """Of each value alone there are too few reports for a bit that is set in 58 of 100."""
    places = np.arange(3000) % 16
    often = (np.random.default_rng(3).random(3000) < 0.58).astype(int)
    found = audited(signed(OLH16, places, lambda rows: rows[:, 0] >> 7, often), OLH16, places)
    worst = next(family for family in found.fits if family.name == "bits of seeds").worst
    assert worst.startswith("bit 0 of the seed is set in all reports: ")
    assert wrong(found) == ["bits of seeds"]


def test_bits_of_all_seeds_are_looked_at_where_some_values_are_not() -> None:
    """Of 200 values 64 are looked at, 3 seeds in 10: a bit that is set in 54 of 100 is seen in all of them only."""
    protocol, places = OLH(200, 1), np.arange(10_000) % 200
    often = (np.random.default_rng(3).random(10_000) < 0.54).astype(int)
    found = audited(signed(protocol, places, lambda rows: rows[:, 0] >> 7, often), protocol, places)
    family = next(family for family in found.fits if family.name == "bits of seeds")
    assert family.checks == 65 * 128  # of each value that is looked at, and of all; of the others none by itself
    assert family.worst.startswith("bit 0 of the seed is set in all reports: ")
    assert f"of {10_000:,}" in family.worst
    assert not family.fits


def test_bits_are_counted() -> None:
    seeds = np.random.default_rng(1).integers(256, size=(37, 16)).astype(np.uint8)
    bits = np.unpackbits(seeds, axis=1)
    ones, unequal = _bit_counts(seeds)
    assert ones.tolist() == bits.sum(axis=0).tolist()
    assert unequal.tolist() == [int((bits[:, a] != bits[:, b]).sum()) for a, b in combinations(range(128), 2)]


def test_every_family_of_checks_counts_all_that_it_looks_at() -> None:
    found = {family.name: family.checks for family in audited_soundly(OLH16, 2000).fits}
    assert found["bits of seeds"] == 17 * 128
    assert found["pairs of bits of seeds"] == 17 * 128 * 127 // 2


def audited_soundly(protocol: Protocol, n: int) -> Audit:
    places = values(protocol.domain_size, n)
    return audited(protocol.perturb(places, rng=np.random.default_rng(2)).rows, protocol, places)


def test_a_part_that_is_chosen_by_the_value_is_found() -> None:
    places = values(8, 4000)
    rows = signed(HALVES, places, lambda rows: rows[:, 0], places % 2)
    found = audited(rows, HALVES, places)
    assert found.event is not None
    assert found.event.startswith("the part of the mixture is part ")
    assert wrong(found) == ["the part, each value"]


def test_a_seed_of_a_part_that_tells_the_value_is_found() -> None:
    protocol, places = mix("0.6*olh+0.4*ss@4", 16), values(16, 40_000)
    rows = protocol.perturb(places, rng=np.random.default_rng(3)).rows.copy()
    hashed = np.flatnonzero(rows[:, 0] == 0)
    told = places[hashed]
    rows[hashed, 1:18] = signed(OLH16, told, lambda rows: rows[:, 0] & 15, told)
    found = audited(rows, protocol, places)
    assert set(wrong(found)) == {"bits of seeds of part 1", "pairs of bits of seeds of part 1"}
    assert found.event is not None
    assert found.event.startswith("byte 2 of the report is 0x")
    assert found.event.endswith(" in part 1")


def test_parts_that_make_up_for_each_other_are_found() -> None:
    """One keeps the true bucket too often, one too seldom: together they support it as often as they should."""
    places, rng = values(8, 20_000), np.random.default_rng(2)
    rows = np.zeros((len(places), HALVES.mechanism.width), np.uint8)
    rows[:, 0] = rng.integers(2, size=len(places))
    p = float(HALVES.mechanism.support_chances[0])
    for part, chance in enumerate((p + 0.15, p - 0.15)):
        mine = rows[:, 0] == part
        odds = chance / (1 - chance) * 3
        rows[mine, 1:] = LH(8, np.log(odds), g=4).perturb(places[mine], rng=rng).rows
    found = audited(rows, HALVES, places)
    assert wrong(found) == ["the true value, each part"]


@pytest.mark.parametrize("spec", ["0.5*olh+0.5*lh@4", "0.3*ss@2+0.7*ss@3", "0.2*olh+0.4*sue+0.3*ss@2"])
def test_sound_mixtures_are_not_accused(spec: str) -> None:
    """Of eight audits at an error of 1 % two or more alarms have a chance of 0.003; the seeds are fixed."""
    protocol, alarms = mix(spec, 6), 0
    mechanism = protocol.mechanism
    assert isinstance(mechanism, MixMechanism)
    for seed in range(8):
        places = np.random.default_rng(seed).integers(6, size=600)
        rows = protocol.perturb(places, rng=np.random.default_rng([seed, 1])).rows
        found = audited(rows, protocol, places)
        alarms += found.verdict == "violates"
    assert alarms <= 1
    names = [family.name for family in found.fits]
    assert {"the part, each value", "the true value, each part", "another value, each part"} <= set(names)
    hashed = sum(isinstance(part, HashMechanism) for part in mechanism.parts)
    assert sum(name.startswith("pairs of bits of seeds of part ") for name in names) == hashed


@pytest.mark.parametrize("protocol", [OLH16, LH(600, 1, g=300), HALVES], ids=lambda protocol: protocol.name)
def test_each_byte_is_a_field_that_classifiers_look_at_too(protocol: Protocol) -> None:
    pytest.importorskip("sklearn")
    places = values(min(protocol.domain_size, 8), 2000)
    rows = protocol.perturb(places, rng=np.random.default_rng(2)).rows
    columns = encode_packed(rows, protocol, np.arange(8), declared=False)
    names = [field.name for field in columns.fields]
    assert sum("byte" in name or name in {"the bucket", "the part of the mixture"} for name in names) == rows.shape[1]
    found = learn(columns, split(places, np.random.default_rng(3))[0], 0.01, 1)
    assert found is not None
    assert isinstance(found.event, ScoreEvent)
    assert isinstance(found.event.distinguisher, Distinguisher)
    looked_at = {names[place] for place in found.event.distinguisher.fields}
    assert {name for name in names if name.startswith("byte ")} <= looked_at


def test_fields_are_named_by_the_part() -> None:
    protocol = mix("0.2*olh+0.4*sue+0.3*ss@2", 6)
    rows = np.zeros((5, protocol.mechanism.width), np.uint8)
    rows[:, 0], rows[:, 1] = range(5), 0x1F
    fields = {
        field.name: [field.words[code] for code in field.codes.tolist()]
        for field in encode_packed(rows, protocol, np.arange(6), declared=True).fields
    }
    parts = ["part 1", "part 2", "part 3", "silence", "part 5, which there is not"]
    assert fields["the part of the mixture"] == parts
    assert fields["byte 2 of the report"] == [f"0x1f in {part}" for part in parts]
