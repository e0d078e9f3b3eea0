"""The ledger is run once for all tests that look at what it finds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pytest

from qifldp.proofs import checks, claim
from qifldp.proofs.checks import Within
from qifldp.proofs.claim import Check, Claim, Finding
from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.ledger.epsilon_k import thresholds
from qifldp.proofs.prove import Checked, prove
from qifldp.proofs.terms import MARKED
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.protocols.threshold_histogram import THE
from qifldp.refinement.certificate import Order, Side
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision


@dataclass
class LookedAt:
    """What checks looked at.

    Attributes:
        sizes: Domain sizes of what was decided, and of the cases that have one in their label.
        protocols: Every protocol of a budget that was made.
    """

    sizes: set[int] = field(default_factory=set)
    protocols: list[BudgetedProtocol] = field(default_factory=list)

    @property
    def budgets(self) -> set[float]:
        """The ε, to nine digits: some are logarithms."""
        return {round(made.epsilon, 9) for made in self.protocols}

    @property
    def thetas(self) -> set[Fraction]:
        """The θ of THE."""
        return {made.theta for made in self.protocols if isinstance(made, THE)}

    @property
    def names(self) -> set[str]:
        """The names of the protocols; BLH and OLH have parts that are named LH, which are not told from others."""
        return {made.name for made in self.protocols}

    def sizes_of(self, name: str) -> set[int]:
        """The domain sizes of the protocols of a name."""
        return {made.domain_size for made in self.protocols if made.name == name}


Looked = dict[str, LookedAt]


@pytest.fixture(scope="session")
def checked_settings() -> tuple[tuple[Checked, ...], Looked]:
    """Every claim, with what its checks found, and what they looked at: about fifteen seconds."""
    looked: Looked = {}
    thresholds()  # are kept when they were made once: what they are made of is not of the claim that is first
    with pytest.MonkeyPatch.context() as patch:
        seen = _watch(patch)
        found = prove([_watched(one, seen, looked.setdefault(one.id, LookedAt())) for one in CLAIMS])
    return tuple(Checked(one, item.result) for one, item in zip(CLAIMS, found, strict=True)), looked


@pytest.fixture(scope="session")
def checked(checked_settings: tuple[tuple[Checked, ...], Looked]) -> tuple[Checked, ...]:
    """Every claim, with what its checks found."""
    return checked_settings[0]


def _watch(patch: pytest.MonkeyPatch) -> LookedAt:
    """Return what is told everything that a check looks at, whatever is checked."""
    seen = LookedAt()
    _watch_protocols(patch, seen)
    every, within = claim.every, Within.__call__

    def told(label: str) -> None:
        seen.sizes.update(map(int, re.findall(r"\bk = (\d+)", label)))

    def telling(cases: Iterable[tuple[str, object]]) -> Iterator[tuple[str, object]]:
        for label, truth in cases:
            told(label)
            yield label, truth

    def decide_telling(*, original: Side, refined: Side, order: Order) -> Decision:
        seen.sizes.add(original.domain_size)
        return decide_refinement(original=original, refined=refined, order=order)

    def within_telling(self: Within) -> Finding:
        for label, *_ in self.cases:
            told(label)
        return within(self)

    for name, module in list(sys.modules.items()):
        if name.startswith("qifldp.proofs.") and getattr(module, "every", None) is every:
            patch.setattr(module, "every", lambda cases, what="cases": every(telling(cases), what))
    patch.setattr(checks, "decide_refinement", decide_telling)
    patch.setattr(Within, "__call__", within_telling)
    return seen


def _watch_protocols(patch: pytest.MonkeyPatch, seen: LookedAt) -> None:
    make = BudgetedProtocol.__init__

    def make_telling(self: BudgetedProtocol, *arguments: Any, **settings: Any) -> None:
        make(self, *arguments, **settings)
        if self.budget is not MARKED:  # that one stands for every budget
            seen.protocols.append(self)

    patch.setattr(BudgetedProtocol, "__init__", make_telling)


def _watched(one: Claim, seen: LookedAt, own: LookedAt) -> Claim:
    """Return a claim of which ``own`` is given what its checks look at, those of wrong forms left out."""

    def keep(check: Check) -> Check:
        def run() -> Finding:
            seen.sizes.clear()
            seen.protocols.clear()
            found = check()
            own.sizes |= seen.sizes
            own.protocols += seen.protocols
            return found

        return run

    printed, stronger = (check and keep(check) for check in (one.printed, one.stronger))
    return replace(one, ours=keep(one.ours), printed=printed, stronger=stronger)
