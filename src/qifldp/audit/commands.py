"""A client in another process: it reads values, one a line, and writes a report on each, one a line."""

from __future__ import annotations

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
from collections.abc import Sequence
from typing import IO

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.sources import Progress, Source
from qifldp.audit.text_reports import LONGEST, Form, read_report
from qifldp.errors import InputError, shown
from qifldp.storage import reason

PATIENCE = 60.0
"""Seconds without a report after which a command is ended."""

GRACE = 1.0
"""Seconds that a command has for writing more than it was asked for, after its last report."""

COMPLAINT = 4096
"""Bytes of what a command says on stderr that are kept."""

Line = bytes | None


class CommandSource(Source):
    """A command that is run once, without a shell, and given all values.

    Values are written by one thread and reports are read by another, so that a command may answer line by line or
    all at the end. With several rounds the value of a user comes that often in a row. What it writes on stderr is
    shown if it fails.
    """

    def __init__(self, command: str, *, form: Form = "text", patience: float = PATIENCE) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError:
            raise InputError(f"The command {shown(command)} has a quotation that does not end.") from None
        if not self._arguments:
            raise InputError("The command is empty.")
        self._form, self._patience, self.name = form, patience, f"cmd:{command}"

    def draw(
        self,
        values: Sequence[object],
        places: NDArray[np.int64],
        *,
        rounds: int,
        rng: np.random.Generator,  # noqa: ARG002  # another process draws for itself
        progress: Progress | None = None,
    ) -> list[object]:
        sent = "".join(f"{_one_line(values[place])}\n" * rounds for place in places.tolist()).encode()
        wanted = len(places) * rounds
        process = self._start()
        lines: queue.Queue[Line] = queue.Queue(maxsize=1 << 12)
        complaint: list[bytes] = []
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        threads = [
            threading.Thread(target=_write, args=(process.stdin, sent), daemon=True),
            threading.Thread(target=_read, args=(process.stdout, lines), daemon=True),
            threading.Thread(target=_keep, args=(process.stderr, complaint), daemon=True),
        ]
        for thread in threads:
            thread.start()
        try:
            return self._collect(process, lines, complaint, threads[2], wanted, progress)
        finally:
            _end(process)
            _let_go(lines, threads[1])
            for thread in threads:
                thread.join(timeout=1)

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603  # what the user asks to be run
                self._arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise InputError(f"The command {shown(self._arguments[0])} cannot be run: {reason(error)}.") from None

    def _collect(
        self,
        process: subprocess.Popen[bytes],
        lines: queue.Queue[Line],
        complaint: list[bytes],
        listener: threading.Thread,
        wanted: int,
        progress: Progress | None,
    ) -> list[object]:
        reports: list[object] = []
        ended = True
        while True:
            try:
                line = lines.get(timeout=self._patience if len(reports) < wanted else min(GRACE, self._patience))
            except queue.Empty:
                if len(reports) == wanted:  # what it has started may still hold its output open
                    break
                raise InputError(
                    f"The command has said nothing for {self._patience:g} seconds after {len(reports):,} of {wanted:,} "
                    "reports: does it write out (flush) every line?"
                ) from None
            if line is None:
                break
            if len(reports) == wanted:
                raise InputError(f"The command wrote more than {wanted:,} reports on {wanted:,} values.")
            ended = line.endswith(b"\n")
            line = line.removesuffix(b"\n")
            where = f"Line {len(reports) + 1:,} of the command"
            if len(line) > LONGEST:
                raise InputError(f"{where} is longer than {LONGEST:,} bytes.")
            try:
                text = line.decode()
            except UnicodeDecodeError:
                raise InputError(f"{where} is not UTF-8 text.") from None
            reports.append(read_report(text, self._form, where))
            if progress is not None and len(reports) % 1000 == 0:
                progress(len(reports), wanted)
        if len(reports) < wanted:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=1)
            listener.join(timeout=1)
            last = b"".join(complaint).decode(errors="replace").strip().rpartition("\n")[2]
            said = f", and said {shown(last, 160)}" if last else ""
            raise InputError(
                f"The command ended (exit code {process.poll()}) after {len(reports):,} of {wanted:,} reports{said}."
            )
        return _without_returns(reports, ended=ended) if self._form == "text" else reports


def _without_returns(reports: list[object], *, ended: bool) -> list[object]:
    """Return texts without the carriage return that ends all lines; one that ends only some tells something.

    Args:
        reports: The texts.
        ended: Whether the last one's line was ended, as it need not be.
    """
    texts = list(map(str, reports))
    lines = texts if ended else texts[:-1]
    returned = bool(lines) and all(text.endswith("\r") for text in lines)
    return [text.removesuffix("\r") for text in texts] if returned else reports


def _one_line(value: object) -> str:
    text = str(value)
    if "\n" in text or "\r" in text:
        raise InputError(f"The value {shown(text)} has more than one line: a command is given one a line.")
    return text


def _write(stream: IO[bytes], content: bytes) -> None:
    with contextlib.suppress(OSError, ValueError), stream:  # that a command has ended is seen by what it did not write
        stream.write(content)


def _read(stream: IO[bytes], lines: queue.Queue[Line]) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while line := stream.readline(LONGEST + 2):
            lines.put(line)
    lines.put(None)


def _keep(stream: IO[bytes], complaint: list[bytes]) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while part := stream.read1(COMPLAINT):  # type: ignore[attr-defined]  # a buffered reader
            complaint[:] = [b"".join([*complaint, part])[-COMPLAINT:]]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command with all that it has started."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _let_go(lines: queue.Queue[Line], reader: threading.Thread) -> None:
    """Take what the reader still has, so that it comes to its end."""
    while reader.is_alive():
        try:
            lines.get(timeout=0.1)
        except queue.Empty:
            reader.join(timeout=1)
            return
