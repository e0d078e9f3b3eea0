"""Python clients: functions, factories, batches, protocols; what goes wrong is said."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from qifldp.audit.samples import Domain, Samples, watched_of
from qifldp.audit.sources import as_source, load
from qifldp.collection.client import secure_client
from qifldp.errors import InputError
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE

CLIENTS = """
import asyncio
import random
import numpy

def plain(value):
    return [value, random.random(), numpy.random.random()]

def seeded(value, rng):
    return (value, float(rng.random()))

def batch(values):
    return [value * 2 for value in values]

batch.batched = True

def short(values):
    return values[1:]

short.batched = True

def strict(value):
    if value > 3:
        raise ValueError("no such value")
    return value

class Memory:
    def __init__(self):
        self.calls = 0

    def report(self, value):
        self.calls += 1
        return (value, self.calls)

def nothing():
    return 7

buffer = [0]

def nested(value):
    buffer[0] = value
    return ("r", buffer)

def batch_of_one(values):
    return [(buffer, buffer.__setitem__(0, value))[0] for value in values]

batch_of_one.batched = True

held = bytearray(1)

def view(value):
    held[0] = value
    return memoryview(held)

class Numbers(list):
    pass

def subclass(value):
    return Numbers([value])

def leaves(value):
    raise SystemExit(0)

def cancelled(value):
    raise asyncio.CancelledError("stop")

class Silent(BaseException):
    def __str__(self):
        raise asyncio.CancelledError("no words")

def silent(value):
    raise Silent

def interrupts(value=None):
    raise KeyboardInterrupt

def lazy_batch(values):
    yield values[0]
    raise GeneratorExit("late")

lazy_batch.batched = True

class Uncopied:
    def __deepcopy__(self, memo):
        raise asyncio.CancelledError("stop")

def uncopied(value):
    return Uncopied()

class Secretive(float):
    pass

one = Secretive(1)

def attributes(value):
    one.secret = value
    return one

record = numpy.zeros(1, [("answer", int)])

def row_of_a_record(value):
    record["answer"] = value
    return record[0]

class Broken:
    def __init__(self):
        raise SystemExit(0)

class Lazy:
    @property
    def client(self):
        raise RuntimeError("not now")

lazy = Lazy()

def generator(value):
    return (value for _ in range(1))

shared = []

def growing(value):
    shared.append(value)
    return shared

