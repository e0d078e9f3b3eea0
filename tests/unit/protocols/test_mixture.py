"""Public mixtures: how their parts are read, what they become at other budgets, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from qifldp.errors import InexactError, InputError, TooLargeError
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS
from qifldp.leakage.blocks import information_per_report
from qifldp.leakage.capacity import bayes_capacity
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec, protocol_from_json
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, SUE

EVERYTHING = "0.1*grr+1/8*ss@2+0.05*ss+0.1*blh+0.1*olh+0.1*lh@3+0.1*sue+0.1*oue"


def test_every_component_is_the_protocol_of_its_name() -> None:
    mix = Mix(5, 1, parts=EVERYTHING)
    expected: list[Protocol] = [
        GRR(5, 1), SS(5, 1, omega=2), SS(5, 1), BLH(5, 1), OLH(5, 1), LH(5, 1, g=3), SUE(5, 1), OUE(5, 1),
    ]  # fmt: skip
    assert [part.protocol for part in mix.parts] == expected
    assert [part.weight for part in mix.parts][:3] == [Fraction(1, 10), Fraction(1, 8), Fraction(1, 20)]
    assert mix.silence == Fraction(9, 40)
    assert sum(mix.weights.values()) == 1 - mix.silence


def test_parts_are_kept_as_they_were_meant_and_written_in_one_way() -> None:
    mix = Mix(5, 1, parts=" .50 * GRR +1/4* Ss@02+ 1e-1*lh@ 4 ")
    assert mix.parameters == {"epsilon": "1", "parts": "0.5*grr+0.25*ss@2+0.1*lh@4"}
    assert mix.spec == "mix:epsilon=1,parts=0.5*grr+0.25*ss@2+0.1*lh@4"
    assert repr(mix) == "MIX(domain_size=5, epsilon='1', parts='0.5*grr+0.25*ss@2+0.1*lh@4')"
    assert Mix(5, 1, parts="1/3*grr").parameters["parts"] == "1/3*grr"
    assert Mix(5, 1, parts="1*grr").silence == 0


@pytest.mark.parametrize(
    "weight", ["1", "1/3", "1e-100", f"{10**99}/{10**100 - 1}", "0.123456789012345678901234567890"]
)
def test_weights_survive_json_and_spec(weight: str) -> None:
    mix = Mix(5, "ln(3)", parts=f"{weight}*ss@2")
    assert mix.parts[0].weight == Fraction(weight)
    assert protocol_from_json(mix.to_json()) == mix
    assert parse_spec(mix.spec).build(5) == mix


def test_order_and_spelling_are_part_of_the_description() -> None:
    """The place of a part is sent, and ``ss`` is the ω of a budget: only one text is one protocol."""
    assert Mix(5, 1, parts="0.5*grr+0.5*oue") != Mix(5, 1, parts="0.5*oue+0.5*grr")
    assert Mix(5, 1, parts="1*ss") != Mix(5, 1, parts="1*ss@1")
    assert Mix(5, 1, parts="1*ss").parameters["parts"] == "1*ss"


def test_another_budget_keeps_the_numbers_of_the_parts() -> None:
    mix = Mix(20, 1, parts="0.25*ss+0.25*olh+0.25*grr+0.25*blh")
    more = mix.at(Budget.read(3))
    assert more.parameters == {"epsilon": "3", "parts": "0.25*ss@5+0.25*lh@4+0.25*grr+0.25*blh"}
    assert more.at(Budget.read(1)).profile.log_mass == pytest.approx(mix.profile.log_mass)
    assert Mix(20, 1, parts="0.5*ss@5+0.5*ss").at(Budget.read(2)).parameters["parts"] == "1*ss@5"


def test_budgets_at_which_rounded_parts_stay_as_they_are() -> None:
    """The shortest of the parts' ranges; parts with a number of their own have no end."""
    ranges = [protocol.default_range for protocol in (SS(20, 1), OLH(20, 1))]
    both = Mix(20, 1, parts="0.5*ss+0.5*olh").default_range
    assert both == (max(start for start, _ in ranges if start), min(end for _, end in ranges if end))
    assert Mix(20, 1, parts="0.5*ss@3+0.5*lh@4").default_range == (None, None)
    assert parse_spec("mix:parts=0.5*ss+0.5*olh").default_range(20, 1) == both
    assert parse_spec("mix:parts=0.5*ss@3+0.5*grr").default_range(20, 1) == (None, None)


