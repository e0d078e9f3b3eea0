"""The explorer answers what the command line answers, number for number."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from qifldp.app.adversaries import KNOWN, budgets, figure_of, fitted, follow, without_report
from qifldp.app.answers import (
    Asked,
    Files,
    addressed,
    advice_of,
    asked,
    certificate_text,
    comparison_of,
    curves_of,
    document_of,
    marks_of,
    names_of,
    plane_of,
    side_of,
    subjects_of,
    verify_text,
)
from qifldp.app.state import ADVERSARIES, State, read_state, write_state
from qifldp.app.uploads import matrix_from, population_of
from qifldp.cli.main import run
from qifldp.comparison.candidates import Goal
from qifldp.comparison.recommend import recommend
from qifldp.errors import InputError, QifldpError
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import ProtocolSpec, parse_spec
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Refines
from qifldp.rendering.page.axes import QUANTITIES

NONE = Files()


def test_the_figures_are_those_of_compare(capsys: pytest.CaptureFixture[str]) -> None:
    state = State(k=20, epsilon="ln(3)", theta="0.9", n=5_000)
    found = comparison_of(asked(state, NONE), NONE).to_json()
    specs = "grr,ss,blh,olh,sue,oue,the:theta=0.9"
    arguments = ["compare", "--domain-size", "20", "--epsilon", "ln(3)", "--n", "5000", "--protocols", specs]
    assert run([*arguments, "--no-order", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found


def test_data_say_how_many_values_and_reports() -> None:
    assert asked(State(data="kosarak", k=7, n=8), NONE).k == 156
    column = population_of(b"a\nx\ny\nx\nz\n", "a.csv", "a")
    files = Files(column, None)
    question = asked(State(data="upload"), files)
    assert (question.k, question.n) == (3, 4)
    comparison = comparison_of(question, files)
    assert comparison.prior["title"] == "a.csv, column a"
    assert comparison.rows[0].figures["asr_prior"] != comparison.rows[0].figures["asr_uniform"]


def test_files_are_told_apart_by_all_that_they_hold() -> None:
    column = population_of(b"a\nx\ny\nx\nz\n", "a.csv", "a")
    channel = matrix_from(b"0.5,0.5\n0.25,0.75\n1,0\n", "m.csv")
    held = [
        NONE,
        Files(column),
        Files(None, channel),
        Files(column, channel),
        Files(replace(column, title="b.csv, column a")),
        Files(replace(column, values=("x", "y", "w"))),
        Files(replace(column, counts=(1, 2, 1))),
        Files(replace(column, notes=("Beware.",))),
        Files(None, replace(channel, spec="file:n.csv")),
        Files(None, matrix_from(b"0.5,0.5\n0.25,0.75\n0,1\n", "m.csv")),
    ]
    assert len({files.key for files in held}) == len(held)
    for files in held:
        again = Files.from_json(json.loads(json.dumps(files.to_json())))
        assert again.key == files.key
        state = State(data="upload" if files.population else "none")
        assert asked(state, again) == asked(state, files)


def test_a_matrix_stands_beside_the_protocols_of_its_size() -> None:
    files = Files(None, matrix_from(b"0.5,0.5\n0.25,0.75\n", "m.csv"))
    question = asked(State(), files)
    assert question.k == 2
    assert names_of(question, files)[-1] == "m.csv"
    assert len(subjects_of(Asked(3, "1", 10, ("grr",)), files)) == 1
    comparison = comparison_of(question, files)
    key = KNOWN["guess"].key
    marks = marks_of(question, files, comparison, figure_of(State()), key)
    assert marks[-1][key] == comparison.rows[-1].figures["asr_uniform"] == 0.625
    assert [point["series"] for point in plane_of(question, files, comparison, marks).points] == [
        *("GRR", "SS", "BLH", "OLH", "SUE", "OUE", "THE"),
    ]
    assert curves_of(question, files, comparison).pairs == {"m.csv": ("0", "1")}


def test_an_address_beside_a_channel_has_its_size_and_a_mark() -> None:
    channel = matrix_from(b"1,0,0\n0,1,0\n0,0,1\n", "m.csv")
    column = population_of(b"a\nx\ny\n", "a.csv", "a")
    beside = addressed(State(epsilon="ln(3)"), Files(None, channel))
    assert beside == State(k=3, epsilon="ln(3)", channel="upload")
    found, notes = read_state({name: [text] for name, text in write_state(beside).items()})
    assert found == State(k=3, epsilon="ln(3)")
    assert len(notes) == 1
    assert addressed(State(data="upload"), Files(column, channel)) == State(data="upload", channel="upload")
    assert addressed(State(data="upload"), Files(column, None)) == State(data="upload")
    assert addressed(State(k=7), NONE) == State(k=7)


@pytest.mark.parametrize(
    ("state", "known"),
    [
        (State(), 0.1),
        (State(adversary="tries", tries=3), 0.3),
        (State(adversary="membership", members=3), 0.7),
        (State(adversary="membership", members=8), 0.8),
        (State(adversary="shannon"), 0),
    ],
)
def test_what_is_known_without_a_report(state: State, known: float) -> None:
    assert without_report(state, 10) == known


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_every_adversary_has_an_axis_and_a_figure(adversary: str) -> None:
    state = State(k=10, adversary=adversary, tries=3, members=4)
    question = asked(state, NONE)
    key = KNOWN[adversary].key
    assert key in QUANTITIES
    comparison = comparison_of(question, NONE)
    for mark, row in zip(marks_of(question, NONE, comparison, figure_of(state), key), comparison.rows, strict=True):
        value = mark[key]
        assert isinstance(value, float)
        assert value >= without_report(state, 10)
        if key in row.figures:
            assert value == row.figures[key]


def test_numbers_of_guesses_and_members_fit_the_domain() -> None:
    state = fitted(State(tries=50, members=50), 10)
    assert (state.tries, state.members) == (9, 9)
    assert fitted(State(), 100) == State()


def test_curves_pass_through_the_marks() -> None:
    named = [(name.upper(), parse_spec(name)) for name in ("grr", "the")]
    figure = figure_of(State(adversary="shannon"))
    records = follow(named, 12, [0.5, 1.0], figure, "bits")
    assert [(one["series"], one["epsilon"]) for one in records] == [("GRR", 0.5), ("GRR", 1), ("THE", 0.5), ("THE", 1)]
    assert records[1]["bits"] == figure(named[0][1].build(12, Budget.read("1")))
    assert follow([("X", ProtocolSpec("grr", (), Budget.read("1")))], 12, [1.0], figure, "bits") == []


def test_small_budgets_share_one_curve() -> None:
    assert budgets(Budget.read("0.1")) == budgets(Budget.read("2.5"))
    assert max(budgets(Budget.read("10"))) == 15


def test_the_document_is_what_the_tables_read() -> None:
    question = Asked(5, "1", 100, ("grr", "oue"))
    document = document_of(comparison_of(question, NONE), names_of(question, NONE))
    assert document["series"] == ["GRR", "OUE"]
    assert document["diagrams"] == []


def test_advice() -> None:
    question = Asked(50, "1", 100_000, ("grr", "oue"))
    found = advice_of(question, NONE, comparison_of(question, NONE)).found
    goal = Goal("epsilon", Budget.read("1"))
    assert found == recommend(domain_size=50, n=100_000, goal=goal, specs=("grr", "oue"))


def test_a_certificate_is_read_again_and_checked() -> None:
    sides = side_of("sue", State(), NONE), side_of("the", State(), NONE)
    decision = decide_refinement(original=sides[0], refined=sides[1])
    assert isinstance(decision, Refines)
    text = certificate_text(decision.certificate)
    assert verify_text(text).startswith("Proved in balls of ")
    with pytest.raises(QifldpError):
        verify_text(text.replace('"refines"', '"does_not_refine"'))


def test_the_uploaded_channel_must_be_there() -> None:
    with pytest.raises(InputError, match=r"^There is no uploaded channel\.$"):
        side_of("matrix", State(), NONE)
