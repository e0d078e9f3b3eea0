"""Runs a command, and turns bad input into one sentence and exit code 2."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from io import TextIOWrapper

import typer

from qifldp.cli import (
    audit,
    compare,
    estimate,
    exchange,
    explore,
    leakage,
    perturb,
    protocol,
    prove,
    recommend,
    refine,
    reproduce,
)
from qifldp.cli.application import application
from qifldp.errors import QifldpError
from qifldp.rendering.text import plain
from qifldp.storage import reason

COMMANDS = (
    compare,
    recommend,
    explore,
    leakage,
    refine,
    exchange,
    protocol,
    perturb,
    estimate,
    audit,
    reproduce,
    prove,
)
"""Modules whose import registers their command, in the order of the help."""

INTERRUPTED = 130
BAD_INPUT = 2

FAILED = 70
"""What failed for a reason that nobody foresaw (EX_SOFTWARE of sysexits.h); Python's own code, 1, is for findings."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0 (done), 1 (a check failed), 2 (bad input), 70 (our own fault) or 130 (stopped)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek shows ? for ε, and no traceback
    try:
        code = application(args=arguments, prog_name="qifldp", standalone_mode=False)
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001  # none of them may end in the code of a finding
        return _code_of(error)
    if code == INTERRUPTED:  # Typer, which catches it first, says nothing
        return _interrupted()
    return code if isinstance(code, int) else 0


def _code_of(error: BaseException) -> int:
    """Say what went wrong, and return the exit code."""
    if isinstance(error, SystemExit) and isinstance(error.__context__, BrokenPipeError):  # Typer leaves with code 1
        return _code_of(error.__context__)
    if isinstance(error, QifldpError):
        return _fail(str(error))
    if isinstance(error, typer.TyperException):
        return _fail(error.format_message()) if error.format_message() else BAD_INPUT
    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return _interrupted()
    if isinstance(error, OSError):
        return _fail(f"The result cannot be written: {reason(error)}.")
    if isinstance(error, MemoryError):
        return _fail("There is not enough memory for this; a smaller domain or fewer samples would fit.")
    _say("".join(traceback.format_exception(error)))
    return FAILED


def _interrupted() -> int:
    _say("qifldp: interrupted.\n")
    return INTERRUPTED


def _fail(sentence: str) -> int:
    _say(f"qifldp: {plain(' '.join(sentence.split()))}\n")
    return BAD_INPUT


def _say(text: str) -> None:
    if sys.stderr is not None and not sys.stderr.closed:
        sys.stderr.write(text)
