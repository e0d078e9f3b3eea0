"""Running the command line inside the test process, and reading what it printed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from qifldp.cli.main import run


@dataclass(frozen=True)
class Outcome:
    """What one run of the command did."""

    code: int
    out: str
    err: str

    def document(self) -> dict[str, Any]:
        """Return the one JSON document on stdout of a run that went well and said nothing else."""
        assert (self.code, self.err) == (0, "")
        return read_strictly(self.out)


class Terminal:
    """A terminal that is not one: output is captured, 80 columns, no colour."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *arguments: str) -> Outcome:
        """Run the command line with these arguments."""
        code = run(list(arguments))
        captured = self._capture.readouterr()
        return Outcome(code, captured.out, captured.err)

    def refuses(self, sentence: str, *arguments: str) -> None:
        """Assert that these arguments are bad input: exit 2, exactly this sentence, nothing on stdout."""
        assert self(*arguments) == Outcome(2, "", f"qifldp: {sentence}\n")

    def refuses_with(self, beginning: str, *arguments: str) -> None:
        """Assert the same where the end of the sentence comes from a library: one line that begins like this."""
        found = self(*arguments)
        assert (found.code, found.out) == (2, "")
        assert found.err.startswith(f"qifldp: {beginning}")
        assert found.err.count("\n") == 1
        assert found.err.endswith("\n")
        assert found.err.rstrip("\n").isprintable()


def read_strictly(text: str) -> dict[str, Any]:
    """Return the only JSON document in a text, refusing NaN, Infinity and repeated keys."""
    document = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_repeats)
    assert isinstance(document, dict)
    return document


def _no_constant(name: str) -> object:
    raise AssertionError(f"{name} is not JSON")


def _no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)
