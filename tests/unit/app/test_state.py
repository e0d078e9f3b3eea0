"""What an address says is read strictly: what is wrong keeps its default, with a sentence, and never an exception."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from qifldp.app.adversaries import KNOWN
from qifldp.app.state import ADVERSARIES, COUNTED, READERS, VIEWS, State, read_state, steps, write_state
from qifldp.errors import InputError
from qifldp.protocols.specs import SEVEN

states = some.builds(
    State,
    k=some.integers(2, 100_000),
    epsilon=some.sampled_from(["0.001", "1", "ln(3)", "2*ln(3)", "20", "0.3"]),
    theta=some.sampled_from(["", "0.5", "0.75", "1"]),
    n=some.integers(1, 10**12),
    protocols=some.sets(some.sampled_from(SEVEN), min_size=1).map(lambda s: tuple(n for n in SEVEN if n in s)),
    adversary=some.sampled_from(ADVERSARIES),
    tries=some.integers(1, 100_000),
    members=some.integers(1, 100_000),
    view=some.sampled_from(list(VIEWS)),
    original=some.sampled_from(SEVEN),
    refined=some.sampled_from(SEVEN),
    data=some.sampled_from(["none", "kosarak", "adult-age"]),
)


def read(**query: str) -> tuple[State, list[str]]:
    """Return what an address says that has every name once."""
    return read_state({name: [text] for name, text in query.items()})


@given(states)
def test_every_state_survives_its_address(state: State) -> None:
    idle = [field for adversary, field in COUNTED.items() if adversary != state.adversary]
    assert read(**write_state(state)) == (replace(state, **{field: getattr(State(), field) for field in idle}), [])
    assert not write_state(state).keys() & set(idle)


def test_the_default_has_an_empty_address() -> None:
    assert write_state(State()) == {}
    assert write_state(State(k=7, protocols=("grr", "the"))) == {"k": "7", "protocols": "grr,the"}


def test_every_field_is_read() -> None:
    assert set(READERS) == {field.name for field in fields(State)}
    assert set(KNOWN) == set(ADVERSARIES)


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("k", "abc", "k must be a whole number from 2 to 100,000, got 'abc'."),
        ("k", "1", "k must be a whole number from 2 to 100,000, got '1'."),
        ("k", "9" * 400, f"k must be a number of at most 60 letters, got '{'9' * 58}…."),
        ("k", "12" + " " * 58 + "3", f"k must be a number of at most 60 letters, got '12{' ' * 56}…."),
        ("k", "-5", "k must be a whole number from 2 to 100,000, got '-5'."),
        ("k", "١٢", "k must be a whole number from 2 to 100,000, got '١٢'."),
        ("epsilon", "0", "ε must be from 0.001 to 20, such as 1 or ln(3), got '0'."),
        ("epsilon", "1000", "ε must be from 0.001 to 20, such as 1 or ln(3), got '1000'."),
        ("epsilon", "21", "ε must be from 0.001 to 20, such as 1 or ln(3), got '21'."),
        ("epsilon", "nan", "ε must be from 0.001 to 20, such as 1 or ln(3), got 'nan'."),
        (
            "epsilon",
            "1." + "3" * 30,
            f"ε must be a number whose exact form has at most 60 letters, got '1.{'3' * 30}'.",
        ),
        ("epsilon", "1/" + "3" * 60, f"ε must be a number of at most 60 letters, got '1/{'3' * 56}…."),
        ("theta", "0.4", "θ must be a number from 0.5 to 1, got '0.4'."),
        ("n", "0", "n must be a whole number from 1 to 1,000,000,000,000, got '0'."),
        ("protocols", "grr,grr", "protocols must be some of grr,ss,blh,olh,sue,oue,the, got 'grr,grr'."),
        (
            "protocols",
            "file:/etc/passwd",
            "protocols must be some of grr,ss,blh,olh,sue,oue,the, got 'file:/etc/passwd'.",
        ),
        (
            "adversary",
            "<b>",
            "adversary must be one of guess, tries, membership, shannon, pair, tight, got '<b>'.",
        ),
        ("view", "", "view must be one of overview, plane, curves, order, pair, data, got ''."),
    ],
)
def test_what_is_wrong_keeps_its_default(name: str, text: str, sentence: str) -> None:
    assert read(**{name: text}) == (State(), [f"{sentence} The default is shown."])


def test_one_wrong_part_does_not_spoil_the_others() -> None:
    state, notes = read(k="x", epsilon="ln(3)", utm_source="y")
    assert state == State(epsilon="ln(3)")
    assert len(notes) == 2
    assert notes[1] == "The address has 'utm_source', which means nothing here."


def test_a_file_is_never_in_an_address() -> None:
    sentence = "This address was made beside an uploaded file, which is not in it: upload the file again."
    assert read(data="upload", k="7") == (State(k=7), [sentence])
    assert read(original="matrix", refined="grr") == (State(), [sentence])
    assert read(channel="upload", k="5") == (State(k=5), [sentence])


def test_a_file_of_the_session_is_used_again() -> None:
    assert read_state({"data": ["upload"]}, ["data"]) == (State(data="upload"), [])
    assert read_state({"channel": ["upload"], "original": ["matrix"]}, ["channel"]) == (State(original="matrix"), [])
    state, notes = read_state({"data": ["upload"], "original": ["matrix"]}, ["data"])
    assert (state, len(notes)) == (State(data="upload"), 1)


def test_of_what_an_address_says_twice_the_last_is_used() -> None:
    assert read_state({"k": ["20", "30"]}) == (State(k=30), ["The address says k 2 times; the last is used."])


digits = some.integers(1, 60).flatmap(lambda count: some.text("123456789", min_size=count, max_size=count))


@pytest.mark.parametrize("field", ["epsilon", "theta"])
@given(shape=some.sampled_from(["0.{}", "1.{}", "1/{}", "ln(1.{})", "3/{}*ln(3)"]), digits=digits)
def test_a_number_that_is_taken_is_taken_again_from_its_address(field: str, shape: str, digits: str) -> None:
    try:
        taken = READERS[field](shape.format(digits))
    except InputError:
        return
    assert READERS[field](taken) == taken


@given(
    some.dictionaries(
        some.one_of(some.text(), some.sampled_from(list(READERS))), some.lists(some.text(), min_size=1), max_size=30
    )
)
def test_no_address_raises(parameters: dict[str, list[str]]) -> None:
    state, notes = read_state(parameters)
    assert isinstance(state, State)
    assert all(note.isprintable() for note in notes)


def test_specs_name_the_threshold_of_the() -> None:
    assert State(protocols=("grr", "the"), theta="0.9").specs == ("grr", "the:theta=0.9")
    assert State(protocols=("grr", "the")).specs == ("grr", "the")


def test_stops_of_a_logarithmic_slider() -> None:
    assert steps(2, 100, (1, 2, 5)) == [2, 5, 10, 20, 50, 100]
    assert steps(0.01, 1, (1, 3)) == [0.01, 0.03, 0.1, 0.3, 1]
