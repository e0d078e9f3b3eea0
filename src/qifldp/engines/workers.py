"""Threads that count pieces: the kernels release the interpreter's lock."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from types import TracebackType
from typing import Self

import pyarrow as pa

from qifldp.collection.accumulator import Accumulator
from qifldp.engines.pieces import Piece


class Workers:
    """Threads that count pieces, each into counts of its own; only so many pieces wait."""

    def __init__(self, whole: Accumulator, threads: int) -> None:
        self._whole = whole
        self._pool = ThreadPoolExecutor(threads)
        self._waiting: deque[Future[None]] = deque()
        self._window = threads + 1
        self._idle: SimpleQueue[Accumulator] = SimpleQueue()
        for _ in range(threads):
            self._idle.put(whole.fresh())
        self._threads = threads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._pool.shutdown(cancel_futures=True)

    def count(self, piece: Piece, reports: pa.Array) -> None:
        """Have reports of a piece counted, after waiting for room."""
        while len(self._waiting) >= self._window:
            self._waiting.popleft().result()
        self._waiting.append(self._pool.submit(self._work, piece, reports))

    def _work(self, piece: Piece, reports: pa.Array) -> None:
        own = self._idle.get()
        try:
            piece.count(reports, own)
        finally:
            self._idle.put(own)

    def gather(self) -> None:
        """Wait for all, and move their counts to the whole."""
        while self._waiting:
            self._waiting.popleft().result()
        for _ in range(self._threads):
            self._whole.merge(self._idle.get())
            self._idle.put(self._whole.fresh())