@pytest.mark.parametrize("k", [2, 3, 10, 1000])
@pytest.mark.parametrize("epsilon", ["1e-6", "1", "20", "700"])
def test_profile_is_the_exact_one(k: int, epsilon: str) -> None:
    mix = Mix(k, epsilon, parts="0.25*grr+0.125*sue+1e-30*blh+1/3*oue")
    assert mix.tight_epsilon == mix.epsilon == float(epsilon)
    profile = mix.profile
    with ctx.workprec(4000):
        exact = mix.exact_profile(BALLS)
        assert [size for size, _ in exact.mass] == profile.sizes.tolist()
        for (_, mass), log_mass in zip(exact.mass, profile.log_mass.tolist(), strict=True):
            assert float(mass.log().mid()) == pytest.approx(log_mass, rel=1e-12, abs=1e-12)  # as the package promises
        assert abs(sum((mass for _, mass in exact.mass), arb(0)) - 1) < arb(10) ** -1000


def test_leakage_and_information_are_means_over_the_parts() -> None:
    mix, parts = Mix(6, exp_epsilon=4, parts="1/2*ss@2+1/4*sue"), (SS(6, exp_epsilon=4, omega=2), SUE(6, exp_epsilon=4))
    two, one = (bayes_capacity(part.exact_profile()) for part in parts)
    assert bayes_capacity(mix.exact_profile()) == two / 2 + one / 4 + Fraction(1, 4)
    first, second = (information_per_report(part.profile.hyper) for part in parts)
    assert information_per_report(mix.profile.hyper) == pytest.approx(first / 2 + second / 4, rel=1e-12)


def test_plain_variance_counts_the_silent_too() -> None:
    """A report of GRR in half of the cases: p and q are halved."""
    p, _, q, _ = (chance / 2 for chance in GRR(6, exp_epsilon=4).chances)
    mix = Mix(6, exp_epsilon=4, parts="1/2*grr")
    assert mix.chances[::2] == (p, q)
    expected = (p * (1 - p) / 4 + 3 * q * (1 - q) / 4) / (100 * (p - q) ** 2)
    assert mix.variance(0.25, 100) == pytest.approx(float(expected), rel=1e-14)


def test_exactness_is_that_of_all_parts() -> None:
    assert Mix(3, exp_epsilon=4, parts="0.5*grr+0.5*sue").is_exact
    mixed = Mix(3, exp_epsilon=3, parts="0.5*grr+0.5*sue")
    assert not mixed.is_exact
    assert not mixed.channel().is_exact
    with pytest.raises(InexactError, match=r"^e\^\(1/2·ε\) is not rational"):
        mixed.exact_profile()


def test_the_explicit_channel_says_who_reports() -> None:
    channel = Mix(3, exp_epsilon=4, parts="1/2*grr+1/4*ss@2").channel()
    assert channel.outputs == ("0:{0}", "0:{1}", "0:{2}", "1:{0,1}", "1:{0,2}", "1:{1,2}", "silent")
    assert channel.matrix[0].tolist() == [Fraction(n, 72) for n in (24, 6, 6, 8, 8, 2, 18)]


@pytest.mark.parametrize("parts", ["0.5*grr+0.5*oue", "+".join(f"0.05*ss@{size}" for size in range(6, 18))])
def test_channels_that_do_not_fit(parts: str) -> None:
    """A part alone, and all together."""
    with pytest.raises(TooLargeError) as caught:
        Mix(19 if "grr" in parts else 18, 1, parts=parts).channel()
    k = 19 if "grr" in parts else 18
    assert str(caught.value) == f"The channel of MIX over {k} values is too large to write out."


