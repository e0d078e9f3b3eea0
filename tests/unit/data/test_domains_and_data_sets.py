"""Domain files, populations, and the embedded data sets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from qifldp.data.columns import read_domain
from qifldp.data.datasets import datasets, load_dataset
from qifldp.data.population import Population
from qifldp.errors import InputError

ADULT_COLUMNS = {
    "workclass": 9,
    "education": 16,
    "marital-status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native-country": 42,
    "income": 2,
    "age": 73,
    "education-num": 16,
    "hours-per-week": 94,
}
"""Numbers of different values in the training part of Adult, from the repository's own description and file."""


def test_domain_file_keeps_its_order(tmp_path: Path) -> None:
    file = tmp_path / "domain.txt"
    file.write_bytes("\ufeffzebra\r\n\r\n  ape \r\nKöln\r\n".encode())
    assert read_domain(file) == ("zebra", "  ape ", "Köln")  # blanks are part of a value, as they are in the data


UNICODE_BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""Characters at which Unicode may break a line, and at which no file ends one."""


def test_values_end_where_lines_do(tmp_path: Path) -> None:
    file = tmp_path / "domain.txt"
    values = [f"a{character}b" for character in UNICODE_BREAKS]
    file.write_bytes("\r\n".join([*values, "c"]).encode())
    assert read_domain(file) == (*values, "c")
    file.write_bytes(b"x\ry\r\rz")
    assert read_domain(file) == ("x", "y", "z")


def test_kosarak_is_the_published_counts() -> None:
    found = load_dataset("Kosarak")
    assert len(found.values) == len(set(found.values)) == 156
    assert found.counts[found.values.index("6")] == 601_374
    assert found.n == 3_617_178
    assert list(found.counts) == sorted(found.counts, reverse=True)


def test_adult_has_every_person_in_every_column() -> None:
    names = {name.removeprefix("adult-"): name for name in datasets() if name.startswith("adult-")}
    assert {column: len(load_dataset(name).values) for column, name in names.items()} == ADULT_COLUMNS
    for name in names.values():
        assert load_dataset(name).n == 32_561
        assert min(load_dataset(name).counts) > 0
    assert dict(zip(load_dataset("adult-sex").values, load_dataset("adult-sex").counts, strict=True)) == {
        "Male": 21_790,
        "Female": 10_771,
    }
    income = load_dataset("adult-income")
    assert sorted(income.counts) == [7_841, 24_720]


def test_missing_answers_are_noted() -> None:
    noted = {name for name, population in datasets().items() if population.notes}
    assert noted == {"adult-workclass", "adult-occupation", "adult-native-country"}
    assert load_dataset("adult-workclass").notes == ("The value ? stands for missing answers.",)


@pytest.mark.parametrize("name", sorted(datasets()))
def test_sources_and_licences_are_stated(name: str) -> None:
    found = load_dataset(name)
    assert re.search("CC BY 4.0" if name.startswith("adult") else "no licence is stated", found.source)
    assert found.title
    assert found.prior.probabilities.sum() == pytest.approx(1, abs=1e-15)  # a rounded sum of rounded shares
    assert found.prior.labels == found.values


def test_populations_need_two_values_and_somebody() -> None:
    with pytest.raises(InputError) as few:
        Population("Answers", ("x",), (3,))
    assert str(few.value) == "Answers has 1 value: a domain must have at least two."
    with pytest.raises(InputError) as nobody:
        Population("Answers", ("x", "y"), (0, 0))
    assert str(nobody.value) == "Answers has no rows with a value of the domain."
