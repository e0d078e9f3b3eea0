"""The streams that a command writes on, where code that is not ours is run beside it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterator

STDOUT, STDERR = 1, 2


@contextlib.contextmanager
def stdout_kept_for_the_result() -> Iterator[None]:
    """Send to stderr what is written on stdout meanwhile, so that a result that is printed afterwards stands alone.

    That is what Python prints, and what goes to descriptor 1 without it: other processes, C libraries, and streams that
    were bound before.
    """
    with contextlib.redirect_stdout(sys.stderr), _descriptor_redirected():
        yield


@contextlib.contextmanager
def _descriptor_redirected() -> Iterator[None]:
    _flush()
    try:
        kept = os.dup(STDOUT)
    except OSError:  # it is closed: there is nothing to keep clean
        kept = None
    if kept is None:
        yield
        return
    try:
        try:
            os.dup2(STDERR, STDOUT)
        except OSError:  # stderr is closed
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, STDOUT)
            os.close(nowhere)
        yield
    finally:
        _flush()  # what is still held back was written meanwhile
        os.dup2(kept, STDOUT)
        os.close(kept)


def _flush() -> None:
    """Write out what Python and C hold back of stdout; if that fails, the result will say so when it is written."""
    for stream in (sys.stdout, sys.__stdout__):
        if stream is not None and not stream.closed:
            with contextlib.suppress(OSError):
                stream.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
