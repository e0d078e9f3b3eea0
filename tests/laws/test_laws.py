"""Laws of information leakage, on random rational channels, priors and adversaries."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from qifldp.adversaries import gain as gains
from qifldp.adversaries.gain import Gain
from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.channels.composition import hidden_choice, kronecker, visible_choice
from qifldp.exact.budget import Budget
from qifldp.leakage.capacity import bayes_capacity, max_case_capacity, min_entropy_capacity, tight_epsilon
from qifldp.leakage.information import blahut_arimoto, mutual_information, shannon_capacity, sibson_information
from qifldp.leakage.source import Real
from qifldp.leakage.tradeoff import TradeOff, pairwise_advantage, trade_off
from qifldp.leakage.vulnerability import (
    additive_leakage,
    asr,
    guessing_entropy,
    max_case_leakage,
    max_case_posterior_vulnerability,
    multiplicative_leakage,
    posterior_vulnerability,
    worst_output_vulnerability,
)
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import SEVEN, parse_spec

ROUNDED = 1e-12
"""Absolute, in bits or probability: both sides of an inequality in doubles may be equal in truth."""

ORDERS = (0.3, 0.9999, 1, 1.5, 2, 30, math.inf)

GAP = 1e-6
"""Bits between the bounds of a Shannon capacity: enough to compare, and quick."""

SECRETS = 3
laws = settings(max_examples=120, deadline=None, derandomize=True)
few = settings(max_examples=40, deadline=None, derandomize=True)


def distributions(size: int) -> st.SearchStrategy[list[Fraction]]:
    counts = st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any)
    return counts.map(lambda row: [Fraction(entry, sum(row)) for entry in row])


@st.composite
def channels(draw: st.DrawFn, rows: int = SECRETS, most: int = 4) -> Channel:
    columns = draw(st.integers(1, most))
    return Channel(draw(st.lists(distributions(columns), min_size=rows, max_size=rows)))


priors = distributions(SECRETS).map(Prior)

tables = st.integers(1, 3).flatmap(
    lambda actions: st.lists(
        st.lists(st.integers(0, 4), min_size=SECRETS, max_size=SECRETS), min_size=actions, max_size=actions
    )
)
adversaries: st.SearchStrategy[Gain] = st.one_of(
    st.sampled_from([gains.bayes(), gains.guesses(2), gains.membership([1]), gains.distance()]),
    tables.map(gains.from_matrix),
)

protocols: st.SearchStrategy[Protocol] = st.builds(
    lambda name, k, epsilon: parse_spec(name).build(k, Budget.read(epsilon)),
    st.sampled_from(SEVEN),
    st.integers(2, 40),
    st.sampled_from(["1e-9", "0.01", "0.5", "ln(3)", "2", "7", "50", "700"]),
)


@st.composite
def cascades(draw: st.DrawFn) -> tuple[Channel, Channel]:
    """Return a channel, and the channel followed by another."""
    first = draw(channels())
    return first, first @ draw(channels(rows=len(first.outputs)))


@laws
@given(cascades(), priors, adversaries)
def test_data_processing(pair: tuple[Channel, Channel], prior: Prior, gain: Gain) -> None:
    before, after = pair
    assert bayes_capacity(after) <= bayes_capacity(before)
    assert max_case_capacity(after) <= max_case_capacity(before)
    assert tight_epsilon(after) <= tight_epsilon(before)
    assert pairwise_advantage(after) <= pairwise_advantage(before)
    assert asr(after, prior) <= asr(before, prior)
    assert guessing_entropy(after, prior) >= guessing_entropy(before, prior)
    assert posterior_vulnerability(after, prior, gain) <= posterior_vulnerability(before, prior, gain)
    assert worst_output_vulnerability(after, prior, gain) <= worst_output_vulnerability(before, prior, gain)
    worst = max_case_posterior_vulnerability(before, prior, gain)
    assert max_case_posterior_vulnerability(after, prior, gain) <= worst
    for order in ORDERS:
        assert sibson_information(after, order, prior) <= sibson_information(before, order, prior) + ROUNDED
    whole, garbled = trade_off(before), trade_off(after)
    for alpha in (0.0, 0.1, 0.5, 0.8):
        assert garbled.type_two_error(alpha) >= whole.type_two_error(alpha) - ROUNDED
    for epsilon in (0.0, 0.5, 2.0):
        assert garbled.delta(epsilon) <= float(whole.delta(epsilon)) + ROUNDED


@few
@given(cascades())
def test_data_processing_of_shannon_capacity(pair: tuple[Channel, Channel]) -> None:
    before, after = (blahut_arimoto(channel, GAP) for channel in pair)
    assert after.lower <= before.upper + ROUNDED


@laws
@given(channels(), channels(), priors, adversaries)
def test_two_reports_leak_at_least_as_much_as_one(one: Channel, two: Channel, prior: Prior, gain: Gain) -> None:
    both = one.parallel(two)
    for single in (one, two):
        assert bayes_capacity(both) >= bayes_capacity(single)
        assert posterior_vulnerability(both, prior, gain) >= posterior_vulnerability(single, prior, gain)
        assert pairwise_advantage(both) >= pairwise_advantage(single)
        assert mutual_information(both, prior) >= mutual_information(single, prior) - ROUNDED
    assert bayes_capacity(both) <= bayes_capacity(one) * bayes_capacity(two)
    assert tight_epsilon(both) <= tight_epsilon(one) + tight_epsilon(two) + ROUNDED


@laws
@given(channels(), priors, adversaries)
def test_leakage_is_between_none_and_capacity(channel: Channel, prior: Prior, gain: Gain) -> None:
    assert additive_leakage(channel, prior, gain) >= 0
    assert 1 <= bayes_capacity(channel) <= min(SECRETS, max_case_capacity(channel))
    assert asr(channel) == bayes_capacity(channel) / SECRETS
    try:
        leakage = multiplicative_leakage(channel, prior, gain)
    except ValueError:
        assert float(gain.best(prior.probabilities[None, :])[0]) == 0
        return
    assert 1 <= leakage <= bayes_capacity(channel)
    assert 1 <= max_case_leakage(channel, prior, gain) <= max_case_capacity(channel)
    even = Prior.uniform(SECRETS, exact=True)
    assert multiplicative_leakage(channel, even) == bayes_capacity(channel)


@laws
@given(channels(), priors)
def test_information_grows_with_its_order_up_to_min_entropy(channel: Channel, prior: Prior) -> None:
    values = [sibson_information(channel, order, prior) for order in ORDERS]
    assert values[0] >= -ROUNDED
    assert all(low <= high + ROUNDED for low, high in pairwise(values))
    assert values[-1] <= min_entropy_capacity(channel) + ROUNDED


@few
@given(channels(), priors)
def test_shannon_capacity_is_above_any_prior_and_below_min_entropy(channel: Channel, prior: Prior) -> None:
    capacity = blahut_arimoto(channel, GAP)
    assert mutual_information(channel, prior) <= capacity.upper + ROUNDED
    assert capacity.lower <= min_entropy_capacity(channel) + ROUNDED
    assert capacity.lower <= math.log2(min(SECRETS, len(channel.outputs))) + ROUNDED


@laws
@given(channels(), channels(), st.fractions(0, 1, max_denominator=9), priors, adversaries)
def test_choices(one: Channel, two: Channel, chance: Fraction, prior: Prior, gain: Gain) -> None:
    seen, unseen = visible_choice(chance, one, two), hidden_choice(chance, one, two)

    def mixed(first: Real, second: Real) -> Real:
        return chance * first + (1 - chance) * second

    expected = mixed(posterior_vulnerability(one, prior, gain), posterior_vulnerability(two, prior, gain))
    assert isinstance(expected, Fraction)
    assert posterior_vulnerability(seen, prior, gain) == expected
    assert bayes_capacity(seen) == mixed(bayes_capacity(one), bayes_capacity(two))
    assert guessing_entropy(seen, prior) == mixed(guessing_entropy(one, prior), guessing_entropy(two, prior))
    assert bayes_capacity(unseen) <= bayes_capacity(seen)
    assert posterior_vulnerability(unseen, prior, gain) <= expected


@laws
@given(channels(rows=2), channels(rows=3))
def test_independent_secrets(one: Channel, two: Channel) -> None:
    both = kronecker(one, two)
    assert bayes_capacity(both) == bayes_capacity(one) * bayes_capacity(two)
    assert max_case_capacity(both) == max_case_capacity(one) * max_case_capacity(two)
    for order in ORDERS:
        total = sibson_information(one, order) + sibson_information(two, order)
        assert abs(sibson_information(both, order) - total) <= ROUNDED


def check_curve(curve: TradeOff) -> None:
    """Assert that the curve falls from one to zero, and is convex."""
    alpha, beta = (errors.astype(np.float64) for errors in (curve.alpha, curve.beta))
    assert alpha[0] == beta[-1] == 0
    assert abs(alpha[-1] - 1) <= ROUNDED
    assert abs(beta[0] - 1) <= ROUNDED
    assert (np.diff(alpha) >= 0).all()
    assert (np.diff(beta) <= 0).all()
    levels = np.linspace(0, 1, 33)
    errors = np.array([curve.type_two_error(float(level)) for level in levels])
    assert (errors <= 1 - levels + ROUNDED).all()
    assert (np.diff(errors, 2) >= -ROUNDED).all()


@laws
@given(channels())
def test_trade_off_curves_are_convex(channel: Channel) -> None:
    check_curve(trade_off(channel, 0, 2))
    forth, back = trade_off(channel, 0, 2), trade_off(channel, 2, 0)
    assert forth.total_variation == back.total_variation <= pairwise_advantage(channel)


@laws
@given(protocols)
def test_protocols_keep_the_laws_at_any_size(protocol: Protocol) -> None:
    k = protocol.domain_size
    curve = trade_off(protocol)
    check_curve(curve)
    assert np.abs(curve.alpha - curve.beta[::-1]).max() <= ROUNDED  # symmetric: (α, β) and (β, α)
    assert 1 < bayes_capacity(protocol) <= min(k, max_case_capacity(protocol)) * (1 + ROUNDED)
    assert protocol.tight_epsilon <= protocol.epsilon * (1 + ROUNDED)
    orders = [sibson_information(protocol, order) for order in ORDERS]
    assert orders[0] > 0
    assert all(low <= high * (1 + ROUNDED) for low, high in pairwise(orders))
    assert 0 < shannon_capacity(protocol) <= min_entropy_capacity(protocol) * (1 + ROUNDED)
    guessed = [float(posterior_vulnerability(protocol, None, gains.guesses(tries))) for tries in range(1, k + 1)]
    assert all(fewer <= more + ROUNDED for fewer, more in pairwise(guessed))
    assert abs(guessed[-1] - 1) <= ROUNDED
    assert abs(sum(1 - share for share in guessed) + 1 - float(guessing_entropy(protocol))) <= k * ROUNDED


@laws
@given(protocols, st.floats(0, 4), st.integers(1, 5))
def test_no_prior_leaks_more_than_capacity_from_a_protocol(protocol: Protocol, skew: float, tries: int) -> None:
    prior, gain = Prior.zipf(protocol.domain_size, skew), gains.guesses(tries)
    assert additive_leakage(protocol, prior, gain) >= 0
    leakage = multiplicative_leakage(protocol, prior, gain)
    assert 1 <= leakage <= bayes_capacity(protocol) * (1 + ROUNDED)
