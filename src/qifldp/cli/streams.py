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
    if not _is_open(STDOUT):  # there is nothing to keep clean
        yield
        return
    lost = not _is_open(STDERR)
    instead = os.open(os.devnull, os.O_WRONLY) if lost else STDERR
    kept = os.dup(STDOUT)  # once that is open: else this might take the place of a stderr that is closed
    try:
        os.dup2(instead, STDOUT)
        yield
    finally:
        _flush()  # what is still held back was written meanwhile
        os.dup2(kept, STDOUT)
        os.close(kept)
        if lost:
            os.close(instead)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _flush() -> None:
    """Write out what Python and C hold back of stdout; if that fails, the result will say so when it is written."""
    for stream in (sys.stdout, sys.__stdout__):
        if stream is not None and not stream.closed:
            with contextlib.suppress(OSError):
                stream.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)