FORM = "written WEIGHT*PROTOCOL, joined by +, such as 0.3*ss@2+0.7*ss@3"
KNOWN = "grr, ss, ss@ω, blh, olh, lh@g, sue and oue"


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ("", f"parts must be {FORM}, got ''."),
        (None, f"parts must be {FORM}, got None."),
        (["0.5*grr"], f"parts must be {FORM}, got ['0.5*grr']."),
        ("grr", f"A part of a mixture must be {FORM}, got 'grr'."),
        ("0.5*grr+", f"A part of a mixture must be {FORM}, got ''."),
        ("0.5*", f"A part of a mixture must be {FORM}, got '0.5*'."),
        ("1e+0*grr", f"A part of a mixture must be {FORM}, got '1e'."),
        ("*grr", "A weight of a mixture must be a finite number such as 0.75 or 3/4, got ''."),
        ("half*grr", "A weight of a mixture must be a finite number such as 0.75 or 3/4, got 'half'."),
        ("nan*grr", "A weight of a mixture must be a finite number such as 0.75 or 3/4, got 'nan'."),
        ("1/0*grr", "A weight of a mixture must be a finite number such as 0.75 or 3/4, got '1/0'."),
        ("0*grr", "A weight of a mixture must be above 0, got '0'."),
        ("-0.5*grr", "A weight of a mixture must be above 0, got '-0.5'."),
        ("1e-101*grr", "A weight of a mixture must be a fraction of numbers of at most 100 digits, got '1e-101'."),
        ("0.6*grr+0.5*oue", "The sum of the weights of a mixture must be at most 1, got '1.1'."),
        ("2*grr", "The sum of the weights of a mixture must be at most 1, got '2'."),
        ("0.5*the", f"THE is no part of a mixture: its likelihood ratio is not e^ε. Parts are {KNOWN}."),
        ("0.5*the@0.7", f"THE is no part of a mixture: its likelihood ratio is not e^ε. Parts are {KNOWN}."),
        ("0.5*UE", f"UE is no part of a mixture: its likelihood ratio is not e^ε. Parts are {KNOWN}."),
        ("0.5*mix", f"There is no part of a mixture called 'mix': parts are {KNOWN}."),
        ("0.5*ss:omega", f"There is no part of a mixture called 'ss:omega': parts are {KNOWN}."),
        ("0.5*0.5*grr", f"There is no part of a mixture called '0.5*grr': parts are {KNOWN}."),
        ("0.5*grr@1", "The part grr of a mixture must be written without @, got 'grr@1'."),
        ("0.5*olh@4", "The part olh of a mixture must be written without @, got 'olh@4'."),
        ("0.5*lh", "The part lh of a mixture needs its number of buckets: write lh@4."),
        ("0.5*ss@4", "omega must be a whole number from 1 to 3, got '4'."),
        ("0.5*ss@", "omega must be a whole number from 1 to 3, got ''."),
        ("0.5*lh@1", "g must be a whole number of at least 2, got '1'."),
        ("0.5*grr+0.1*GRR", "The part grr of a mixture is given twice: add up its weights."),
        ("0.5*ss@2+0.1*ss@02", "The part ss@2 of a mixture is given twice: add up its weights."),
        ("+".join(["0.01*grr"] * 17), "The parts of a mixture must be at most 16, got 17."),
    ],
)
def test_parts_that_are_none(parts: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        Mix(4, 1, parts=parts)
    assert str(caught.value) == sentence
    if isinstance(parts, str) and parts:
        with pytest.raises(InputError) as caught:
            parse_spec(f"mix:epsilon=1,parts={parts}").build(4)
        assert str(caught.value) == sentence


def test_a_spec_needs_parts() -> None:
    with pytest.raises(InputError) as caught:
        parse_spec("mix:epsilon=1")
    assert str(caught.value) == "The protocol mix needs parts: write mix:parts=…."
    with pytest.raises(InputError) as caught:
        parse_spec("mix:parts=1*grr").build(4)
    assert str(caught.value) == "The protocol mix needs a budget: give epsilon."


def test_what_can_be_measured_but_not_run() -> None:
    with pytest.raises(InputError) as caught:
        Mix(4, 1, parts="1e-30*grr+0.5*oue").mechanism  # noqa: B018
    assert str(caught.value) == (
        "This mixture cannot be run: a weight is below 2^-64, the unit in which parts are drawn."
    )
    buckets = Mix(4, 1, parts="0.5*lh@4294967296+0.5*grr")
    assert buckets.report_bytes is None
    with pytest.raises(InputError, match="must be at most 2"):
        buckets.mechanism  # noqa: B018
    assert Mix(4, 1, parts="0.5*grr+0.5*blh").report_bytes == 1 + 17


def test_parts_are_drawn_in_words_that_add_up() -> None:
    """Cumulative weights, rounded down to whole numbers of 2⁻⁶⁴."""
    thirds = Mix(4, 1, parts="1/3*grr+1/3*oue+1/3*sue").mechanism
    assert sum(thirds.chances) == 2**64
    assert thirds.silence == 0
    assert max(thirds.chances) - min(thirds.chances) == 1
    assert thirds.chances[0] == 2**64 // 3
    assert Mix(4, 1, parts="0.5*grr+0.25*oue").mechanism.silence == 2**62
    assert Mix(4, 1, parts=f"{10**30 - 1}/{10**30}*grr").mechanism.silence == 1
    probabilities = np.array(Mix(4, 1, parts="0.3*grr+0.7*oue").mechanism.chances) / 2**64
    assert probabilities.tolist() == pytest.approx([0.3, 0.7], abs=2 * math.ulp(0.7))
