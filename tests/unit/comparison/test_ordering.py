"""What is decided on all pairs of a comparison is one set of figures, seen from both sides."""

from __future__ import annotations

from qifldp.comparison.compare import compare
from qifldp.comparison.ordering import order_comparison
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import read_subject
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN


def test_a_deficiency_in_reverse_is_that_of_the_pair_in_reverse() -> None:
    subjects = [read_subject(spec) for spec in SEVEN]
    comparison = compare(subjects, domain_size=50, question=Question((Budget.read("0.5"),)))
    (order,) = order_comparison(comparison)
    lacking = {(entry["original"], entry["refined"]): entry["deficiency"] for entry in order.entries}
    assert len(lacking) == 42
    for entry in order.entries:
        assert entry["deficiency_reverse"] == lacking[entry["refined"], entry["original"]]
        assert (entry["deficiency"] == 0) == (entry["verdict"] == "refines")
