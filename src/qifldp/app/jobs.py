"""Long work in a process of its own: with progress, a time limit, and an end whenever somebody wants it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass, field
from typing import IO, Any, Literal

from qifldp.errors import InputError

Outcome = Literal["running", "done", "failed", "cancelled"]

MOST_JOBS = 2
"""At one time, of all sessions together."""

SECONDS = 300.0
"""After which a job is ended, whatever it does."""

_free = threading.BoundedSemaphore(MOST_JOBS)

Request = dict[str, Any]


@dataclass
class _Told:
    """What a worker has said so far; the thread that reads it holds this, and not the job."""

    outcome: Outcome = "running"
    doing: str = "starting"
    done: int = 0
    total: int = 0
    result: Any = None
    error: str = ""
    ended: threading.Event = field(default_factory=threading.Event)


class Job:
    """One piece of long work.

    The request goes to the worker's standard input, and its answer comes from its standard output: nothing of it is
    written to a file. The worker ends when this process does, or when nobody holds the job any more.
    """

    def __init__(self, request: Request, *, seconds: float = SECONDS) -> None:
        """Start a worker.

        Args:
            request: What is to be done (see :mod:`qifldp.app.worker`), as JSON.
            seconds: After which it is ended.

        Raises:
            InputError: If too many jobs are running.
        """
        if not _free.acquire(blocking=False):
            raise InputError("Two long jobs are running already: wait for one of them, or cancel it.")
        self._told = _Told()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "qifldp.app.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        except OSError:
            _free.release()
            raise InputError("The process for long work cannot be started.") from None
        self._seconds = seconds
        self._end = weakref.finalize(self, self._process.kill)
        timer = threading.Timer(seconds, _give_up, (self._process, self._told, seconds))
        timer.daemon = True
        timer.start()
        text = json.dumps(request, allow_nan=False) + "\n"
        threading.Thread(target=_listen, args=(self._process, self._told, text, timer), daemon=True).start()

    @property
    def outcome(self) -> Outcome:
        """Where it stands."""
        return self._told.outcome

    @property
    def progress(self) -> tuple[str, int, int]:
        """What is being done, steps done, steps in all (0 where that is not known yet)."""
        return self._told.doing, self._told.done, self._told.total

    @property
    def result(self) -> Any:
        """The answer, once it is done."""
        return self._told.result

    @property
    def error(self) -> str:
        """Why it failed, in a sentence."""
        return self._told.error

    def cancel(self) -> None:
        """End it now."""
        if self._told.outcome == "running":
            self._told.outcome = "cancelled"
        self._end()

    def wait(self, seconds: float) -> bool:
        """Wait for its end, and return whether it has come."""
        return self._told.ended.wait(seconds)


def _give_up(process: subprocess.Popen[str], told: _Told, seconds: float) -> None:
    if told.outcome == "running":
        told.error = f"It was ended after {seconds:.0f} seconds: ask with a smaller domain, or on the command line."
        told.outcome = "failed"
    process.kill()


def _listen(process: subprocess.Popen[str], told: _Told, request: str, timer: threading.Timer) -> None:
    """Send the request, and take down what the worker says until it ends."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        with contextlib.suppress(OSError, ValueError):  # it was ended
            process.stdin.write(request)
            process.stdin.flush()  # and stays open: its end is how a worker learns that nobody waits any more
            _take_down(process.stdout, told)
    finally:
        process.kill()
        process.wait()
        timer.cancel()
        if told.outcome == "running":
            told.error = "It ended without an answer; there may not be enough memory for it."
            told.outcome = "failed"
        for stream in (process.stdin, process.stdout):
            _close(stream)
        told.ended.set()
        _free.release()


def _take_down(lines: IO[str], told: _Told) -> None:
    for line in lines:
        message = json.loads(line)
        if "progress" in message:
            told.doing, told.done, told.total = message["progress"]
        elif told.outcome == "running":
            told.result, told.error = message.get("result"), message.get("error", "")
            told.outcome = "failed" if told.error else "done"
            return


def _close(stream: IO[str]) -> None:
    with contextlib.suppress(OSError):  # a broken pipe: what was left in it is not wanted
        stream.close()
