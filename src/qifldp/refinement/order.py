"""The refinement order of a whole set of protocols: every pair decided, equivalence classes, Hasse diagram."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from qifldp.protocols.protocol import Protocol
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision, DoesNotRefine, Refines, Undecided

NO_TIME = 1e-9
"""Seconds for a pair when the time is over: the quick rules need none."""

WIDTH = 80
"""Columns of a terminal."""


@dataclass(frozen=True, eq=False)
class RefinementOrder:
    """What is proved about A ⊑ B (B is safer) for all ordered pairs of some protocols.

    Attributes:
        protocols: The protocols; i and j below are places in this list.
        decisions: For each (i, j), i ≠ j, the decision on "protocol i is refined to protocol j".
    """

    protocols: tuple[Protocol, ...]
    decisions: dict[tuple[int, int], Decision]

    @cached_property
    def proved(self) -> frozenset[tuple[int, int]]:
        """Pairs (i, j), i ≠ j, with i ⊑ j by a certificate or by a chain of certificates (⊑ is transitive)."""
        known = {pair for pair, decision in self.decisions.items() if isinstance(decision, Refines)}
        places = range(len(self.protocols))
        for middle in places:
            before = [i for i in places if (i, middle) in known]
            after = [j for j in places if (middle, j) in known]
            known |= {(i, j) for i in before for j in after if i != j}
        return frozenset(known)

    @cached_property
    def undecided(self) -> tuple[tuple[int, int], ...]:
        """Pairs (i, j) for which nothing is proved, by no chain either."""
        return tuple(
            pair
            for pair, decision in self.decisions.items()
            if isinstance(decision, Undecided) and pair not in self.proved
        )

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """Classes of protocols that are refined to one another: no adversary can tell their leakage apart."""
        classes: list[list[int]] = []
        for place in range(len(self.protocols)):
            for members in classes:
                if {(place, members[0]), (members[0], place)} <= self.proved:
                    members.append(place)
                    break
            else:
                classes.append([place])
        return tuple(tuple(members) for members in classes)

    @cached_property
    def hasse(self) -> tuple[tuple[int, int], ...]:
        """Covering edges (c, d) between classes: class c is refined to the safer d, with no third class between."""
        below = {
            (c, d)
            for c, first in enumerate(self.classes)
            for d, second in enumerate(self.classes)
            if c != d and (first[0], second[0]) in self.proved
        }
        between = range(len(self.classes))
        return tuple(sorted((c, d) for c, d in below if not any((c, m) in below and (m, d) in below for m in between)))

    @cached_property
    def incomparable(self) -> tuple[tuple[int, int], ...]:
        """Pairs of classes (c, d), c < d, of which neither is refined to the other, both proved."""
        found = []
        for d, second in enumerate(self.classes):
            for c, first in enumerate(self.classes[:d]):
                if all(self._refuted(*pair) for pair in ((first, second), (second, first))):
                    found.append((c, d))
        return tuple(sorted(found))

    def _refuted(self, original: tuple[int, ...], refined: tuple[int, ...]) -> bool:
        """Whether some member of one class is proved not to be refined to some member of the other: then none is."""
        return any(isinstance(self.decisions[i, j], DoesNotRefine) for i in original for j in refined)


def order_of(
    protocols: Sequence[Protocol],
    *,
    time_limit: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RefinementOrder:
    """Decide A ⊑ B for all ordered pairs of some protocols.

    Args:
        protocols: Protocols over one domain.
        time_limit: Seconds for all pairs together. When they are over, the rest is tried with the quick rules only.
        progress: Called with the pairs that are done, and with all of them.

    Raises:
        InputError: If the domains differ.
    """
    listed = tuple(protocols)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    pairs = [(i, j) for i in range(len(listed)) for j in range(len(listed)) if i != j]
    decisions: dict[tuple[int, int], Decision] = {}
    for i, j in pairs:
        if progress is not None:
            progress(len(decisions), len(pairs))
        left = None if deadline is None else max(deadline - time.monotonic(), NO_TIME)
        decisions[i, j] = decide_refinement(original=listed[i], refined=listed[j], time_limit=left)
    if progress is not None:
        progress(len(pairs), len(pairs))
    return RefinementOrder(listed, decisions)


def hasse_text(order: RefinementOrder) -> str:
    """Return the order as text of 80 columns: who is refined to whom, level by level, and who is incomparable.

    A class stands at the level of the longest chain that leads to it from a class to which none is refined; an
    arrow leads from the leakier to the safer class that it covers. Names stand where they are enough to tell the
    protocols apart, else specs.
    """
    names = _class_names(order)
    lines: list[str] = []
    for number, members in enumerate(_levels(order), 1):
        meaning = " (nothing here is refined from another)" if number == 1 else ""
        lines.append(f"Level {number}{meaning}")
        width = max(len(names[c]) for c in members)
        for c in members:
            safer = [names[d] for edge, d in order.hasse if edge == c]
            lines += _wrapped(f"  {names[c]:{width}}  → ", safer) if safer else _wrapped(" ", [names[c]])
    alone = _alone(order)
    pairs = [(c, d) for c, d in order.incomparable if c not in alone and d not in alone]
    lines += _wrapped("incomparable with all others:", [names[c] for c in alone])
    lines += _wrapped("incomparable:", [f"{names[c]} – {names[d]}" for c, d in pairs])
    members_of = {place: c for c, places in enumerate(order.classes) for place in places}
    unsure = dict.fromkeys((members_of[i], members_of[j]) for i, j in order.undecided)
    lines += _wrapped("undecided:", [f"{names[c]} → {names[d]}" for c, d in unsure])
    return "\n".join(lines)


def _alone(order: RefinementOrder) -> list[int]:
    """Return the classes that are incomparable with all others."""
    count = len(order.classes)
    met = [sum(c in pair for pair in order.incomparable) for c in range(count)]
    return [c for c in range(count) if met[c] == count - 1 > 0]


def _class_names(order: RefinementOrder) -> list[str]:
    names = [protocol.name for protocol in order.protocols]
    if len(set(names)) < len(names):
        names = [protocol.spec for protocol in order.protocols]
    return [" = ".join(dict.fromkeys(names[place] for place in places)) for places in order.classes]


def _levels(order: RefinementOrder) -> Iterator[list[int]]:
    """Yield the classes of each level, from the leakiest on."""
    level = dict.fromkeys(range(len(order.classes)), 0)
    for _ in level:
        for c, d in order.hasse:
            level[d] = max(level[d], level[c] + 1)
    for number in range(max(level.values(), default=-1) + 1):
        yield [c for c, at in level.items() if at == number]


def _wrapped(head: str, items: list[str]) -> list[str]:
    """Return a list after a head, in lines of at most 80 columns, broken between items where they are short enough."""
    if not items:
        return []
    lines = textwrap.wrap(head, WIDTH, subsequent_indent="    ") if len(head) > WIDTH // 2 else []
    first = "    " if lines else f"{head} "
    follow = " " * (len(first) if len(first) <= WIDTH // 3 else 4)
    space = "\N{NO-BREAK SPACE}"
    glued = [item.replace(" ", space) if len(follow) + len(item) < WIDTH else item for item in items]
    lines += textwrap.wrap(
        ", ".join(glued), WIDTH, initial_indent=first, subsequent_indent=follow, break_on_hyphens=False
    )
    return [line.replace(space, " ") for line in lines]
