"""Files that are none of reports, or damaged, are refused with a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from qifldp.engines.local import count_reports
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError
from qifldp.protocols.protocol import Protocol
from unit.engines.samples import (
    binary,
    build,
    draw,
    header_of,
    outcome,
    raw_arrow,
    raw_csv,
    raw_parquet,
    with_damaged_index,
    with_rows,
    write,
)

BITS = build("oue", 5)
HASH = build("lh:g=3", 9)


KEYS = "The header of a file of reports must have exactly: fingerprint, format, protocol, simulated, values."
FINGERPRINT = "The fingerprint in the header of the reports is not that of their protocol."
EXACT = 'A protocol\'s parameters must be exact text, such as {"epsilon": "0.5"}.'
HEADERS = [
    ({"more": 1}, KEYS),
    ({"simulated": "gone"}, KEYS),
    ({"format": 2}, "format of the reports must be 1, got 2."),
    ({"format": True}, "format of the reports must be 1, got True."),
    ({"format": float("nan")}, "format of the reports must be 1, got nan."),
    ({"simulated": 0}, "simulated in the header of the reports must be true or false, got 0."),
    ({"values": ["a", "a", "b", "c", "d"]}, "The values in the header of the reports must be different texts."),
    ({"values": [1, 2, 3, 4, 5]}, "The values in the header of the reports must be different texts."),
    ({"values": ["a", "b"]}, "A protocol of 5 values has 2 labels."),
    ({"fingerprint": "0" * 32}, FINGERPRINT),
    ({"fingerprint": None}, FINGERPRINT),
    ({"protocol": None}, "A protocol's description must have exactly: protocol, domain_size, parameters."),
    ({"protocol": build("oue", 6).to_json()}, FINGERPRINT),
    (
        {"protocol": BITS.to_json() | {"domain_size": float("nan")}},
        "domain size must be a whole number, got nan.",
    ),
    ({"protocol": BITS.to_json() | {"parameters": {"epsilon": 1}}}, EXACT),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "sentence"), HEADERS)
def test_headers(tmp_path: Path, changes: dict[str, object], sentence: str) -> None:
    column, metadata = {"report": binary(b"\0")}, header_of(BITS, **changes)
    for path in (
        raw_parquet(tmp_path / "r.parquet", column, metadata),
        raw_arrow(tmp_path / "r.arrow", column, metadata),
    ):
        assert outcome(path) == f"The header of '{path.name}' is wrong: {sentence}"
    (tmp_path / "r.csv").write_bytes(b"#qifldp " + metadata[b"qifldp"] + b"\nreport\n00\n")
    assert outcome(tmp_path / "r.csv") == f"The header of 'r.csv' is wrong: {sentence}"


@pytest.mark.parametrize("key", ["format", "simulated", "domain_size", "epsilon"])
def test_headers_that_have_a_key_twice(tmp_path: Path, key: str) -> None:
    """Which of the two would count is for each reader to say, so neither does."""
    text = header_of(BITS)[b"qifldp"].decode()
    twice = re.sub(rf'("{key}": (?:"[^"]*"|\w+))', r"\1, \1", text)
    assert len(twice) > len(text)
    column, metadata = {"report": binary(b"\0")}, {b"qifldp": twice.encode()}
    raw_parquet(tmp_path / "r.parquet", column, metadata)
    raw_arrow(tmp_path / "r.arrow", column, metadata)
    (tmp_path / "r.csv").write_text(f"#qifldp {twice}\nreport\n00\n")
    for path in tmp_path.iterdir():
        assert outcome(path) == f"The header of '{path.name}' is not JSON, or has a key twice."


def nested(form: str) -> pa.Array:
    """Return a row with a dictionary in it, however deep."""
    words = pa.array(["x"]).dictionary_encode()
    one = pa.array([0, 1], pa.int32())
    return {
        "list": lambda: pa.ListArray.from_arrays(one, words),
        "struct": lambda: pa.StructArray.from_arrays([words], ["a"]),
        "struct of lists": lambda: pa.StructArray.from_arrays([pa.ListArray.from_arrays(one, words)], ["a"]),
        "map": lambda: pa.MapArray.from_arrays(one, pa.array(["k"]), words),
        "union": lambda: pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [words]),
        "extension": lambda: pa.ExtensionArray.from_storage(pa.opaque(words.type, "answer", "somebody"), words),
    }[form]()


Make = Callable[[Path], Path]
NO_REPORTS = "is not a file of reports: write one with qifldp perturb."


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda at: raw_parquet(at / "r.parquet", {"report": binary(b"\0")}, None), f"'r.parquet' {NO_REPORTS}"),
        (lambda at: raw_parquet(at / "r.parquet", {"x": binary(b"\0")}, header_of(BITS)), f"'r.parquet' {NO_REPORTS}"),
        (lambda at: raw_arrow(at / "r.arrow", {"report": binary(b"\0")}, {b"other": b"{}"}), f"'r.arrow' {NO_REPORTS}"),
        (lambda at: raw_csv(at / "r.csv", BITS, "reports\n00\n"), f"'r.csv' {NO_REPORTS}"),
        (lambda at: raw_csv(at / "r.csv", BITS, ""), f"'r.csv' {NO_REPORTS}"),
        (lambda at: raw_csv(at / "r.csv", BITS, "report,report\n00,00\n"), "'r.csv' has 2 columns called report."),
        (
            lambda at: raw_parquet(at / "r.parquet", {"report": binary(b"\0")}, {b"qifldp": b"{not JSON"}),
            "The header of 'r.parquet' is not JSON, or has a key twice.",
        ),
        (
            lambda at: raw_parquet(at / "r.parquet", {"report": binary(b"\0")}, {b"qifldp": b"[" * 100_000}),
            "The header of 'r.parquet' is not JSON, or has a key twice.",
        ),
        (
            lambda at: raw_parquet(at / "r.parquet", {"report": binary(b"\0"), "id": pa.array([0.5])}, header_of(BITS)),
            "The column id of 'r.parquet' must be text or whole numbers, got 'double'.",
        ),
        (
            lambda at: raw_arrow(at / "r.arrow", {"report": binary(b"\0").dictionary_encode()}, header_of(BITS)),
            "'r.arrow' has a dictionary in its column 'report': write it plain.",
        ),
        *(
            (
                lambda at, inner=inner: raw_arrow(
                    at / "r.arrow", {"report": binary(b"\0"), "more": nested(inner)}, header_of(BITS)
                ),
                "'r.arrow' has a dictionary in its column 'more': write it plain.",
            )
            for inner in ("list", "struct", "struct of lists", "map", "union", "extension")
        ),
        (
            lambda at: raw_arrow(at / "r.arrow", {"report": binary(b"\0").cast(pa.binary_view())}, header_of(BITS)),
            "'r.arrow' has views in its column 'report': write it plain.",
        ),
        (
            lambda at: raw_arrow(
                at / "r.arrow", {"report": binary(b"\0"), "id": pa.array(["a"], pa.string_view())}, header_of(BITS)
            ),
            "'r.arrow' has views in its column 'id': write it plain.",
        ),
        (
            lambda at: raw_arrow(at / "r.arrow", {"report": binary(*[b"\0"] * 100)}, header_of(BITS), "zstd"),
            "'r.arrow' is compressed: write it without compression.",
        ),
        (
            lambda at: raw_parquet(
                at / "r.parquet",
                {"report": binary(b"\0")},
                header_of(BITS),
                use_dictionary=False,
                column_encoding={"report": "DELTA_BYTE_ARRAY"},
            ),
            "Row group 1 of 'r.parquet' is encoded as DELTA_BYTE_ARRAY: write it plain.",
        ),
    ],
)  # fmt: skip
def test_files_that_are_not_of_reports(tmp_path: Path, make: Make, sentence: str) -> None:
    assert outcome(make(tmp_path)) == sentence


@pytest.mark.parametrize("name", ["r.parquet", "r.arrow", "r.feather", "r.csv"])
@pytest.mark.parametrize(
    "content", [b"garbage" * 99, b"\0" * 5000, b"#qifldp {}", b"PAR1" + b"\xff" * 99 + b"PAR1", b"ARROW1"]
)
def test_garbage(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    sentence = outcome(tmp_path / name)
    assert isinstance(sentence, str)
    assert f"'{name}'" in sentence
    assert sentence.endswith(".")
    (tmp_path / name).write_bytes(b"")
    assert str(outcome(tmp_path / name)).endswith("is empty.")


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.9, 0.999])
def test_truncated_files(tmp_path: Path, ending: str, share: float) -> None:
    reports = draw(HASH, 900)
    write(tmp_path / "a.csv", reports[:300])
    path = write(tmp_path / f"b{ending}", reports, rows=100)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    sentence = outcome(tmp_path)
    assert isinstance(sentence, str)
    assert sentence.startswith(f"The file 'b{ending}' cannot be read: ")
    assert sentence.endswith(" 300 reports were counted before.")


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".csv"])
def test_flipped_bytes_never_lead_to_anything_but_a_sentence_or_counts(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"r{ending}", draw(HASH, 90), ids=[f"u{i}" for i in range(90)], rows=30)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    errors = 0
    for place in {*rng.integers(0, len(whole), 150).tolist(), *range(len(whole) - 60, len(whole))}:
        flipped = bytearray(whole)
        flipped[place] ^= int(rng.integers(1, 256))
        path.write_bytes(flipped)
        found = outcome(path)
        if isinstance(found, str):
            errors += 1
            assert "'r" in found
        else:
            assert sum(found.values()) <= 91
    assert errors > 5


def test_page_checksums_find_a_flipped_bit_of_a_report(tmp_path: Path) -> None:
    reports = draw(HASH, 90)
    path = write(tmp_path / "r.parquet", reports)
    whole = bytearray(path.read_bytes())
    place = bytes(whole).index(reports.rows[40].tobytes())
    whole[place] ^= 1
    path.write_bytes(whole)
    assert str(outcome(path)).startswith("The file 'r.parquet' cannot be read: ")


def test_another_protocol_parameters_or_values(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", draw(BITS, 10), header=ReportHeader(BITS, tuple("abcde")))
    write(tmp_path / "b.csv", draw(build("sue", 5), 4))
    write(tmp_path / "c.arrow", draw(build("oue:epsilon=1.01", 5), 3))
    write(tmp_path / "d.parquet", draw(build("oue", 6), 2))
    write(tmp_path / "e.parquet", draw(BITS, 7), header=ReportHeader(BITS, tuple("abced")))
    write(tmp_path / "f.parquet", draw(BITS, 1), header=ReportHeader(BITS, tuple("abcde")))
    assert outcome(tmp_path) == {"counted": 11, "another protocol, or other parameters": 9, "another list of values": 7}


def test_arrow_file_that_ends_before_its_last_batch(tmp_path: Path) -> None:
    path = write(tmp_path / "r.arrow", draw(HASH, 90), rows=30)
    whole = bytearray(path.read_bytes())
    begins = [found.start() for found in re.finditer(rb"\xff\xff\xff\xff[^\0]", bytes(whole))]  # schema and batches
    assert len(begins) == 4
    whole[begins[3] + 4 : begins[3] + 8] = bytes(4)  # a message of no length ends the stream
    path.write_bytes(whole)
    sentence = "'r.arrow' has another number of batches than it says. 60 reports were counted before."
    assert outcome(path) == sentence


@pytest.mark.parametrize("column", ["report", "id"])
def test_index_beyond_a_dictionary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, column: str) -> None:
    monkeypatch.chdir(tmp_path)
    path = with_damaged_index(Path("r.parquet"), column)
    sentence = (
        r"^The file 'r\.parquet' cannot be read: .*Dictionary indices invalid.* out of bounds: .* "
        r"48 reports were counted before"
    )
    assert re.match(sentence + r"\.$", str(outcome(path)))
    with pytest.raises(InputError, match=sentence + r"; those of whole files, 0, are in 'c\.json'\.$"):
        count_reports(path, checkpoint="c.json")


def test_parquet_file_with_fewer_rows_than_it_says(tmp_path: Path) -> None:
    path = with_rows(write(tmp_path / "r.parquet", draw(HASH, 90)), 90, 95, 95, 95)
    assert outcome(path) == "Row group 1 of 'r.parquet' has fewer rows than it says. 90 reports were counted before."


DAMAGED = "The file 'b.parquet' cannot be read: its footer is damaged."
MANY = 1 << 62


@pytest.mark.parametrize("protocol", [HASH, BITS], ids=["counted", "refused"])
@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ((-1, 1000, 1000), DAMAGED),
        ((0, 1000, 1000), DAMAGED),
        ((MANY, 1000, 1000), DAMAGED),
        ((1000, 1000, 999), DAMAGED),
        ((2000, 1000, 2000), DAMAGED),
        ((-1, 1000, -1), DAMAGED),
        ((MANY, MANY, MANY), f"Row group 1 of 'b.parquet' has {MANY:,} rows: write it in smaller row groups."),
    ],
)
def test_numbers_of_rows_that_do_not_fit_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: Protocol, said: tuple[int, ...], sentence: str
) -> None:
    """Nor are rows counted as refused that nobody has seen; what was counted before outlives it."""
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "source"
    source.mkdir()
    write(source / "a.parquet", draw(HASH, 300))
    path = write(source / "b.parquet", draw(protocol, 1000))
    whole = path.read_bytes()
    with_rows(path, 1000, *said)
    with pytest.raises(InputError) as caught:
        count_reports(source, checkpoint="c.json")
    assert str(caught.value) == f"{sentence} 300 reports were counted before, and are kept in 'c.json'."
    path.write_bytes(whole)
    found = count_reports(source, checkpoint="c.json").accumulator
    assert found.n + sum(found.refused.values()) == 1300
