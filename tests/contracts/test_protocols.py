"""The contract that every protocol keeps, checked against reports enumerated from the protocols' definitions."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest

from oracles.brute_force import Number, abstract_channel, as_decimal
from oracles.cases import Case, all_cases
from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import expand
from qifldp.channels.profile_expansion import expand_profile
from qifldp.errors import InexactError
from qifldp.protocols.specs import PROTOCOLS, parse_spec, protocol_from_json

CASES = all_cases()

REPORTED = 1e-12
"""Relative accuracy that the package promises for domains of up to a thousand values."""

ROWS = 1e-15
"""A row of up to 4,000 doubles that was divided by its sum: the pairwise sum is off by a few roundings."""

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def check_same_abstract_channel(channel: Channel, expected: dict[tuple[Number, ...], Number]) -> None:
    """Assert that the reduced channel has the expected posteriors with the expected masses, one column each."""
    matrix = channel.reduced().matrix
    masses = matrix.sum(axis=0) / channel.domain_size
    posteriors = (matrix / matrix.sum(axis=0)).T
    assert matrix.shape[1] == len(expected)
    if channel.is_exact:
        found = {tuple(posterior): mass for posterior, mass in zip(posteriors, masses, strict=True)}
        assert found == expected
        return
    wanted = np.array([[float(entry) for entry in posterior] for posterior in expected])
    for posterior, mass in zip(posteriors, masses, strict=True):
        near = np.flatnonzero((abs(wanted - posterior) <= REPORTED * wanted).all(axis=1))
        assert near.size == 1
        assert mass == pytest.approx(float(list(expected.values())[near[0]]), rel=REPORTED, abs=0)


def test_every_listed_protocol_is_in_the_table() -> None:
    assert {case.name for case in CASES} == set(PROTOCOLS)
    for name, kind in PROTOCOLS.items():
        domains = {case.domain_size for case in CASES if case.name == name and type(case.protocol) is kind}
        assert {2, 3, 4} <= domains


@every_case
def test_rows_of_the_explicit_channel_sum_to_one(case: Case) -> None:
    channel = case.protocol.channel()
    assert channel.domain_size == case.domain_size
    assert channel.is_exact == case.is_rational == case.protocol.is_exact
    assert len(set(channel.outputs)) == len(channel.outputs)
    for row in channel.matrix:
        assert min(row) > 0
        if case.is_rational:
            assert sum(row) == 1
        else:
            assert math.fsum(row) == pytest.approx(1, abs=ROWS)


@every_case
def test_explicit_channel_is_the_enumerated_one(case: Case) -> None:
    check_same_abstract_channel(case.protocol.channel(), abstract_channel(case.matrix))


@every_case
def test_profile_expands_to_the_enumerated_channel(case: Case) -> None:
    check_same_abstract_channel(expand_profile(case.protocol.profile), abstract_channel(case.matrix))


@every_case
def test_exact_profile_expands_to_the_enumerated_channel_exactly(case: Case) -> None:
    if not case.is_rational:
        with pytest.raises(InexactError):
            case.protocol.exact_profile()
        return
    exact = case.protocol.exact_profile()
    assert exact.ratio == case.ratio
    assert sum(mass for _, mass in exact.mass) == 1
    check_same_abstract_channel(expand(exact), abstract_channel(case.matrix))


@every_case
def test_whole_report_stays_within_the_claimed_budget(case: Case) -> None:
    tight = float(as_decimal(case.ratio).ln())
    assert case.protocol.tight_epsilon == pytest.approx(tight, rel=REPORTED)
    if case.claimed is None:
        assert case.protocol.epsilon == pytest.approx(tight, rel=REPORTED)
        return
    claimed = as_decimal(case.claimed)
    assert case.protocol.epsilon == pytest.approx(float(claimed.ln()), rel=REPORTED)
    if case.name == "the":
        assert as_decimal(case.ratio) < claimed
    else:
        assert abs(as_decimal(case.ratio) / claimed - 1) < Fraction(1, 10**50)


@every_case
def test_estimator_is_unbiased_and_has_the_enumerated_variance(case: Case) -> None:
    """f̂_v = (1[v supported] − q)/(p − q) from one report: its mean is 1 at x = v, else 0."""
    p, _, q, _ = (float(chance) for chance in case.protocol.chances)
    support = {
        (v, x): sum(column[x] for members, column in case.table.items() if v in members)
        for v in range(case.domain_size)
        for x in range(case.domain_size)
    }
    for (v, x), chance in support.items():
        assert float(chance) == pytest.approx(p if v == x else q, rel=REPORTED, abs=0)
    gap = support[0, 0] - support[0, 1]
    variances = {x: support[0, x] * (1 - support[0, x]) / gap**2 for x in (0, 1)}
    for frequency, n in ((0.0, 1), (0.25, 1000), (1.0, 7)):
        share = type(gap)(frequency)
        expected = (share * variances[0] + (1 - share) * variances[1]) / n
        assert case.protocol.variance(frequency, n) == pytest.approx(float(expected), rel=REPORTED, abs=0)


@every_case
def test_description_is_a_value_and_survives_json_and_spec(case: Case) -> None:
    protocol, again = case.protocol, case.make()
    assert protocol == again
    assert hash(protocol) == hash(again)
    assert protocol_from_json(json.loads(json.dumps(protocol.to_json()))) == protocol
    rebuilt = parse_spec(protocol.spec).build(case.domain_size)
    assert rebuilt == protocol
    assert type(rebuilt) is type(protocol)
    assert rebuilt.spec == protocol.spec
    with pytest.raises(FrozenInstanceError):
        protocol.domain_size = 7  # type: ignore[misc]
    assert protocol.report_bytes is not None
    assert protocol.report_bytes >= 1


def test_cases_of_one_title_are_one_case() -> None:
    titles = [case.title for case in CASES]
    assert len(set(titles)) == len(titles)
    settings = {json.dumps(case.protocol.to_json()) for case in CASES}
    omega_by_default = sum(case.name == "ss" and "omega" not in case.title for case in CASES)
    theta_by_default = sum(case.name == "the" and "theta" not in case.title for case in CASES)
    assert len(settings) >= len(CASES) - omega_by_default - theta_by_default
