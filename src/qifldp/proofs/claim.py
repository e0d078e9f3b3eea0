"""Claims: statements with a check that earns their outcome, and an altered form that the same check must refute."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from qifldp.errors import QifldpError

Method = Literal["exact enumeration", "symbolic", "SMT", "certified refinement", "ball arithmetic", "simulation"]
Outcome = Literal["holds", "corrected", "sharpened", "open", "false", "unchecked"]
Relation = Literal["as printed", "corrects", "sharpens", "leaves open"]

ENUMERATION: Final = "exact enumeration"


class UncheckedError(QifldpError):
    """A check could not decide; the message says why, and what would help."""


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        holds: Whether the statement it was about is true, as far as the method goes.
        detail: The evidence: how many cases, or the counterexample.
    """

    holds: bool
    detail: str


Check: TypeAlias = Callable[[], Finding]


@dataclass(frozen=True)
class Result:
    """The outcome of a claim's checks, and the evidence."""

    outcome: Outcome
    detail: str


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, in the form that we hold to be right.

    The outcome is earned:

    - ``holds``: ours was found true, and an altered form false by the same check, so that the check can fail.
    - ``corrected``: ours was found true, and the printed form false.
    - ``sharpened``: the printed form was found true, ours too, and an instance shows that ours says more.
    - ``open``: what is known was found true, an altered form false; the question beside it is not decided.
    - ``false``: one of these went the other way.
    - ``unchecked``: a check did not run to its end.

    Attributes:
        id: Short name, for the command line.
        where: Place in the paper.
        statement: Our statement.
        method: How it is checked.
        ours: The check of our statement.
        altered: The same check of a wrong statement: the printed one for ``corrects``, else an invented one.
        alteration: What is wrong, in words.
        relation: How ours stands to what is printed.
        printed: For ``sharpens``: the check of the printed form.
        stronger: For ``sharpens``: the check that an instance is covered by ours and not by the printed form.
    """

    id: str
    where: str
    statement: str
    method: Method
    ours: Check
    altered: Check
    alteration: str
    relation: Relation = "as printed"
    printed: Check | None = None
    stronger: Check | None = None

    def run(self) -> Result:
        """Run the checks. Whatever one of them raises, the claim is unchecked, and the other claims are run."""
        try:
            return self._result()
        except Exception as error:  # noqa: BLE001
            return Result("unchecked", " ".join(str(error).split()) or type(error).__name__)

    def _result(self) -> Result:
        found = self.ours()
        if not found.holds:
            return Result("false", found.detail)
        details = [found.detail]
        if self.relation == "sharpens":
            if self.printed is None or self.stronger is None:
                raise UncheckedError("a sharpened claim needs a check of the printed form, and of what is new")
            for what, check in (("printed", self.printed), ("more than printed", self.stronger)):
                part = check()
                if not part.holds:
                    return Result("false", f"{what}: {part.detail}")
                details.append(f"{what}: {part.detail}")
        wrong = self.altered()
        if wrong.holds:
            return Result("false", f"the check cannot tell it from what is wrong: {self.alteration}: {wrong.detail}")
        label = "as printed" if self.relation == "corrects" else "altered"
        details.append(f"{label} ({self.alteration}): {wrong.detail}")
        return Result(_EARNED[self.relation], "; ".join(details))


_EARNED: dict[Relation, Outcome] = {
    "as printed": "holds",
    "corrects": "corrected",
    "sharpens": "sharpened",
    "leaves open": "open",
}


def listed(values: Iterable[object]) -> str:
    """Return values in words, as ``2, 3, 10``: what a check goes through and what its statement says are then one."""
    return ", ".join(map(str, values))


def every(cases: Iterable[tuple[str, object]], what: str = "cases") -> Finding:
    """Return whether all cases are true; the detail counts them, or names the first that is not.

    Args:
        cases: Pairs (label, truth). There must be at least one.
        what: What a case is.
    """
    count = 0
    for label, truth in cases:
        count += 1
        if not truth:
            return Finding(False, f"not so at {label}")
    if not count:
        raise UncheckedError("there is no case to check")
    return Finding(True, f"{count} {what}")
