"""A run that is killed goes on where its checkpoint stands: nothing is counted twice, and nothing is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import qifldp
from qifldp.collection.reports import Reports
from qifldp.engines import local
from qifldp.engines.checkpoint import Checkpoint
from qifldp.engines.local import Progress, count_reports
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError
from unit.engines.samples import build, draw, header_of, raw_parquet, same, write

PROTOCOL = build("olh", 40)

COUNTING = """
import sys, time
from qifldp.engines import local
local.SECONDS = 0.005
def progress(share, rows):
    print(rows, flush=True)
    time.sleep(0.001)
local.count_reports(sys.argv[1], threads=2, checkpoint=sys.argv[2], progress=progress)
print("done", flush=True)
"""


def start(source: Path, checkpoint: Path) -> subprocess.Popen[str]:
    """Start counting in a process of its own, and wait until it has read something and written a checkpoint."""
    process = subprocess.Popen(
        [sys.executable, "-c", COUNTING, str(source), str(checkpoint)],
        env=os.environ | {"PYTHONPATH": str(Path(qifldp.__file__).parents[1])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    while not checkpoint.exists() and process.poll() is None:
        time.sleep(0.001)
    return process


def finished(process: subprocess.Popen[str]) -> bool:
    output = process.communicate(timeout=60)[0]
    return output.endswith("done\n")


@pytest.mark.parametrize("ids", [False, True], ids=["without ids", "with ids"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_killed_again_and_again(tmp_path: Path, seed: int, ids: bool) -> None:
    rng, source = random.Random(seed), tmp_path / "source"
    source.mkdir()
    names = [f"u{rng.randrange(9000)}" for _ in range(9000)]
    reports = draw(PROTOCOL, 9000, seed)
    for place, ending in enumerate((".parquet", ".arrow", ".csv", ".parquet")):
        part = slice(2200 * place, 2200 * place + 2200)
        write(source / f"{place}{ending}", reports[part], ids=names[part] if ids else None, rows=20)
    write(source / "9.parquet", draw(build("oue", 40), 50))
    whole = count_reports(source).accumulator
    assert whole.n + sum(whole.refused.values()) == 8850
    assert (whole.refused["an id seen before"] > 1000) if ids else len(whole.refused) == 1
    checkpoint, inside = tmp_path / "c.json", 0
    for _ in range(4):
        process = start(source, checkpoint)
        time.sleep(rng.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        if not finished(process):
            done = json.loads(checkpoint.read_text())
            inside += 0 < done["files"] * 2200 + begun_rows(checkpoint) < 8800
    assert inside > 0  # else no kill has tested anything
    counted = count_reports(source, checkpoint=checkpoint)
    assert same(counted.accumulator, whole)
    assert same(count_reports(source, checkpoint=checkpoint).accumulator, whole)  # from the end, nothing is added


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_are_refused(tmp_path: Path, threads: int) -> None:
    path = write(tmp_path / "r.parquet", draw(PROTOCOL, 10))
    with pytest.raises(InputError) as refused:
        count_reports(path, threads=threads)
    assert str(refused.value) == f"threads must be at least 1, got {threads}."


class Killed(BaseException):
    """What ends a run as a kill does: nothing is saved after it."""


def begun_rows(checkpoint: Path) -> int:
    """Return how many rows of a begun file a checkpoint holds."""
    begun = json.loads(checkpoint.read_text())["begun"] if checkpoint.exists() else None
    return int(begun["rows"]) if begun else 0


def kill_within_last_file(_: float, __: int) -> None:
    """Read slowly, and end as soon as the checkpoint holds something of the last file."""
    time.sleep(0.03)
    checkpoint, last = Path("c.json"), len(list(Path("source").iterdir())) - 1
    if begun_rows(checkpoint) and json.loads(checkpoint.read_text())["files"] == last:
        raise Killed


def kill_before_saving(_: float, rows: int) -> None:
    """End within the last file, when no checkpoint has been written."""
    if rows > 1500:
        raise Killed


def damage(path: Path, report: bytes) -> bytes:
    """Flip a bit of a report in a file, and return what the file was."""
    whole = path.read_bytes()
    damaged = bytearray(whole)
    damaged[whole.index(report)] ^= 1
    path.write_bytes(damaged)
    return whole


LOST = (
    r"^The file 'z\.parquet' cannot be read: .* 2,100 reports were counted before; "
    r"those of whole files, 1,000, are in 'c\.json'\.$"
)


@pytest.mark.parametrize("ids", [False, True], ids=["without ids", "with ids"])
@pytest.mark.parametrize("kill", [None, kill_before_saving, kill_within_last_file])
def test_at_a_damaged_file_the_whole_files_before_it_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kill: Progress | None, ids: bool
) -> None:
    """Also if the run was killed within that file before, and its checkpoint holds some of it."""
    monkeypatch.chdir(tmp_path)
    source = Path("source")
    source.mkdir()
    reports, names = draw(PROTOCOL, 3000), [f"u{place}" for place in range(3000)] if ids else None
    write(source / "a.csv", reports[:500], ids=names and names[:500])
    write(source / "b.arrow", reports[500:1000], ids=names and names[500:1000])
    write(source / "z.parquet", reports[1000:], rows=50, ids=names and names[1000:])
    whole = damage(source / "z.parquet", reports.rows[2120].tobytes())
    if kill is not None:
        with monkeypatch.context() as patch:
            patch.setattr(local, "SECONDS", 0.0 if kill is kill_within_last_file else 3600.0)
            with pytest.raises(Killed):
                count_reports(source, checkpoint="c.json", progress=kill)
    if kill is kill_within_last_file:
        kept = json.loads(Path("c.json").read_text())
        assert (kept["files"], sum(kept["counts"]["totals"])) == (2, 1000)
        assert kept["begun"]["rows"] == sum(kept["begun"]["counts"]["totals"]) > 0
    for _ in range(2):  # and still, if nothing is mended
        with pytest.raises(InputError, match=LOST):
            count_reports(source, checkpoint="c.json")
        kept = json.loads(Path("c.json").read_text())
        assert (kept["files"], kept["begun"], sum(kept["counts"]["totals"])) == (2, None, 1000)
    (source / "z.parquet").write_bytes(whole)
    write(source / "zz.parquet", reports[:7], ids=names and names[:7])  # and one more has come
    mended = count_reports(source, checkpoint="c.json").accumulator
    assert mended.n == (3000 if ids else 3007)
    assert same(mended, count_reports(source).accumulator)


def test_a_begun_file_that_changed_is_counted_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Right after the kill, before anybody met the damage: the counts of the whole files outlive it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local, "SECONDS", 0.0)
    source = Path("source")
    source.mkdir()
    write(source / "a.csv", draw(PROTOCOL, 300))
    write(source / "b.parquet", draw(PROTOCOL, 900), rows=30)
    with pytest.raises(Killed):
        count_reports(source, checkpoint="c.json", progress=kill_within_last_file)
    assert begun_rows(Path("c.json")) > 0
    write(source / "b.parquet", draw(PROTOCOL, 901, 1), rows=100)
    read: list[int] = []
    found = count_reports(source, checkpoint="c.json", progress=lambda _, rows: read.append(rows)).accumulator
    assert same(found, count_reports(source).accumulator)
    assert max(read) == 901  # a.csv was not read again


@pytest.mark.parametrize("spec", ["olh", "oue"])
def test_a_first_file_that_was_only_begun_may_be_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    """Of another protocol or of other parameters, too: no whole file was counted, so nothing of it has to hold."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local, "SECONDS", 0.0)
    source = Path("source")
    source.mkdir()
    write(source / "a.parquet", draw(PROTOCOL, 900), rows=30)
    with pytest.raises(Killed):
        count_reports(source, checkpoint="c.json", progress=kill_within_last_file)
    assert begun_rows(Path("c.json")) > 0
    write(source / "a.parquet", draw(build(spec, 41), 901, 1), rows=100)
    found = count_reports(source, checkpoint="c.json").accumulator
    assert found.n == 901
    assert same(found, count_reports(source).accumulator)


