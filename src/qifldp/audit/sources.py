"""Where reports come from: a function, a client that is made anew for every user, or a protocol of this package."""

from __future__ import annotations

import copy
import importlib
import inspect
import random
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.blame import failure
from qifldp.collection.client import SecureClient
from qifldp.collection.reports import Reports
from qifldp.errors import InputError, shown
from qifldp.protocols.protocol import Protocol

Progress = Callable[[int, int], None]

STEP = 1 << 16
"""Values that are reported between two signs of progress, where they are taken together."""


UNCHANGING = (int, float, str, bytes, bool, type(None))
"""Types of reports that nobody can change; a type that is derived from them may carry more."""


class Source(ABC):
    """A client as a black box.

    Attributes:
        name: What it is, in words.
    """

    name: str = "client"

    @abstractmethod
    def draw(
        self,
        values: Sequence[object],
        places: NDArray[np.int64],
        *,
        rounds: int,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Reports | list[object]:
        """Return reports on users' values, ``rounds`` of each, one user after the other.

        Args:
            values: The domain, as the client takes it.
            places: The value of each user.
            rounds: Reports of one user.
            rng: The source of randomness, if the client takes one.
            progress: Called with (users done, users in all).

        Raises:
            InputError: If the client fails.
        """

    def accepts(self, value: object) -> bool:
        """Return whether the client reports on a value that is not in the domain, where it should refuse."""
        raise InputError(f"Values outside the domain, such as {shown(value)}, can be tried on Python clients only.")


class ProtocolSource(Source):
    """A protocol of this package, simulated, or its secure client."""

    def __init__(self, client: Protocol | SecureClient) -> None:
        self._client = client
        protocol = client if isinstance(client, Protocol) else client.protocol
        assert isinstance(protocol, Protocol)
        self.protocol = protocol
        self.name = f"{protocol.spec}, {'simulated' if isinstance(client, Protocol) else 'the secure client'}"

    def draw(
        self,
        values: Sequence[object],
        places: NDArray[np.int64],
        *,
        rounds: int,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> Reports:
        if len(values) != self.protocol.domain_size:
            raise InputError(f"The domain has {len(values)} values, the protocol {self.protocol.domain_size}.")
        repeated = np.repeat(places, rounds)
        if isinstance(self._client, Protocol):
            return self._client.perturb(repeated, rng=rng)
        parts = []
        for start in range(0, len(repeated), STEP):
            parts.append(self._client.reports(repeated[start : start + STEP]).rows)
            if progress is not None:
                progress(min(len(places), (start + STEP) // rounds), len(places))
        return Reports(self.protocol, np.concatenate(parts))

    def accepts(self, value: object) -> bool:
        try:
            SecureClient(self.protocol).report(value)  # type: ignore[arg-type]
        except InputError:
            return False
        return True


class CallableSource(Source):
    """A Python function from a value to a report; with ``factory``, from nothing to such a function, one a user.

    A function with a parameter ``rng`` is given a generator that is made from the seed. Others draw from what they
    like: ``random`` and ``numpy.random`` are seeded, so that those who draw from them can be run again. A function
    with the attribute ``batched = True`` takes a list of values, and returns as many reports.
    """

    def __init__(self, function: Callable[..., Any], *, factory: bool = False, name: str | None = None) -> None:
        self._function, self._factory = function, factory
        self._batched = bool(getattr(function, "batched", False)) and not factory
        self._takes_rng = _takes_rng(function)
        self.name = str(name or getattr(function, "__name__", type(function).__name__))

    def draw(
        self,
        values: Sequence[object],
        places: NDArray[np.int64],
        *,
        rounds: int,
        rng: np.random.Generator,
        progress: Progress | None = None,
    ) -> list[object]:
        reports: list[object] = []
        with _seeded(rng):
            if self._batched:
                for start in range(0, len(places), STEP):
                    part = np.repeat(places[start : start + STEP], rounds).tolist()
                    found = self._call(self._function, [values[place] for place in part], rng)
                    if len(found) != len(part):
                        raise InputError(f"The client gave {len(found):,} reports on {len(part):,} values.")
                    reports += [_kept(report) for report in found]
                    if progress is not None:
                        progress(min(len(places), start + STEP), len(places))
                return reports
            for done, place in enumerate(places.tolist(), 1):
                client = self._fresh(rng)
                reports += [_kept(self._call(client, values[place], rng)) for _ in range(rounds)]
                if progress is not None and done % 1000 == 0:
                    progress(done, len(places))
        return reports

    def accepts(self, value: object) -> bool:
        rng = np.random.default_rng(0)
        client = self._fresh(rng)
        try:
            self._call(client, [value] if self._batched else value, rng)
        except InputError:  # whatever a client raises, it refuses
            return False
        return True

    def _fresh(self, rng: np.random.Generator) -> Callable[..., Any]:
        if not self._factory:
            return self._function
        try:
            made = self._function(rng=rng) if self._takes_rng else self._function()
            found = made if callable(made) else getattr(made, "report", None)
        except BaseException as error:
            raise failure("The client cannot be made", error) from error
        if not callable(found):
            raise InputError(f"What {self.name} makes must be a function, or have a method report.")
        return found

    def _call(self, client: Callable[..., Any], value: object, rng: np.random.Generator) -> Any:
        try:
            found = client(value, rng=rng) if self._takes_rng and not self._factory else client(value)
            return list(found) if self._batched else found
        except BaseException as error:
            what = "some values" if self._batched else f"the value {shown(value)}"
            raise failure(f"The client failed on {what}", error) from error


def _kept(report: object) -> object:
    """Return a report that the client cannot change any more, with all that is in it."""
    if type(report) in UNCHANGING:
        return report
    try:
        if isinstance(report, memoryview):  # which cannot be copied as such
            return memoryview(report.tobytes()).cast(report.format, report.shape)  # type: ignore[call-overload]
        return copy.deepcopy(report)
    except BaseException as error:
        raise failure(f"A report of type {type(report).__name__} cannot be kept", error) from error


def as_source(client: object) -> Source:
    """Return a client as a source: a source, a protocol, a secure client, or a function.

    Raises:
        InputError: If it is none of these.
    """
    if isinstance(client, Source):
        return client
    if isinstance(client, Protocol | SecureClient):
        return ProtocolSource(client)
    if callable(client):
        return CallableSource(client)
    raise InputError.expected("A source", "a function, a protocol or a client", client)


def load(text: str) -> Source:
    """Return the client that is named ``module:name``, or ``module:name()`` for one that is made for every user.

    The current folder can be imported from. Whatever the module does when it is imported is done.

    Raises:
        InputError: If there is no such module or name, or it is no client.
    """
    found, called = load_object(text)
    if called:
        if not callable(found):
            raise InputError(f"{shown(text)} cannot be called.")
        return CallableSource(found, factory=True, name=text)
    source = as_source(found)
    if isinstance(source, CallableSource):
        source.name = text
    return source


def load_object(text: str) -> tuple[Any, bool]:
    """Return the object that is named ``module:name``, and whether it is followed by ``()``."""
    called = text.endswith("()")
    module, _, name = text.removesuffix("()").partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found: Any = importlib.import_module(module)
    except BaseException as error:
        raise failure(f"The module {shown(module)} cannot be imported", error) from error
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise InputError(f"The module {shown(module)} has no {shown(name)}.") from None
        except BaseException as error:
            raise failure(f"{shown(text)} cannot be had", error) from error
    return found, called


def _takes_rng(function: Callable[..., Any]) -> bool:
    try:
        return "rng" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


@contextmanager
def _seeded(rng: np.random.Generator) -> Iterator[None]:
    """Seed the generators that clients share with everybody, and put them back afterwards."""
    before, numpy_before = random.getstate(), np.random.get_state()  # noqa: NPY002  # what clients draw from
    random.seed(int(rng.integers(2**63)))
    np.random.seed(int(rng.integers(2**32)))  # noqa: NPY002  # as above
    try:
        yield
    finally:
        random.setstate(before)
        np.random.set_state(numpy_before)  # noqa: NPY002  # as above
