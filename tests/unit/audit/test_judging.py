"""What is claimed is paid for, and claimed of what was looked at: errors, power, domains, rounds, forms of reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from qifldp.adversaries import gain as gains
from qifldp.audit.auditing import audit_client
from qifldp.audit.bounds import proportion_high, proportion_low
from qifldp.audit.checks import Fit
from qifldp.audit.claims import Evidence, Question, strength
from qifldp.audit.columns import HOLDS, Columns, Field, Statistic
from qifldp.audit.events import having
from qifldp.audit.fit import fit
from qifldp.audit.packed import encode_packed
from qifldp.audit.posterior import success
from qifldp.audit.powers import bound_power, fit_power, report_power, scaled
from qifldp.audit.result import Audit, Server
from qifldp.audit.samples import Domain, Samples
from qifldp.audit.search import MOST_CODES, THRESHOLDS, compare_values, find_whole, searched, steps_of
from qifldp.audit.sources import CallableSource
from qifldp.audit.splitting import split
from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.protocols.local_hashing import OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE

ERROR = 0.01
"""Of all claims together, at the confidence that is the default."""

SOUND = Server(
    runs=20, bias=(0.0,), bias_low=(0.0,), bias_high=(0.0,), biased=(), coverage=None, coverage_high=None, uncovered=(),
    nominal=None, confidence=0.996,
)  # fmt: skip


def audited(reports: object, k: int, places: object, protocol: Protocol | None = None, **options: Any) -> Audit:
    samples = Samples(Domain.read(k), np.asarray(places), reports)  # type: ignore[arg-type]
    claim: dict[str, Any] = {"epsilon": 1} if protocol is None else {"protocol": protocol}
    return audit_client(samples, classifier=False, **claim, **options)


def each(client: Callable[[int, np.random.Generator], object], k: int, n: int, **options: Any) -> Audit:
    """Audit a client, with ε = 1 claimed."""
    return audit_client(client, domain=k, epsilon=1, samples=n, classifier=False, **options)


SHARES = [
    ({"epsilon": 1}, None, ERROR),
    ({"protocol": GRR(6, 1)}, None, ERROR / 2),  # the other half is for its law
    ({"epsilon": 1}, SOUND, 0.006),  # what the server's audit has left
    ({"protocol": GRR(6, 1)}, SOUND, 0.003),
]


@pytest.mark.parametrize(("claim", "server", "error"), SHARES)
def test_the_error_is_shared_by_claims_events_and_both_bounds(
    claim: dict[str, Any], server: Server | None, error: float
) -> None:
    found = audit_client(GRR(6, 1), domain=6, samples=4000, classifier=False, server=server, **claim).findings
    assert len(found) == 2
    for finding in found:
        tally = finding.tally
        assert finding.low == pytest.approx(float(proportion_low(tally.hits, tally.trials, error / 2 / 2)), rel=1e-9)
        high = proportion_high(tally.other_hits, tally.other_trials, error / 2 / 2)
        assert finding.high == pytest.approx(float(high), rel=1e-9)


def test_families_of_a_law_share_its_error() -> None:
    protocol, places, watched = GRR(6, 1), np.arange(600) % 6, np.arange(6)
    columns = encode_packed(
        protocol.perturb(places, rng=np.random.default_rng(4)).rows, protocol, watched, declared=True
    )
    others = [Fit("close", 1, ERROR / 5, "", fits=True), Fit("beyond", 1, ERROR / 50, "", fits=True)]
    found = fit(columns, protocol.mechanism, places, tuple("012345"), ERROR, others)
    assert 5 < len(found) < 50
    assert [family.fits for family in found[-2:]] == [True, False]
    assert all(family.fits == (family.p_value > ERROR / len(found)) for family in found)


def test_a_server_has_to_leave_some_error_to_the_client() -> None:
    with pytest.raises(InputError) as refused:
        audit_client(GRR(6, 1), domain=6, epsilon=1, confidence=0.996, server=SOUND)
    assert str(refused.value) == "The server must have been audited with a confidence above 0.996."


def test_bounds_after_more_and_more_rounds_hold_together() -> None:
    found = each(lambda value, rng: int(rng.integers(3)), 3, 800, rounds=10)
    assert [line.rounds for line in found.by_rounds] == [1, 2, 5, 10]
    for line in found.by_rounds:
        right = round(line.asr.value * 400)
        assert line.asr.low == pytest.approx(float(proportion_low(right, 400, ERROR / 8 / 2)), rel=1e-9)
        assert line.asr.high == pytest.approx(float(proportion_high(right, 400, ERROR / 8 / 2)), rel=1e-9)
    found = each(lambda value, rng: value, 2, 800, rounds=10)  # one report tells as much as ten
    bound = next(finding.tally.bound(ERROR / 8)[2] for finding in found.findings if " in turn " in finding.words)
    assert [line.epsilon for line in found.by_rounds] == pytest.approx([bound] * 4, rel=1e-9)


class Shift:
    """Two reports that are uniform each, and tell the value together."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._start, self._second = int(rng.integers(5)), False

    def report(self, value: int) -> str:
        shift = value + 1 if self._second else 0
        self._second = True
        return "abcde"[(self._start + shift) % 5]