number = 3
"""

VALUES = tuple(range(5))
PLACES = np.array([0, 1, 4])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "clients_of_a_test.py").write_text(CLIENTS, encoding="utf-8")
    (tmp_path / "client_that_leaves.py").write_text("raise SystemExit(3)", encoding="utf-8")
    (tmp_path / "client_that_cancels.py").write_text(
        "import asyncio\nraise asyncio.CancelledError('stop')", encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def ask(name: str, rounds: int = 1, seed: int = 0) -> list[object]:
    source = load(f"clients_of_a_test:{name}")
    return list(source.draw(VALUES, PLACES, rounds=rounds, rng=np.random.default_rng(seed)))


def test_clients_of_every_kind() -> None:
    assert ask("batch") == [0, 2, 8]
    assert ask("batch", rounds=2) == [0, 0, 2, 2, 8, 8]
    assert ask("Memory()", rounds=2) == [(0, 1), (0, 2), (1, 1), (1, 2), (4, 1), (4, 2)]
    assert ask("growing") == [[0], [0, 1], [0, 1, 4]]
    assert ask("nested") == [("r", [0]), ("r", [1]), ("r", [4])]
    assert ask("view") == [b"\x00", b"\x01", b"\x04"]
    assert {type(report).__name__ for report in ask("view")} == {"memoryview"}
    assert {type(report).__name__ for report in ask("subclass")} == {"Numbers"}
    assert [report.secret for report in ask("attributes")] == [0, 1, 4]  # type: ignore[attr-defined]
    assert [report["answer"] for report in ask("row_of_a_record")] == [0, 1, 4]  # type: ignore[index]


def test_reports_of_a_batch_are_kept_as_they_were() -> None:
    source = load("clients_of_a_test:batch_of_one")
    kept = list(source.draw(VALUES, PLACES, rounds=1, rng=np.random.default_rng(0)))
    assert list(source.draw(VALUES, PLACES[:1], rounds=1, rng=np.random.default_rng(0))) == [[0]]
    assert kept == [[4], [4], [4]]


@pytest.mark.parametrize("name", ["plain", "seeded"])
def test_seeds_make_runs_repeatable_and_leave_shared_generators_alone(name: str) -> None:
    random.seed(5)
    before = random.getstate()
    assert ask(name) == ask(name) != ask(name, seed=1)
    assert random.getstate() == before


def test_protocols_and_secure_clients() -> None:
    for client in (OUE(5, 1), secure_client(OUE(5, 1))):
        drawn = as_source(client).draw(VALUES, PLACES, rounds=2, rng=np.random.default_rng(0))
        assert len(drawn) == 6
    with pytest.raises(InputError, match=r"^The domain has 5 values, the protocol 4\.$"):
        as_source(GRR(4, 1)).draw(VALUES, PLACES, rounds=1, rng=np.random.default_rng(0))


def test_values_outside_the_domain() -> None:
    assert not load("clients_of_a_test:strict").accepts(16)
    assert load("clients_of_a_test:plain").accepts(16)
    assert not load("clients_of_a_test:cancelled").accepts(16)
    assert not as_source(GRR(4, 1)).accepts(4)


@pytest.mark.parametrize("name", ["interrupts", "interrupts()"])
def test_an_interrupt_is_the_users(name: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(name)


FAULTS = [
    ("clients_of_a_test:strict", "The client failed on the value 4: ValueError: 'no such value'."),
    ("clients_of_a_test:short", "The client gave 2 reports on 3 values."),
    ("clients_of_a_test:nothing()",
     "What clients_of_a_test:nothing() makes must be a function, or have a method report."),
    ("clients_of_a_test:missing", "The module 'clients_of_a_test' has no 'missing'."),
    ("clients_of_a_test:number()", "'clients_of_a_test:number()' cannot be called."),
    ("clients_of_a_test:number", "A source must be a function, a protocol or a client, got 3."),
    ("clients_of_a_test:leaves", "The client failed on the value 0: SystemExit: '0'."),
    ("clients_of_a_test:cancelled", "The client failed on the value 0: CancelledError: 'stop'."),
    ("clients_of_a_test:silent", "The client failed on the value 0: Silent: what it says cannot be read."),
    ("clients_of_a_test:lazy_batch", "The client failed on some values: GeneratorExit: 'late'."),
    ("clients_of_a_test:uncopied", "A report of type Uncopied cannot be kept: CancelledError: 'stop'."),
    ("client_that_cancels:client", "The module 'client_that_cancels' cannot be imported: CancelledError: 'stop'."),
    ("clients_of_a_test:Broken()", "The client cannot be made: SystemExit: '0'."),
    ("clients_of_a_test:lazy.client", "'clients_of_a_test:lazy.client' cannot be had: RuntimeError: 'not now'."),
    ("clients_of_a_test:generator",
     "A report of type generator cannot be kept: TypeError: \"cannot pickle 'generator' object\"."),
    ("client_that_leaves:client", "The module 'client_that_leaves' cannot be imported: SystemExit: '3'."),
    ("no_such_module:client",
     """The module 'no_such_module' cannot be imported: ModuleNotFoundError: "No module named 'no_such_module'"."""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), FAULTS)
def test_what_goes_wrong_is_said(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        load(text).draw(VALUES, PLACES, rounds=1, rng=np.random.default_rng(0))
    assert str(refused.value) == sentence


def test_domains() -> None:
    assert Domain.read(3).values == (0, 1, 2)
    assert Domain.read(["a", "b"]).labels == ("a", "b")
    with pytest.raises(InputError, match=r"^The domain has two values that are written alike\.$"):
        Domain.read(["1", 1])
    with pytest.raises(InputError, match=r"^domain size must be from 2 to 10,000,000, got 1\.$"):
        Domain.read(["a"])
    assert Domain.read(iter("ab")).values == ("a", "b")  # type: ignore[arg-type]  # lists of any kind


SAMPLES: list[tuple[object, int, str]] = [
    ([0, 0], 1, "There are 1 reports for 2 values in 1 rounds."),
    ([2], 1, "The places of samples must be from 0 to 1, got 2."),
    ([-1], 1, "The places of samples must be from 0 to 1, got -1."),
    ([0.5], 1, "The places of samples must be a list of whole numbers."),
    ([0], 0, "rounds must be a whole number from 1 to 255, got 0."),
]


@pytest.mark.parametrize(("places", "rounds", "sentence"), SAMPLES)
def test_samples_that_cannot_be(places: list[int], rounds: int, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        Samples(Domain.read(2), places, [1], rounds)  # type: ignore[arg-type]
    assert str(refused.value) == sentence


@pytest.mark.parametrize("domain", [4.0, True, None])
def test_what_is_no_domain(domain: object) -> None:
    with pytest.raises(InputError) as refused:
        Domain.read(domain)  # type: ignore[arg-type]
    assert str(refused.value) == f"A domain must be a whole number of values, or their list, got {domain}."


def test_of_large_domains_some_values_are_watched() -> None:
    rng, domain = np.random.default_rng(0), Domain.read(1000)
    assert watched_of(Domain.read(64), None, rng).tolist() == list(range(64))
    assert len(set(watched_of(domain, None, rng).tolist())) == 64
    assert set(watched_of(domain, np.array([999, 999, 5]), rng).tolist()) >= {999, 5}
