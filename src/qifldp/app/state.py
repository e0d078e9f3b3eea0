"""What the explorer shows, as one value: read from an address that anybody may have written, and written to one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

from qifldp.data.datasets import datasets
from qifldp.errors import InputError, shown
from qifldp.exact.budget import Budget, parse_rational
from qifldp.protocols.specs import SEVEN

LARGEST_DOMAIN, LARGEST_N = 100_000, 10**12
"""Values and reports that the explorer takes; the command line goes further."""

LEAST_EPSILON, MOST_EPSILON = 0.001, 20.0
"""Budgets that the explorer takes."""

LONGEST = 60
"""Letters of a number in an address."""

VIEWS = {
    "overview": "Overview",
    "plane": "Privacy against accuracy",
    "curves": "Telling two apart",
    "order": "Who is safer",
    "pair": "Head to head",
    "data": "Your data",
}
"""What can be looked at, and what it is called."""

NO_DATA, UPLOADED = "none", "upload"
"""Sources of data beside the embedded ones."""

MATRIX = "matrix"
"""The uploaded channel, as one side of a pair."""


@dataclass(frozen=True)
class State:
    """Everything that the controls say.

    Attributes:
        k: Number of values.
        epsilon: The budget as it was given: 1, ln(3), 2*ln(3).
        theta: THE's threshold as it was given; empty for the most accurate one.
        n: Number of reports.
        protocols: Names of the protocols that are compared, of the seven.
        adversary: Whose leakage is drawn, a key of ADVERSARIES.
        tries: Guesses of the adversary who has several.
        members: Values of the set of the adversary who asks for membership.
        view: What is looked at, a key of VIEWS.
        original: The first of two, head to head.
        refined: The second.
        data: ``none``, the name of an embedded data set, or ``upload``.
        channel: ``upload`` in an address that was made beside an uploaded channel, else ``none``.
    """

    k: int = 100
    epsilon: str = "1"
    theta: str = ""
    n: int = 100_000
    protocols: tuple[str, ...] = SEVEN
    adversary: str = "guess"
    tries: int = 3
    members: int = 50
    view: str = "overview"
    original: str = "sue"
    refined: str = "the"
    data: str = NO_DATA
    channel: str = NO_DATA

    @property
    def budget(self) -> Budget:
        """The budget, exactly as it was given."""
        return Budget.read(self.epsilon)

    def spec(self, name: str) -> str:
        """Return the spec of a protocol: its name, and THE's threshold if one is given."""
        return f"the:theta={self.theta}" if name == "the" and self.theta else name

    @property
    def specs(self) -> tuple[str, ...]:
        """The specs of the protocols that are compared."""
        return tuple(self.spec(name) for name in self.protocols)


ADVERSARIES = ("guess", "tries", "membership", "shannon", "pair", "tight")
"""Keys of the adversaries (see :mod:`qifldp.app.adversaries`)."""

COUNTED = {"tries": "tries", "membership": "members"}
"""The fields with a number that belongs to one adversary only."""


def read_epsilon(text: str) -> str:
    """Return a budget as it stands in a state.

    Raises:
        InputError: If it is not a budget, beyond those that the explorer takes, or one that an address has no room for.
    """
    short = _short("ε", text)
    expected = InputError.expected("ε", f"from {LEAST_EPSILON:g} to {MOST_EPSILON:g}, such as 1 or ln(3)", text)
    try:
        budget = Budget.read(short)
    except InputError:
        raise expected from None  # not beyond what a budget may be, which is more
    if not LEAST_EPSILON <= budget.epsilon <= MOST_EPSILON:
        raise expected
    written = str(budget)
    if len(written) > LONGEST:
        raise InputError.expected("ε", f"a number whose exact form has at most {LONGEST} letters", text)
    return written


def read_theta(text: str) -> str:
    """Return a threshold of THE as it stands in a state; empty for the most accurate one.

    Raises:
        InputError: If it is not a number from 0.5 to 1.
    """
    given = _short("θ", text)
    if given and not Fraction(1, 2) <= parse_rational(given, "θ") <= 1:
        raise InputError.expected("θ", "a number from 0.5 to 1", text)
    return given


