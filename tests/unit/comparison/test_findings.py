"""What follows from a comparison: names, curves over ε, planes, trade-off curves, advice, presets."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from qifldp.comparison.compare import compare
from qifldp.comparison.curves import READINGS
from qifldp.comparison.deployed import deployed
from qifldp.comparison.findings import Findings, find
from qifldp.comparison.frontier import frontier
from qifldp.comparison.naming import subject_names
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import read_subject
from qifldp.data.presets import PRESETS
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN, parse_spec

ROUNDING = 1e-9
"""Relative: two ways to one float."""


def found(size: int, *specs: str, question: Question | None = None) -> Findings:
    subjects = [read_subject(spec) for spec in specs]
    asked = question or Question((Budget.read(1), Budget.read(2)))
    return find(subjects, compare(subjects, domain_size=size, question=asked, n=1000))


def test_the_document_is_the_comparison_with_keys_added() -> None:
    findings = found(10, "grr", "oue")
    document, plain = findings.to_json(), findings.comparison.to_json()
    assert {key: document[key] for key in plain} == plain
    json.dumps(document, allow_nan=False)


def test_names_are_short_and_differ(tmp_path: Path) -> None:
    for name in ("m.csv", "n.csv"):
        (tmp_path / name).write_text("1,0\n0,1\n")
    specs = ["grr", "the", "the:theta=0.9", f"file:{tmp_path}/m.csv", f"file:{tmp_path}/n.csv", "grr"]
    names = subject_names([read_subject(spec) for spec in specs])
    assert names == ("GRR", "THE", "THE:theta=0.9", "m.csv", "n.csv", "GRR (2)")


def test_curves_go_through_the_marks() -> None:
    findings = found(10, "grr", "oue")
    for mark in findings.sweep.marks:
        curve = [one for one in findings.sweep.curves if one["series"] == mark["series"]]
        at = [float(str(one["epsilon"])) for one in curve]
        for key in ("asr_uniform", "shannon_capacity_bits", "pairwise_advantage"):
            value = np.interp(float(str(mark["epsilon"])), at, [float(str(one[key])) for one in curve])
            assert value == pytest.approx(mark[key], rel=0.02)  # curves are read between two points of them


def test_protocols_with_a_budget_of_their_own_have_marks_only() -> None:
    findings = found(10, "grr", "oue:epsilon=1.5", "ue:p=0.7,q=0.2")
    assert {one["series"] for one in findings.sweep.curves} == {"GRR"}
    assert {one["series"] for one in findings.sweep.marks} == {"GRR", "OUE", "UE"}


@pytest.mark.parametrize("size", [2, 10, 300])
def test_no_protocol_is_beyond_the_frontier(size: int) -> None:
    for plane in found(size, "grr", "ss", "blh", "olh", "sue", "oue", "the").planes:
        assert len(plane.points) == 7
        for point in plane.points:
            assert 0 < float(str(point["frontier_share"])) <= 1
            least, own = float(str(point["least_error"])), float(str(point["standard_error_weighted"]))
            assert least <= own * (1 + ROUNDING)


def test_the_distance_is_from_the_frontier_at_the_protocols_own_tight_epsilon() -> None:
    the = next(point for point in found(20, "the", "ss").planes[0].points if point["series"] == "THE")
    own = parse_spec(str(the["spec"])).build(20)
    best = frontier(20, own.tight_epsilon)
    assert own.tight_epsilon < 1
    information = best.information_at(20 * float(str(the["asr_uniform"])) - 1)
    assert the["least_error"] == pytest.approx(math.sqrt((1 / information - 19 / 400) / 1000), rel=ROUNDING)


def test_readings_end_at_zero_and_begin_at_the_advantage() -> None:
    findings = found(10, "grr", "oue")
    for series, row in zip(("GRR", "OUE"), findings.comparison.rows[:2], strict=True):
        own = [one for one in findings.curves[0].readings if one["series"] == series]
        assert own[0]["delta"] == pytest.approx(row.figures["pairwise_advantage"], rel=ROUNDING)
        assert own[-1]["delta"] == pytest.approx(0, abs=1e-12)  # at ε exactly


def test_readings_are_zero_from_the_tight_epsilon_on() -> None:
    readings = found(10, "grr", "the", "blh", "ss").curves[0].readings
    places = [float(str(one["epsilon"])) for one in readings if one["series"] == "GRR"]
    assert len(places) == READINGS + 1  # THE spends less than the others, whose tight ε is one but for rounding
    for series, spec in (("GRR", "grr"), ("THE", "the"), ("BLH", "blh"), ("SS", "ss")):
        own = [one for one in readings if one["series"] == series]
        assert [one["epsilon"] for one in own] == places
        tight = parse_spec(spec).build(10, Budget.read(1)).tight_epsilon
        end = min(place for place in places if place >= tight * (1 - ROUNDING))
        assert end == pytest.approx(tight, rel=ROUNDING)
        assert all((float(str(one["delta"])) > ROUNDING) == (float(str(one["epsilon"])) < end) for one in own)


def test_matrices_are_compared_by_the_rows_that_are_told_apart_best(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("0.5,0.5\n0.4,0.6\n0.9,0.1\n")
    findings = found(3, "grr", f"file:{tmp_path}/m.csv")
    assert findings.curves[0].pairs == {"m.csv": ("1", "2")}
    own = [one for one in findings.curves[0].readings if one["series"] == "m.csv"]
    assert own[0]["delta"] == pytest.approx(0.5)
    assert [point["series"] for point in findings.planes[0].points] == ["GRR"]


@pytest.mark.parametrize(
    ("question", "goal"),
    [
        (Question((Budget.read(1),)), {"epsilon": "1"}),
        (Question(limit="asr", limit_value=0.3), {"asr": 0.3}),
        (Question(limit="error", limit_value=0.05), {"error": 0.05}),
    ],
)
def test_the_recommendation_is_asked_what_the_comparison_asks(question: Question, goal: dict[str, object]) -> None:
    (advice,) = found(10, "grr", "oue", question=question).advice
    assert advice.found is not None
    assert advice.to_json()["goal"] == goal


def test_at_equal_leakage_the_limit_is_that_leakage() -> None:
    findings = found(10, "grr", "oue", question=Question((Budget.read(1),), "asr"))
    assert findings.advice[0].to_json()["goal"] == {"asr": findings.comparison.rows[0].figures["asr_uniform"]}


def test_without_a_budget_to_choose_there_is_a_reason() -> None:
    (advice,) = found(10, "ue:p=0.7,q=0.2", question=Question((Budget.read(1),))).advice
    assert advice.to_json()["sentences"] == ["None: what is compared has no budget to choose."]


def test_presets_are_what_their_sources_say() -> None:
    assert [preset.epsilon for preset in PRESETS] == sorted(preset.epsilon for preset in PRESETS)
    found_ = {preset.name: preset for preset in PRESETS}
    assert found_["Chrome RAPPOR, 2014"].epsilon == pytest.approx(2.04, abs=0.005)
    assert found_["Mozilla home page study, 2017"].epsilon == pytest.approx(4 * math.log(0.65 / 0.35))
    assert {preset.most_bits for preset in PRESETS} == {None, 6.5, 11.5}
    assert all(preset.url.startswith("https://") and preset.source for preset in PRESETS)


def test_a_budget_asked_twice_counts_once() -> None:
    question = Question(tuple(map(Budget.read, ("1", "1.0", 2, "2*ln(2)", "ln(4)"))))
    findings = found(10, "sue", "the", question=question)
    assert [epsilon for epsilon, _ in findings.comparison.groups()] == [1, 2, 2 * math.log(2)]
    assert len(findings.planes) == len(findings.curves) == len(findings.advice) == 3


def test_what_a_deployed_system_would_not_allow_is_told() -> None:
    """Chrome's cap of 6.5 bits is kept over few values and not over 156, where its ε of 14 would tell 7.3."""
    beyond = {one["name"]: one["beyond_cap"] for one in deployed(156, 1000) if one["most_bits"] is not None}
    assert beyond == {
        "Chrome Attribution Reporting, event sources": True,
        "Chrome Attribution Reporting, navigation sources": False,
    }
    assert not any(one.get("beyond_cap") for one in deployed(50, 1000))


def test_a_recommended_mixture_is_on_the_frontier_of_the_plane() -> None:
    findings = found(50, *SEVEN, question=Question((), limit="asr", limit_value=0.05))
    (advice,), (drawn,) = findings.advice, findings.planes
    assert advice.found is not None
    assert advice.found.chosen is not None
    assert advice.found.chosen.protocol == "MIX"
    *others, mixture = drawn.points
    assert [one["series"] for one in others] == [name for name in findings.names if name != "BLH"]  # BLH: at every ε
    assert mixture["spec"] == advice.found.chosen.spec
    assert mixture["asr_uniform"] == advice.found.chosen.asr
    assert mixture["standard_error_weighted"] == advice.found.chosen.standard_error
    assert mixture["frontier_share"] == pytest.approx(1, abs=1e-5)  # its weights have six decimals
    at_a_budget = found(50, *SEVEN, question=Question((Budget.read(1),)))
    assert [one["series"] for one in at_a_budget.planes[0].points] == list(at_a_budget.names)
