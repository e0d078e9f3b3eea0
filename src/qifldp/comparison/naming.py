"""What each protocol of a comparison is called in tables, legends and diagrams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from qifldp.comparison.subjects import FILE_PREFIX, MatrixSubject, Subject

LONGEST = 28
"""Letters of a name at most: it stands in legends."""


def subject_names(subjects: Sequence[Subject]) -> tuple[str, ...]:
    """Return a name of its own for each subject: the protocol's name where that is enough, else its parameters too."""
    short = [_name(subject) for subject in subjects]
    count = Counter(short)
    long = [_text(subject) if count[name] > 1 else name for subject, name in zip(subjects, short, strict=True)]
    names: list[str] = []
    for name in (_cut(one) for one in long):
        again = sum(other == name or other.startswith(f"{name} (") for other in names)
        names.append(f"{name} ({again + 1})" if name in names else name)
    return tuple(names)


def names_by_spec(specs: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return what each spec is called; one that was asked for under several names has them all: "SS = SS:omega=27".

    Args:
        specs: The spec of each row of a comparison: rows of one spec are one channel.
        names: What each row is called.
    """
    called: dict[str, dict[str, None]] = {}
    for spec, name in zip(specs, names, strict=True):
        called.setdefault(spec, {})[name] = None
    return {spec: " = ".join(found) for spec, found in called.items()}


def _name(subject: Subject) -> str:
    if isinstance(subject, MatrixSubject):
        return PurePath(subject.spec[len(FILE_PREFIX) :]).name
    return subject.name.upper()


def _text(subject: Subject) -> str:
    if isinstance(subject, MatrixSubject):
        return subject.spec
    _, colon, parameters = subject.text.partition(":")
    return subject.name.upper() + colon + parameters


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2 - 1]}…{name[-LONGEST // 2 :]}"