def read_whole(what: str, least: int, most: int) -> Callable[[str], int]:
    """Return what reads a whole number between two bounds; commas and blanks between its digits are left out."""

    def read(text: str) -> int:
        digits = re.sub(r"[,\s]", "", _short(what, text))
        if not re.fullmatch(r"[0-9]{1,15}", digits) or not least <= int(digits) <= most:
            raise InputError.expected(what, f"a whole number from {least:,} to {most:,}", text)
        return int(digits)

    return read


def _short(what: str, text: str) -> str:
    """Return a number's text without the blanks around it; what is too long is refused, and nothing of it is read."""
    if len(text.strip()) > LONGEST:
        raise InputError.expected(what, f"a number of at most {LONGEST} letters", text)
    return text.strip()


def _protocols(text: str) -> tuple[str, ...]:
    names = text.lower().split(",") if len(text) <= LONGEST else []
    if not names or len(set(names)) < len(names) or not set(names) <= set(SEVEN):
        raise InputError.expected("protocols", f"some of {','.join(SEVEN)}", text)
    return tuple(name for name in SEVEN if name in names)


def _one_of(what: str, known: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in known:
            raise InputError.expected(what, f"one of {', '.join(known)}", text)
        return text

    return read


_SIDES = (*SEVEN, MATRIX)

READERS: dict[str, Callable[[str], Any]] = {
    "k": read_whole("k", 2, LARGEST_DOMAIN),
    "epsilon": read_epsilon,
    "theta": read_theta,
    "n": read_whole("n", 1, LARGEST_N),
    "protocols": _protocols,
    "adversary": _one_of("adversary", ADVERSARIES),
    "tries": read_whole("tries", 1, LARGEST_DOMAIN),
    "members": read_whole("members", 1, LARGEST_DOMAIN),
    "view": _one_of("view", tuple(VIEWS)),
    "original": _one_of("original", _SIDES),
    "refined": _one_of("refined", _SIDES),
    "data": _one_of("data", (NO_DATA, UPLOADED, *datasets())),
    "channel": _one_of("channel", (NO_DATA, UPLOADED)),
}
"""What reads each field of a state from text; each raises InputError, in one sentence."""


def read_state(parameters: Mapping[str, Sequence[str]], known: Collection[str] = ()) -> tuple[State, list[str]]:
    """Return the state that an address describes, and a sentence on each part of it that is not used.

    Args:
        parameters: The address's query, all values of each name; what is missing or wrong keeps its default.
        known: Fields for which the session has an uploaded file already: ``data``, ``channel``.
    """
    state, notes = State(), []
    for name, texts in list(parameters.items())[: 2 * len(READERS)]:
        if name not in READERS:
            notes.append(f"The address has {shown(name, 30)}, which means nothing here.")
            continue
        if len(texts) > 1:
            notes.append(f"The address says {name} {len(texts)} times; the last is used.")
        try:
            state = replace(state, **{name: READERS[name](texts[-1])})
        except InputError as error:
            notes.append(f"{error} The default is shown.")
    in_a_pair = MATRIX in (state.original, state.refined) and "channel" not in known
    missing = [field for field in ("data", "channel") if getattr(state, field) == UPLOADED and field not in known]
    if in_a_pair or missing:
        notes.append("This address was made beside an uploaded file, which is not in it: upload the file again.")
        state = replace(state, data=NO_DATA if "data" in missing else state.data)
        if in_a_pair:
            state = replace(state, original=State.original, refined=State.refined)
    return replace(state, channel=NO_DATA), notes


def write_state(state: State) -> dict[str, str]:
    """Return the address's query for a state: what is not at its default, and has a part in what is shown."""
    default = State()
    idle = set(COUNTED.values()) - {COUNTED.get(state.adversary)}
    found = {}
    for field in fields(State):
        value = getattr(state, field.name)
        if field.name not in idle and value != getattr(default, field.name):
            found[field.name] = ",".join(value) if isinstance(value, tuple) else str(value)
    return found


def steps(least: float, most: float, mantissas: tuple[float, ...] = (1, 1.5, 2, 3, 5, 7)) -> list[float]:
    """Return the stops of a logarithmic slider: round numbers between two bounds, both among them."""
    found = [least]
    power = 10 ** -(len(f"{least:g}".partition(".")[2]))
    while power <= most:
        found += [float(f"{mantissa * power:.4g}") for mantissa in mantissas if least < mantissa * power < most]
        power *= 10
    return [*found, most]