def test_all_reports_of_a_user_are_looked_at_as_one() -> None:
    found = audit_client(
        CallableSource(Shift, factory=True), domain=4, epsilon=1, samples=4000, rounds=2, classifier=False
    )
    assert found.verdict == "violates"
    assert found.event is not None
    assert found.event.startswith("what the user reports in turn is '")
    assert ", then '" in found.event
    assert [line.epsilon > 1 for line in found.by_rounds] == [False, True]
    assert found.leakage.asr.value == found.by_rounds[1].asr.value == 1


def test_power_is_claimed_for_the_users_that_are_looked_at() -> None:
    """Of 1,000 values 64 are; the users of the others are no evidence."""
    declared = GRR(1000, 3)
    places = np.random.default_rng(1).integers(1000, size=1500)
    found = audited([*declared.perturb(places, rng=np.random.default_rng(2))], 1000, places, declared)
    seen = np.sort(np.bincount(places, minlength=1000))[::-1][:64].sum()
    actual = scaled(declared)
    assert actual is not None
    by_law = fit_power(declared, actual, int(seen), ERROR / 2 / len(found.fits))
    by_bound = bound_power(actual, int(seen) // 2, epsilon=3, error=ERROR / 2)
    assert by_law == pytest.approx(found.power, rel=1e-9)
    assert by_bound <= found.power < 0.95
    assert fit_power(declared, actual, 1500, ERROR / 2 / len(found.fits)) > 0.95  # as if all were


def test_power_is_that_of_the_value_with_the_fewest_users() -> None:
    rng = np.random.default_rng(1)
    own = np.repeat([0, 1, 2], [2000, 1000, 200])
    first, second = split(own, rng)
    codes = rng.integers(4, size=len(own))
    columns = Columns([], [], Field("the whole report", codes, tuple("abcd")))
    question = Question(None, 1.0, 0.99, 0)
    findings = audit_client(GRR(3, 1), domain=3, epsilon=1, samples=400, classifier=False).findings
    evidence = Evidence(0.0, findings, 5, 40, [], columns, first, second, 3, 3)
    times, trials = np.bincount(codes[first.rows]), [int((half.own == 2).sum()) for half in (first, second)]
    of_values = np.array([2000, 1000, 200]) / 3200
    for factor in (1.0, 8.0):
        n, m = (int(count * factor) for count in trials)
        least = times.min() / times.sum()
        expected = report_power(least, of_values, (n, m), compared=40, epsilon=1, error=ERROR / 5)
        assert strength(question, evidence)(factor) == pytest.approx(expected, rel=1e-12)
    assert 0 < strength(question, evidence)(8.0) < 1
    nothing = Evidence(0.0, findings, 3, 0, [], columns, first, second, 3, 3)
    assert strength(question, nothing)(1e6) == 0  # nothing to compare
    unseen = Evidence(0.0, findings, 3, 40, [], columns, first, second, 4, 4)
    assert strength(question, unseen)(1e6) == 0  # a fourth value has no users


def test_reports_are_looked_at_if_they_are_seen_often_enough() -> None:
    assert len(searched(np.full(5000, 9))) == MOST_CODES
    assert searched(np.array([3, 9, 8, 12])).tolist() == [12, 9, 8]


def test_of_more_reports_than_can_be_looked_at_the_most_frequent_are() -> None:
    codes = np.concatenate([np.repeat(np.arange(MOST_CODES + 500), 20), np.full(400, MOST_CODES + 200)])
    own = np.arange(len(codes)) % 2
    own[-400:] = 1
    first, _ = split(own, np.random.default_rng(1))
    columns = Columns([], [], Field("the whole report", codes, tuple(map(str, range(MOST_CODES + 500)))))
    found = find_whole(columns, first, ("a", "b"), ERROR)
    assert found is not None
    assert (found.event.words, found.event.first) == (f"the whole report is {MOST_CODES + 200}", "the value b")


def test_a_rare_leak_is_chosen_beside_a_frequent_event_that_keeps_the_claim() -> None:
    """Of two values: 0 and 1 are e times as likely under one as under the other, 2 is 4.7 times; 3 is sent alike."""
    counts = {0: (27_182, 10_000), 1: (10_000, 27_182), 2: (210, 45), 3: (2608, 2773)}
    codes = np.concatenate([np.full(count, code) for code, pair in counts.items() for count in pair])
    own = np.concatenate([np.full(count, value) for pair in counts.values() for value, count in enumerate(pair)])
    first, _ = split(np.concatenate([own, own]), np.random.default_rng(1))
    columns = Columns([], [], Field("the whole report", np.concatenate([codes, codes]), tuple("0123")))
    found = compare_values(columns, first, ("a", "b"), ERROR, 1.0)
    assert found.best is not None
    assert found.best.event.words in ("the whole report is 0", "the whole report is 1")
    assert found.clearest is not None
    assert (found.clearest.words, found.clearest.first) == ("the whole report is 2", "the value a")
    assert found.comparisons == 4 * 2 * 2  # reports, values; and that it is not the report
    assert compare_values(columns, first, ("a", "b"), ERROR, 3.0).clearest is None


def test_what_tells_two_values_apart_together_can_exceed_the_claim_most_clearly() -> None:
    """Holding one of two values and not the other: 30 % against 5 %; no single one is e times as likely."""
    shares = [{(1, 0): 30, (1, 1): 60, (0, 0): 10}, {(1, 0): 5, (1, 1): 70, (0, 0): 25}]
    levels = np.array([held for of_value in shares for held, count in of_value.items() for _ in range(20 * count)])
    first, _ = split(np.repeat([0, 1], 2000), np.random.default_rng(1))
    found = compare_values(Columns([Statistic(HOLDS, levels.astype(np.uint8))], []), first, ("a", "b"), ERROR, 1.0)
    assert found.clearest is not None
    assert (found.clearest.words, found.clearest.second) == ("the report holds a and not b", "the value b")
    assert found.comparisons == 3 * 2 * 2  # one value, or not, and two: under each of two values


def test_two_events_of_the_same_values_are_two() -> None:
    columns = Columns([], [], Field("the whole report", np.arange(3), ("same", "same", "other")))
    made = [
        having(columns, 0, code, (0, 1), ("a", "b"), at_least=False, negated=negated)
        for code, negated in ((0, False), (1, False), (0, True), (0, False))
    ]
    assert made[0] == made[3]
    assert len(set(made)) == 3


def test_ties_are_broken_at_random() -> None:
    posterior, rng = np.full((20_000, 4), 0.25), np.random.default_rng(1)
    own = rng.integers(4, size=20_000)
    for tries in (1, 2, 3, 4):
        found = success(posterior, own, ERROR, rng, tries=tries)
        assert found.low <= tries / 4 <= found.high
    posterior[np.arange(20_000), own] = 0.3
    assert success(posterior, own, ERROR, rng).value == 1


def test_of_large_domains_gains_are_those_of_all_values() -> None:
    told = each(lambda value, rng: value, 100, 2000, gain=gains.guesses(3))
    assert told.leakage.asr.value == told.leakage.asr.high == pytest.approx(0.64)
    assert told.leakage.gain is not None
    assert told.leakage.gain.value == pytest.approx(0.64)
    assert 0.01 <= told.leakage.prior_vulnerability < 0.02
    assert told.leakage.shannon.value <= 0.64 * np.log2(64)
    silent = each(lambda value, rng: 0, 200, 4000, gain=gains.guesses(32))
    assert silent.leakage.gain is not None
    assert silent.leakage.gain.low <= 32 / 200 <= silent.leakage.gain.high
    assert silent.leakage.shannon.low == 0
    assert silent.reason.startswith("No violation was found on 64 of 200 values, but ")


def test_gains_of_tables_count_the_users_of_values_that_are_not_looked_at() -> None:
    places = np.concatenate([np.repeat(np.arange(64), 20), np.arange(64, 384)])
    found = audited(places.tolist(), 400, places)
    assert found.leakage.asr.value == pytest.approx(1280 / 1600)
    assert "Of 400 values 64 were looked at. " in found.notes[0]


PARTLY = "A gain function other than guesses is measured on all values of a domain: 100 are more than the 64 that are "

GAINS = [
    (gains.distance(), 100, PARTLY + "looked at."),
    (gains.membership([70, 80]), 100, PARTLY + "looked at."),
    (gains.from_matrix(np.eye(64).tolist()), 100,
     "The gain matrix must have one column for each of the 100 secrets, got 64."),
    (gains.membership([9]), 5, "sensitive set must be of values 0 to 4, got 9."),
]  # fmt: skip


@pytest.mark.parametrize(("gain", "k", "sentence"), GAINS)
def test_gains_that_cannot_be_measured_are_refused_before_anything_is_drawn(
    gain: gains.Gain, k: int, sentence: str
) -> None:
    def never(value: int) -> int:
        raise AssertionError("asked")

    with pytest.raises(InputError) as refused:
        audit_client(never, domain=k, epsilon=1, gain=gain)
    assert str(refused.value) == sentence


def bits(value: int, rng: np.random.Generator) -> list[Any]:
    found: list[Any] = (rng.random(16) < 1 / (np.e + 1)).astype(int).tolist()
    found[value] = int(rng.random() < 0.5)
    return found


def typed(value: int, rng: np.random.Generator) -> list[Any]:
    found = bits(value, rng)
    return [bool(bit) if bit and place == value else bit for place, bit in enumerate(found)]


def signed(value: int, rng: np.random.Generator) -> list[Any]:
    return [-0.0 if not bit and place == value else float(bit) for place, bit in enumerate(bits(value, rng))]


def members(value: int, rng: np.random.Generator) -> list[int]:
    others = rng.permutation([x for x in range(16) if x != value]).tolist()
    kept = rng.random() < 4 * np.e / (4 * np.e + 12)
    found: list[int] = rng.permutation([value, *others[:3]] if kept else others[:4]).tolist()
    return found


def numpy_typed(value: int, rng: np.random.Generator) -> list[Any]:
    return [np.int64(x) if x == value else x for x in members(value, rng)]


def separated(value: int, rng: np.random.Generator) -> str:
    found = members(value, rng)
    return "".join(f"{x}{';' if x == value else ','}" for x in found[:-1]) + str(found[-1])


@pytest.mark.parametrize("client", [typed, signed, numpy_typed, separated])
def test_how_an_element_is_written_is_part_of_the_report(client: Callable[..., object]) -> None:
    found = each(client, 16, 4000)
    assert (found.verdict, found.claim) == ("violates", "epsilon")
    assert found.epsilon_lower_bound > 3


def test_how_elements_are_written_is_counted_over_rounds() -> None:
    """Each report alone says little: of its own bit one in ten is of another type."""

    def seldom(value: int, rng: np.random.Generator) -> list[Any]:
        return [bool(bit) if place == value and rng.random() < 0.1 else bit for place, bit in enumerate([0] * 16)]

    found = each(seldom, 16, 300, rounds=20)
    assert found.verdict == "violates"
    assert found.event is not None
    assert "of 20 rounds has something else than int at the place of x" in found.event


@pytest.mark.parametrize("client", [bits, members])
def test_elements_that_are_written_alike_are_not_accused(client: Callable[..., object]) -> None:
    assert each(client, 16, 4000).verdict == "inconclusive"


def test_bits_in_several_forms() -> None:
    protocol, places = OUE(6, 1), np.arange(12_000) % 6
    rows = protocol.perturb(places, rng=np.random.default_rng(1)).supports.tolist()
    forms: list[Callable[[list[bool]], object]] = [list, lambda row: ["01"[bit] for bit in row]]
    found = audited([forms[place // 6 % 2](row) for place, row in enumerate(rows)], 6, places, protocol)
    assert (found.verdict, found.claim) == ("consistent", "distribution")


def test_values_with_spaces_are_values() -> None:
    names, places = ["New York", "Rio, Brazil", "Paris"], np.arange(6000) % 3
    answers = GRR(3, 1).perturb(places, rng=np.random.default_rng(1)).supports.argmax(axis=1)
    samples = Samples(Domain.read(names), places, [names[answer] for answer in answers])
    assert audit_client(samples, protocol=GRR(3, 1), classifier=False).verdict == "consistent"


@pytest.mark.parametrize("protocol", [OLH(16, 1), OUE(16, 1)], ids=lambda protocol: protocol.name)
def test_packed_reports_of_another_length_cannot_be_and_their_length_tells(protocol: Protocol) -> None:
    rng = np.random.default_rng(1)
    places = rng.integers(16, size=10_000)
    longer = (places == 3) & (rng.random(10_000) < 0.5)
    reports = [row + b"\0" * bool(odd) for row, odd in zip(protocol.perturb(places, rng=rng), longer, strict=True)]
    found = audited(reports, 16, places, protocol)
    possible = next(family for family in found.fits if family.name == "possible reports")
    assert possible.worst == f"{longer.sum():,} not {protocol.mechanism.width} bytes"
    assert all(family.fits for family in found.fits if "seeds" in family.name)  # the others' seeds are what they were
    assert found.findings[0].first == "the value 3"
    assert (found.findings[0].epsilon or 0) > 2


@pytest.mark.parametrize("seen", [[0, 1], [0, 15]])
def test_nothing_is_said_of_values_without_samples(seen: list[int]) -> None:
    places = np.resize(seen, 20_000)
    reports = [*GRR(16, 1).perturb(places, rng=np.random.default_rng(1))]
    found = audited(reports, 16, places)
    assert found.verdict == "inconclusive"
    assert found.reason.startswith("No violation was found on 2 of 16 values, but ")
    assert "Of 16 values 14 have no samples: nothing is said of them." in found.notes
    declared = audited(reports, 16, places, GRR(16, 1))
    assert declared.reason.startswith("No violation was found on 2 of 16 values; ")


def test_one_value_tells_nothing() -> None:
    found = audited([2] * 200, 4, np.ones(200, int))
    assert "All samples have one value: what tells values apart cannot be seen." in found.notes
    assert found.leakage.shannon.value == 0
    assert found.findings[0].unseen is None


def test_users_of_which_some_values_have_none() -> None:
    rng = np.random.default_rng(1)
    samples = Samples(Domain.read(4), rng.integers(3, size=400), rng.integers(4, size=800).tolist(), 2)
    assert len(audit_client(samples, epsilon=1, classifier=False).by_rounds) == 2


def test_many_rounds_of_large_domains_are_few_levels() -> None:
    steps = steps_of(np.arange(256).astype(np.uint8))
    assert len(steps) == THRESHOLDS - 1
    assert steps[-1] == 255
    assert steps_of(np.array([0, 3, 3, 7], np.uint8)) == [3, 7]


def test_values_of_the_domain_are_not_outside() -> None:
    with pytest.raises(InputError) as refused:
        audit_client(lambda value: value, domain=16, epsilon=1, outside=[99, 3])
    assert str(refused.value) == "The value 3 is in the domain: a client need not refuse it."


def raising(report: object, value: object) -> bool:
    raise SystemExit(0)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"epsilon": 1, "supports": 3}, "supports must be a function of (report, value), got 3."),
    ({"epsilon": 1, "supports": raising},
     "The function that says which values a report supports failed: SystemExit: '0'."),
    ({"epsilon": 1, "supports": lambda report, value: np.ones(2)},
     "The function that says which values a report supports failed: ValueError: 'The truth value of an array with "),
    ({"epsilon": 1, "confidence": "0.99"}, "confidence must be a number between 0 and 1, got '0.99'."),
    ({"epsilon": 1, "confidence": True}, "confidence must be a number between 0 and 1, got True."),
    ({"epsilon": 1, "server": "x"}, "server must be the audit of a server, as audit_server returns it, got 'x'."),
    ({"protocol": Channel([[1, 0], [0, 1]])}, "protocol must be one of this package's protocols, got "),
]  # fmt: skip


@pytest.mark.parametrize(("options", "beginning"), BAD)
def test_what_is_wrong_is_said(options: dict[str, Any], beginning: str) -> None:
    with pytest.raises(InputError) as refused:
        audit_client(lambda value: value, domain=4, samples=200, classifier=False, **options)
    assert str(refused.value).startswith(beginning)


def test_reports_that_cannot_be_compared_are_refused() -> None:
    class Odd:
        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            raise ValueError("never")

    with pytest.raises(InputError) as refused:
        audited([Odd() for _ in range(200)], 4, np.arange(200) % 4)
    assert str(refused.value) == "The reports cannot be compared: ValueError: 'never'."


def test_too_few_users() -> None:
    with pytest.raises(InputError) as refused:
        audited([0], 4, [0])
    assert str(refused.value) == "An audit needs at least 100 users, got 1."
    with pytest.raises(InputError) as refused:
        audited([0] * 300, 300, np.arange(300))
    assert str(refused.value) == "An audit needs at least 100 users of the 64 most frequent values, got 64."


@pytest.mark.parametrize("counts", [(1_000, 0), (50_000, 2)])
def test_no_value_is_compared_with_itself(counts: tuple[int, int]) -> None:
    places = np.repeat([0, 1], counts)
    reports = np.where(np.random.default_rng(1).random(len(places)) < 0.7, places, 1 - places)
    found = audit_client(Samples(Domain.read(2), places, reports.tolist()), epsilon=1, classifier=False)
    assert found.verdict == "inconclusive"
    assert all(finding.first != finding.second for finding in found.findings)
