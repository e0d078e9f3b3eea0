"""Programs on which HiGHS fails at the first try, and what is told where it fails at every one."""

from __future__ import annotations

import dataclasses

import highspy
import numpy as np
import pytest
from rich.console import Console
from scipy.sparse import csc_array

from qifldp import BLH, LH, OLH, OUE, SUE, Refines, decide_refinement
from qifldp.errors import ConvergenceError
from qifldp.protocols.mixture import Mix
from qifldp.refinement import decision as decisions
from qifldp.refinement.bracket import bracket_deficiency
from qifldp.refinement.search import linear, strength
from qifldp.refinement.search.linear import FINEST, UnsolvedError
from qifldp.refinement.search.strength import deficiency, vulnerability_ratio
from qifldp.refinement.search.transport import solve_transport
from qifldp.rendering.decision import bracket_json, decision_json, decision_view

FAILED = "HiGHS ended with status Unknown."


def test_a_deficiency_that_is_found_without_presolve() -> None:
    original, refined = OLH(50, "2.376e-07"), LH(50, "2.16e-07", g=5)
    lacking = deficiency(original.profile, refined.profile)
    assert lacking is not None
    bracket = bracket_deficiency(original=original, refined=refined)
    assert bracket.ends[1] - bracket.ends[0] < 2e-9
    assert bracket.ends[0] <= lacking <= bracket.ends[1]
    assert decide_refinement(original=refined, refined=original).deficiency_reverse == lacking


def test_a_margin_that_is_found_without_presolve() -> None:
    original, refined = LH(50, "15.65", g=8), Mix(50, "15.65", parts="0.02*lh@3")
    assert solve_transport(original.profile, refined.profile).margin == pytest.approx(0.9999998, abs=2e-7)


def test_a_ratio_that_is_found_without_presolve() -> None:
    original, refined = OUE(80, "1.35e-09"), BLH(80, "1.3365e-09")
    assert vulnerability_ratio(original.profile, refined.profile) == pytest.approx(1, abs=1e-7)


class Failing(highspy.Highs):
    """A solver that says of the first few runs that it does not know."""

    def __init__(self, failures: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.failures = failures
        self.tried: list[str] = []

    def run(self) -> highspy.HighsStatus:
        self.tried.append(str(self.getOptionValue("presolve")[1]))
        return super().run()

    def getModelStatus(self) -> highspy.HighsModelStatus:  # noqa: N802  # as in highspy
        failed = len(self.tried) <= self.failures
        return highspy.HighsModelStatus.kUnknown if failed else super().getModelStatus()


@pytest.mark.parametrize("failures", [0, 1, 2])
def test_a_second_try_is_made_without_presolve_and_no_third(failures: int, monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Failing(failures)
    monkeypatch.setattr(linear, "silent_solver", lambda: solver)
    rows, bound = csc_array(np.ones((1, 1))), np.ones(1)
    if failures < 2:
        assert linear.maximise(np.ones(1), rows, -bound, bound)[0] == pytest.approx([1])
    else:
        with pytest.raises(UnsolvedError, match=FAILED):
            linear.maximise(np.ones(1), rows, -bound, bound)
    assert solver.tried == ["choose", "off"][: failures + 1]
    assert solver.getOptionValue("presolve")[1] == "choose"


def test_a_time_limit_is_no_failure_and_there_is_no_second_try(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late(Failing):
        def getModelStatus(self) -> highspy.HighsModelStatus:  # noqa: N802  # as in highspy
            return highspy.HighsModelStatus.kTimeLimit

    solver = Late(0)
    monkeypatch.setattr(linear, "silent_solver", lambda: solver)
    rows, bound = csc_array(np.ones((1, 1))), np.ones(1)
    with pytest.raises(ConvergenceError, match=linear.TIME_IS_UP) as raised:
        linear.maximise(np.ones(1), rows, -bound, bound)
    assert not isinstance(raised.value, UnsolvedError)
    assert solver.tried == ["choose"]


def fails(*_: object, **__: object) -> float:
    raise UnsolvedError(FAILED)


def test_a_figure_that_is_not_solved_is_told_with_the_words_of_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "deficiency", fails)
    decision = decide_refinement(original=SUE(5, 2), refined=OUE(5, 1))
    assert isinstance(decision, Refines)
    assert decision.unsolved == {}
    expected = {"deficiency_reverse": FAILED}
    document = decision_json(decision, ("A", "B"), None)
    assert (document["deficiency"], document["deficiency_reverse"], document["reasons"]) == (0, None, expected)
    assert decision.unsolved == expected
    reasons = bracket_json(None, "FILE", "none", decision)["reasons"]
    assert reasons == expected | {"deficiency_bracket": "none"}
    console = Console(width=100)
    with console.capture() as shown:
        console.print(decision_view(decision, ("A", "B")))
    assert f"No deficiency reverse: {FAILED}" in shown.get()


def test_a_figure_that_takes_too_long_is_not_said_to_be_unsolved() -> None:
    decision = dataclasses.replace(decide_refinement(original=OUE(300, 1), refined=SUE(300, 1)), figure_seconds=1e-3)
    assert decision.deficiency is None
    assert decision.unsolved == {}


def test_a_garbling_near_enough_stands_where_no_program_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """At ε = 1e-9 hardly anything but sizes tells: reports as they are are within 1e-9; at 1e-6 they are not."""
    near, far = ((OUE(20, e).profile, OUE(20, 2 * float(e)).profile) for e in ("1e-9", "1e-6"))
    solved = deficiency(*near)
    monkeypatch.setattr(strength, "maximise", fails)
    told = deficiency(*near)
    assert told is not None
    assert solved is not None
    assert FINEST < solved <= told <= strength.ACCURACY
    with pytest.raises(ConvergenceError):
        deficiency(*far)