def replace_at_another_time(path: Path, reports: Reports) -> None:
    """Write other reports over a file of as many bytes, a microsecond later."""
    before = path.stat()
    write(path, reports, rows=30)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1000))
    assert path.stat().st_size == before.st_size


def test_files_of_the_same_name_and_size_are_told_by_their_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local, "SECONDS", 0.0)
    source = Path("source")
    source.mkdir()
    write(source / "a.arrow", draw(PROTOCOL, 90), rows=30)
    write(source / "b.arrow", draw(PROTOCOL, 900), rows=30)
    with pytest.raises(Killed):
        count_reports(source, checkpoint="c.json", progress=kill_within_last_file)
    assert begun_rows(Path("c.json")) > 0
    replace_at_another_time(source / "b.arrow", draw(PROTOCOL, 900, 1))
    found = count_reports(source, checkpoint="c.json").accumulator
    assert same(found, count_reports(source).accumulator)
    replace_at_another_time(source / "a.arrow", draw(PROTOCOL, 90, 1))
    with pytest.raises(InputError, match=r"^The checkpoint 'c\.json' is of other reports, see 'a\.arrow': remove it"):
        count_reports(source, checkpoint="c.json")


@pytest.mark.parametrize("seed", range(6))
def test_counts_of_whole_files_and_of_the_begun_one_are_apart(tmp_path: Path, seed: int) -> None:
    """Whatever is in the hands of the threads when a file ends: of many small files, one in the midst is damaged."""
    rng, source, good = random.Random(seed), tmp_path / "source", tmp_path / "good"
    source.mkdir()
    good.mkdir()
    reports, bad = draw(PROTOCOL, 40 * 60, seed), rng.randrange(20, 40)
    for place in range(40):
        part = reports[60 * place : 60 * place + 60]
        path = write(source / f"{place:02}.parquet", part, rows=rng.choice([7, 20, 60]))
        if place < bad:
            (good / path.name).hardlink_to(path)
        if place == bad:
            damage(path, part.rows[50].tobytes())
    with pytest.raises(InputError, match=f"{bad}.parquet"):
        count_reports(source, threads=4, checkpoint=tmp_path / "c.json")
    kept = json.loads((tmp_path / "c.json").read_text())
    assert (kept["files"], kept["counts"]) == (bad, count_reports(good).accumulator.to_json())


