"""Where balls are at their limits: p and q that are nearly one, sides written differently, budgets of many digits."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from flint import ctx

from qifldp.exact.fields import BALLS
from qifldp.protocols.local_hashing import OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, SUE, UE
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.proofs import Bets, SubFlow
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import FIRST_PRECISION, verify_certificate

CLOSE = Fraction(1, 10**60)
"""Far below the 128 bits with which the verifier starts: balls of p and q overlap there."""

LARGEST_MEMORY = 3 << 30
"""Bytes that a verification of two values may take: the libraries alone reserve more than one gigabyte."""

SECONDS = 15
"""Processor time for the same, most of it to start a process."""


def verdict(original: Protocol, refined: Protocol) -> bool:
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, Refines | DoesNotRefine), (original, refined, found)
    return isinstance(found, Refines)


@pytest.mark.parametrize("q", ["0.9", "0.5", "0.2"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("k", [2, 3])
def test_a_report_and_its_complement_have_one_verdict(k: int, sign: int, q: str) -> None:
    p = Fraction(q) + sign * CLOSE
    report, complement = UE(k, p=p, q=q), UE(k, p=1 - p, q=1 - Fraction(q))
    others = (OUE(k, 1), UE(k, p=Fraction(q) + 3 * CLOSE, q=q))
    for other in others:
        assert verdict(other, report) == verdict(other, complement)
        assert verdict(report, other) == verdict(complement, other)
    assert not verdict(report, OUE(k, 1))
    assert verdict(OUE(k, 1), report)


@pytest.mark.parametrize("sign", [1, -1])
def test_balls_of_masses_hold_the_masses(sign: int) -> None:
    """Also where balls cannot tell p from q, so which of a report and its complement is the canonical one."""
    protocol = UE(4, p=Fraction(1, 10) + sign * CLOSE, q="1/10")
    with ctx.workprec(FIRST_PRECISION):
        balls = protocol.exact_profile(BALLS)
        for (size, mass), (also, exact) in zip(balls.mass, protocol.exact_profile().mass, strict=True):
            assert size == also
            assert mass.overlaps(BALLS.number(exact))


@pytest.mark.parametrize("share", ["1", "1/2", "0", "0.999999999999999999999999999999"])
def test_a_tie_is_never_accepted(share: str) -> None:
    """A flow that just reaches its aim proves nothing in balls, and ends."""
    certificate = Certificate(GRR(3, 1), GRR(3, 1), "refines", SubFlow(((1, 1, Fraction(share)),)))
    with pytest.raises(CertificateError):
        verify_certificate(certificate)


def test_bets_of_no_advantage_end() -> None:
    certificate = Certificate(
        OLH(5, "ln(3)"), OUE(5, "ln(3)"), "does_not_refine", Bets(((1, Fraction(1), Fraction(0)),))
    )
    with pytest.raises(CertificateError, match=r"could not be decided with 8192 bits\.$|does not gain more"):
        verify_certificate(certificate)


@pytest.mark.parametrize("scale", [Fraction(1, 10**999), Fraction(1), Fraction(10) ** 999])
def test_gains_of_any_scale_are_told_apart(scale: Fraction) -> None:
    """A stake is a scale: with a huge or tiny one the claim stays proved, and the figures stay figures."""
    bets = Bets(((1, scale, scale / 2),))
    found = verify_certificate(Certificate(GRR(3, 1), GRR(3, 2), "does_not_refine", bets))
    assert found.gains is not None
    assert 0 < found.gains.original < found.gains.refined < float("inf")


@pytest.mark.parametrize(
    ("first", "second"), [("ln(9)", "2*ln(3)"), ("ln(3)", "1/2*ln(9)"), ("ln(1/3)", None), ("1", "1.000"), ("2", "4/2")]
)
def test_budgets_written_differently_are_one(first: str, second: str | None) -> None:
    if second is None:
        first, second = f"-1*{first}", "ln(3)"
    for k in (2, 6):
        for a, b in ((SUE(k, first), SUE(k, second)), (SS(k, first, omega=1), GRR(k, second))):
            assert verdict(a, b)
            assert verdict(b, a)


@pytest.mark.parametrize("digits", ["1.234567", "1.234567891234"])
def test_a_budget_of_many_digits_under_a_logarithm(digits: str) -> None:
    """e^ε = 2^(m/n) is compared without writing out 2^m: a certificate is no way to exhaust memory."""
    code = (
        "import resource\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({LARGEST_MEMORY}, {LARGEST_MEMORY}))\n"
        f"resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))\n"
        "from qifldp.protocols.specs import parse_spec\n"
        "from qifldp.refinement.certificate import Certificate\n"
        "from qifldp.refinement.proofs import EqualRatio\n"
        "from qifldp.refinement.verify import FIRST_PRECISION, verify_certificate\n"
        f"a, b = (parse_spec(name + ':epsilon={digits}*ln(2)').build(2) for name in ('oue', 'blh'))\n"
        "verify_certificate(Certificate(a, b, 'refines', EqualRatio()))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-300:]
