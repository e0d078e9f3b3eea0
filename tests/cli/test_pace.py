"""The progress bar of work that counts reports."""

from __future__ import annotations

import time

import pytest
from rich.progress import Progress

from qifldp.cli.application import Pace


def test_rate_and_share(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress(disable=True)
    pace = Pace(progress, "counting")
    now[0] = 104.0
    pace.advance(0.25, 2_000_000)
    (task,) = progress.tasks
    assert (task.description, task.completed, task.total) == ("counting 2,000,000 reports, 500,000 a second", 0.25, 1.0)
