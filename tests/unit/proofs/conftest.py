"""The ledger is run once for all tests that look at what it finds."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

from qifldp.proofs import checks, claim
from qifldp.proofs.checks import Within
from qifldp.proofs.claim import Check, Claim, Finding
from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.prove import Checked, prove
from qifldp.refinement.certificate import Order, Side
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision

Sizes = dict[str, set[int]]
"""By claim, the domain sizes of what was decided, and of the cases that have one in their label."""


@pytest.fixture(scope="session")
def checked_sizes() -> tuple[tuple[Checked, ...], Sizes]:
    """Every claim, with what its checks found, and the domain sizes that they looked at: about fifteen seconds."""
    sizes: Sizes = {}
    with pytest.MonkeyPatch.context() as patch:
        seen = _watch(patch)
        found = prove([_watched(one, seen, sizes.setdefault(one.id, set())) for one in CLAIMS])
    return tuple(Checked(one, item.result) for one, item in zip(CLAIMS, found, strict=True)), sizes


@pytest.fixture(scope="session")
def checked(checked_sizes: tuple[tuple[Checked, ...], Sizes]) -> tuple[Checked, ...]:
    """Every claim, with what its checks found."""
    return checked_sizes[0]


def _watch(patch: pytest.MonkeyPatch) -> set[int]:
    """Return a set that is told every domain size which a check looks at, whatever is checked."""
    seen: set[int] = set()
    every, within = claim.every, Within.__call__

    def told(label: str) -> None:
        seen.update(map(int, re.findall(r"\bk = (\d+)", label)))

    def telling(cases: Iterable[tuple[str, object]]) -> Iterator[tuple[str, object]]:
        for label, truth in cases:
            told(label)
            yield label, truth

    def decide_telling(*, original: Side, refined: Side, order: Order) -> Decision:
        seen.add(original.domain_size)
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


def _watched(one: Claim, seen: set[int], own: set[int]) -> Claim:
    """Return a claim whose own set is given what its checks look at, those of wrong forms left out."""

    def keep(check: Check) -> Check:
        def run() -> Finding:
            seen.clear()
            found = check()
            own.update(seen)
            return found

        return run

    printed, stronger = (check and keep(check) for check in (one.printed, one.stronger))
    return replace(one, ours=keep(one.ours), printed=printed, stronger=stronger)