def test_a_simulation_is_told_after_resuming(tmp_path: Path) -> None:
    """Also if it was the only one of the files, and was counted before."""
    source = tmp_path / "source"
    source.mkdir()
    write(source / "a.parquet", draw(PROTOCOL, 10), header=ReportHeader(PROTOCOL, simulated=True))
    write(source / "b.parquet", draw(PROTOCOL, 10))
    for _ in range(2):
        assert count_reports(source, checkpoint=tmp_path / "c.json").header.simulated
    write(source / "c.parquet", draw(PROTOCOL, 10))
    assert count_reports(source, checkpoint=tmp_path / "c.json").header.simulated


def test_files_that_were_counted_must_be_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = Path("source")
    source.mkdir()
    write(source / "a.csv", draw(PROTOCOL, 100))
    (source / "b.parquet").write_bytes(b"garbage" * 99)
    with pytest.raises(InputError, match=r"100 reports were counted before, and are kept in 'c\.json'\.$"):
        count_reports(source, checkpoint="c.json")
    write(source / "a.csv", draw(PROTOCOL, 101))
    with pytest.raises(InputError, match=r"^The checkpoint 'c\.json' is of other reports, see 'a\.csv': remove it"):
        count_reports(source, checkpoint="c.json")


def test_bad_source_leaves_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "r.parquet").write_bytes(b"garbage" * 99)
    with pytest.raises(InputError):
        count_reports(tmp_path / "r.parquet", checkpoint=tmp_path / "c.json")
    assert not (tmp_path / "c.json").exists()


def test_checkpoints_are_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "r.parquet", draw(PROTOCOL, 1000), rows=10)
    saved: list[int] = []
    save = Checkpoint.save

    def noted(self: Checkpoint, file: str | Path) -> None:
        saved.append(self.counts.n)
        save(self, file)

    monkeypatch.setattr(Checkpoint, "save", noted)
    count_reports(path, checkpoint=tmp_path / "slow.json")
    assert saved == [1000]
    monkeypatch.setattr(local, "SECONDS", 0.0)
    count_reports(path, checkpoint=tmp_path / "fast.json")
    assert len(saved) > 3
    assert saved[1:] == sorted(saved[1:])


