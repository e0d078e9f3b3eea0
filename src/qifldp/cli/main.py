"""The entry point: runs a command, and turns bad input into one sentence and exit code 2."""

from __future__ import annotations

import sys
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a check failed, 2 bad input, 70 an audit failed, 130 interrupted."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Greek shows ? for ε, and no traceback
    try:
        code = application(args=arguments, prog_name="qifldp", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except QifldpError as error:
        return _fail(str(error))
    except typer.TyperException as error:
        return _fail(error.format_message()) if error.format_message() else BAD_INPUT
    except (typer.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except OSError as error:
        return _fail(f"The result cannot be written: {reason(error)}.")
    except MemoryError:
        return _fail("There is not enough memory for this; a smaller domain or fewer samples would fit.")
    if code == INTERRUPTED and sys.stderr is not None:  # Typer, which catches it first, says nothing
        sys.stderr.write("qifldp: interrupted.\n")
    return code if isinstance(code, int) else 0


def _fail(sentence: str) -> int:
    if sys.stderr is not None:
        sys.stderr.write(f"qifldp: {plain(' '.join(sentence.split()))}\n")
    return BAD_INPUT


if __name__ == "__main__":
    main()
