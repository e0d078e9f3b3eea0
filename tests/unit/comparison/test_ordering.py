"""What is decided on all pairs of a comparison is one set of figures, seen from both sides."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from qifldp.comparison.compare import Comparison, compare
from qifldp.comparison.ordering import order_comparison
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import read_subject
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN
from qifldp.refinement.decision import Compared


def compared(k: int, specs: Sequence[str], epsilon: str = "1") -> Comparison:
    subjects = [read_subject(spec) for spec in specs]
    return compare(subjects, domain_size=k, question=Question((Budget.read(epsilon),)))


def test_a_deficiency_in_reverse_is_that_of_the_pair_in_reverse() -> None:
    (order,) = order_comparison(compared(50, SEVEN, "0.5"))
    lacking = {(entry["original"], entry["refined"]): entry["deficiency"] for entry in order.entries}
    assert len(lacking) == 42
    for entry in order.entries:
        assert entry["deficiency_reverse"] == lacking[entry["refined"], entry["original"]]
        assert (entry["deficiency"] == 0) == (entry["verdict"] == "refines")


@pytest.mark.parametrize(("figures", "seconds", "why"), [
    (False, None, "over so many values only if asked for"),
    (True, 1e-9, "too large for the time allowed"),
])  # fmt: skip
def test_what_is_proved_to_be_refined_lacks_nothing_and_that_costs_no_time(
    figures: bool, seconds: float | None, why: str
) -> None:
    (order,) = order_comparison(compared(400, ["sue", "the:theta=0.9", "oue"]), figures=figures, time_limit=seconds)
    verdicts = {(entry["original"], entry["refined"]): entry["verdict"] for entry in order.entries}
    assert set(verdicts.values()) == {"refines", "does_not_refine"}
    for entry in order.entries:
        pair = entry["original"], entry["refined"]
        assert entry["deficiency"] == (0 if verdicts[pair] == "refines" else None)
        assert entry["deficiency_reverse"] == (0 if verdicts[pair[::-1]] == "refines" else None)
        assert entry["margin"] is None
        assert entry["reason"] == f"not computed: {why} (--order, or qifldp refine)"


def test_what_the_solver_fails_on_is_not_said_to_be_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(decision: Compared) -> None:
        decision.unsolved["margin"] = "HiGHS ended with status Unknown."

    monkeypatch.setattr(Compared, "_margin", failed)
    (order,) = order_comparison(compared(10, ["sue", "oue"]))
    for entry in order.entries:
        assert entry["margin"] is None
        assert entry["reason"] == "not computed: HiGHS ended with status Unknown (--order, or qifldp refine)"
        assert None not in (entry["deficiency"], entry["deficiency_reverse"])


def test_the_words_of_the_solver_stand_before_those_on_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deficiency is None for its size, the margin since HiGHS failed: that is worth telling."""

    def too_large(_: Compared, __: int) -> None:
        return None

    def failed(decision: Compared) -> None:
        decision.unsolved["margin"] = "HiGHS ended with status Unknown."

    monkeypatch.setattr(Compared, "_deficiency", too_large)
    monkeypatch.setattr(Compared, "_margin", failed)
    (order,) = order_comparison(compared(10, ["the", "ss"]))
    reasons = [entry["reason"] for entry in order.entries if entry["deficiency"] is None]
    assert reasons
    assert all("HiGHS ended with status Unknown" in str(reason) for reason in reasons)