NOT_KEPT = "0 reports were counted before; those of whole files, 0, are in 'c.json'."
AGAIN = "remove it to count from the beginning."
REMOVE = AGAIN.capitalize()
EMPTY = PROTOCOL.accumulator().to_json()
NO_CHECKPOINT = "'c.json' exists and is not a checkpoint: name another file to keep the counts in."


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"schema_version": 2}, "schema_version of the checkpoint must be 1, got 2."),
        ({"schema_version": True}, "schema_version of the checkpoint must be 1, got True."),
        ({"kind": "other"}, NO_CHECKPOINT),
        ({"more": 1}, NO_CHECKPOINT),
        ({"files": -1}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"files": 2}, f"The checkpoint 'c.json' is of other reports, see the number of files, 1: {AGAIN}"),
        ({"files": True}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"begun": 5}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"begun": {"rows": 5}}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"begun": {"rows": 0.5, "counts": EMPTY}}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"begun": {"rows": 0, "counts": EMPTY}}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"begun": {"rows": True, "counts": EMPTY}}, f"'c.json' is not a checkpoint: {AGAIN}"),
        (
            {"files": 0, "begun": {"rows": 5, "counts": EMPTY | {"totals": [-1]}}},
            f"'c.json' is not a checkpoint of these reports: The counts must be whole numbers. {REMOVE}",
        ),
        ({"weights": "plain"}, f"The checkpoint 'c.json' is of other --weights: {AGAIN}"),
        ({"inputs": []}, f"The checkpoint 'c.json' is of other reports, see the number of files, 1: {AGAIN}"),
        ({"inputs": None}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"inputs": [["r.parquet", 1, 1]]}, f"The checkpoint 'c.json' is of other reports, see 'r.parquet': {AGAIN}"),
        (
            {"files": 0, "counts": EMPTY, "begun": {"rows": 15, "counts": EMPTY}},
            (
                "The checkpoint ends inside a piece of 'r.parquet': start again to count that file from its first row. "
                f"{NOT_KEPT}"
            ),
        ),
        (
            {"counts": build("oue", 40).accumulator().to_json()},
            (
                "'c.json' is not a checkpoint of these reports: "
                f"The counts are of another protocol, or of other parameters. {REMOVE}"
            ),
        ),
        (
            {"counts": PROTOCOL.accumulator(weights="plain").to_json()},
            f"The checkpoint 'c.json' is of other classes of size: {AGAIN}",
        ),
        (
            {"counts": EMPTY | {"totals": [-1]}},
            f"'c.json' is not a checkpoint of these reports: The counts must be whole numbers. {REMOVE}",
        ),
    ],
)
def test_checkpoints_that_do_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("r.parquet"), draw(PROTOCOL, 30), rows=10)
    count_reports("r.parquet", checkpoint="c.json")
    document = json.loads(Path("c.json").read_text()) | changes
    Path("c.json").write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        count_reports("r.parquet", checkpoint="c.json")
    assert str(caught.value) == sentence


@pytest.mark.parametrize("content", ["{not JSON", "[" * 100_000, "[]", "1" * 5000, '{"a": NaN}'])
def test_checkpoints_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("r.parquet"), draw(PROTOCOL, 30))
    Path("c.json").write_text(content)
    with pytest.raises(InputError) as caught:
        count_reports("r.parquet", checkpoint="c.json")
    assert str(caught.value) == NO_CHECKPOINT
    assert Path("c.json").read_text() == content


def test_checkpoint_that_has_a_key_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("r.parquet"), draw(PROTOCOL, 30))
    count_reports("r.parquet", checkpoint="c.json")
    Path("c.json").write_text(Path("c.json").read_text().replace('"files": ', '"files": 0, "files": '))
    with pytest.raises(InputError) as caught:
        count_reports("r.parquet", checkpoint="c.json")
    assert str(caught.value) == NO_CHECKPOINT


def test_refused_files_are_refused_once(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    write(source / "a.parquet", draw(PROTOCOL, 30))
    raw_parquet(source / "b.parquet", {"report": pa.array([1, 2])}, header_of(PROTOCOL))
    write(source / "c.parquet", draw(build("oue", 40), 7))
    (source / "d.parquet").write_bytes(b"garbage" * 99)
    for _ in range(2):
        with pytest.raises(InputError, match="30 reports were counted before"):
            count_reports(source, checkpoint=tmp_path / "c.json")
        refused = json.loads((tmp_path / "c.json").read_text())["counts"]["refused"]
        assert refused == {"another protocol, or other parameters": 7, "int64 instead of bytes": 2}
