"""Places of values in a declared domain."""

from __future__ import annotations

import pyarrow as pa
import pytest

from qifldp.data.places import Places
from qifldp.errors import InputError


def test_places_over_several_batches() -> None:
    places = Places(("b", "a", "c"), "reject", "d.csv, column x")
    assert places.find(pa.array(["a", "c", "a"])).tolist() == [1, 2, 1]
    assert places.find(pa.array([], pa.string())).tolist() == []
    assert places.find(pa.array(["b"])).tolist() == [0]
    assert (places.values, places.strangers) == (("b", "a", "c"), 0)


@pytest.mark.parametrize(("value", "what"), [("x", "the value 'x'"), (None, "no value"), ("", "no value")])
def test_a_value_outside(value: str | None, what: str) -> None:
    places = Places(("a", "b"), "reject", "d.csv, column x")
    places.find(pa.array(["a"] * 1000))
    with pytest.raises(InputError) as caught:
        places.find(pa.array(["b", value, "y"]))
    assert str(caught.value) == (
        f"Row 1,002 of d.csv, column x has {what}, outside the declared domain: "
        "extend the domain, or report such rows as one more value (--other bucket)."
    )


def test_values_outside_as_one_more() -> None:
    places = Places(("a", "b"), "bucket", "d.csv, column x")
    assert places.values == ("a", "b", "(other)")
    assert places.find(pa.array(["x", "b", None, "", "(other)", "a"])).tolist() == [2, 1, 2, 2, 2, 0]
    assert places.strangers == 4
    with pytest.raises(InputError, match=r"^The declared domain already has a value \(other\)\.$"):
        Places(("a", "(other)"), "bucket", "d.csv, column x")
