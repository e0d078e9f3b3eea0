"""Running the claims of the ledger, and exporting their theorems."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from qifldp.errors import InputError, shown
from qifldp.proofs.checks import Later, Together
from qifldp.proofs.claim import Check, Claim, Result
from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.provers import Proved
from qifldp.proofs.smt import Answer, Theorem
from qifldp.storage import reason

EVERYTHING = "all"


@dataclass(frozen=True)
class Checked:
    """A claim, and what its checks found."""

    claim: Claim
    result: Result

    @property
    def is_settled(self) -> bool:
        """Whether the checks ran, and found what the claim says."""
        return self.result.outcome not in ("false", "unchecked")


def find_claims(name: str) -> tuple[Claim, ...]:
    """Return the claim of this name, or every claim for ``all``.

    Raises:
        InputError: If there is no such claim.
    """
    if name == EVERYTHING:
        return CLAIMS
    found = tuple(claim for claim in CLAIMS if claim.id == name.lower())
    if not found:
        near = get_close_matches(name.lower(), [claim.id for claim in CLAIMS], n=3)
        hint = f" (near it: {', '.join(near)})" if near else ""
        raise InputError(f"There is no claim {shown(name)}{hint}: qifldp prove all lists them.")
    return found


def prove(claims: Sequence[Claim], progress: Callable[[int], None] | None = None) -> tuple[Checked, ...]:
    """Run the checks of claims, one after the other.

    Args:
        claims: What is to be checked.
        progress: Called with the number of claims that are done.
    """
    done = []
    for count, claim in enumerate(claims, start=1):
        done.append(Checked(claim, claim.run()))
        if progress is not None:
            progress(count)
    return tuple(done)


def export_theorems(claims: Sequence[Claim], folder: str | Path) -> int:
    """Write the theorems of claims, and their altered forms, as SMT-LIB 2 files; return how many.

    All are written beside the folder's files first, and take their places when all are there: so all or none are.

    Args:
        claims: Whose theorems are written.
        folder: Where; it is made if it does not exist.

    Raises:
        InputError: If the folder's name is empty, there is no theorem, a file cannot be written, or a theorem cannot be
            built.
    """
    if not str(folder):
        raise InputError("The name of the folder is empty.")
    files, place = smt_files(claims), Path(folder)
    if not files:
        names, methods = ", ".join(claim.id for claim in claims), " and ".join({claim.method: 0 for claim in claims})
        raise InputError(f"There is no theorem of {names} to write: it is checked by {methods}.")
    try:
        place.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"The folder {shown(str(folder))} cannot be made: {reason(error)}.") from None
    for name in files:
        if (place / name).exists() and not (place / name).is_file():
            raise InputError(f"The file {shown(str(place / name))} cannot be written: it is not a regular file.")
    try:
        with tempfile.TemporaryDirectory(prefix=".theorems.", dir=place) as beside:
            for name, text in files.items():
                (Path(beside) / name).write_text(text, encoding="utf-8")
            for name in files:
                (Path(beside) / name).replace(place / name)
    except OSError as error:
        raise InputError(f"The theorems cannot be written to {shown(str(folder))}: {reason(error)}.") from None
    return len(files)


def smt_files(claims: Sequence[Claim]) -> dict[str, str]:
    """Return the SMT-LIB 2 files of claims: names and texts. Two claims may rest on one theorem."""
    files: dict[str, str] = {}
    for claim in claims:
        try:
            theorems = tuple(_theorems(claim))
        except Exception as error:
            raise InputError(f"The theorems of {claim.id} cannot be built: {' '.join(str(error).split())}.") from error
        for theorem, expected in theorems:
            wrong = expected == "sat" and not theorem.name.endswith("-altered")
            name = f"{theorem.name}{'-altered' * wrong}.smt2"
            text = theorem.text(expected=expected)
            if files.setdefault(name, text) != text:
                raise ValueError(f"two theorems are named {name}")
    return files


def _theorems(claim: Claim) -> Iterator[tuple[Theorem, Answer]]:
    """Yield a claim's theorems, each with the answer that is expected to its query."""
    for check in (claim.ours, claim.printed, claim.stronger):
        yield from ((theorem, "unsat") for theorem in _within(check))
    yield from ((theorem, "sat") for theorem in _within(claim.altered))


def _within(check: Check | None) -> Iterator[Theorem]:
    if isinstance(check, Proved):
        yield from check.theorems
    elif isinstance(check, Later):
        yield from _within(check.build())
    elif isinstance(check, Together):
        for part in check.checks:
            yield from _within(part)
