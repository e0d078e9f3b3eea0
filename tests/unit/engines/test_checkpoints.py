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
from qifldp.engines import local
from qifldp.engines.checkpoint import Checkpoint
from qifldp.engines.local import count_reports
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
            inside += 0 < done["files"] * 2200 + done["rows"] < 8800
    assert inside > 0  # else no kill has tested anything
    counted = count_reports(source, checkpoint=checkpoint)
    assert same(counted.accumulator, whole)
    assert same(count_reports(source, checkpoint=checkpoint).accumulator, whole)  # from the end, nothing is added


def test_damaged_file_after_good_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(local, "SECONDS", 0.0)  # counts of whole files are kept at every file, not every two seconds
    source = Path("source")
    source.mkdir()
    reports = draw(PROTOCOL, 3000)
    write(source / "a.csv", reports[:1000])
    write(source / "b.parquet", reports[1000:], rows=500)
    whole = (source / "b.parquet").read_bytes()
    place = whole.index(reports.rows[2100].tobytes())
    damaged = bytearray(whole)
    damaged[place] ^= 1
    (source / "b.parquet").write_bytes(damaged)
    sentence = (
        r"^The file 'b\.parquet' cannot be read: .* 2,000 reports were counted before; "
        r"those of whole files, 1,000, are in 'c\.json'\.$"
    )
    with pytest.raises(InputError, match=sentence):
        count_reports(source, checkpoint="c.json")
    kept = json.loads(Path("c.json").read_text())
    assert (kept["files"], kept["rows"], sum(kept["counts"]["totals"])) == (1, 0, 1000)
    with pytest.raises(InputError, match=sentence):  # and still, if nothing is mended
        count_reports(source, checkpoint="c.json")
    (source / "b.parquet").write_bytes(whole)
    write(source / "c.parquet", reports[:7])  # and one more has come
    mended = count_reports(source, checkpoint="c.json").accumulator
    again = count_reports(source).accumulator
    assert mended.n == 3007
    assert same(mended, again)


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


KEPT = "30 reports were counted before, and are kept in 'c.json'."
AGAIN = "remove it to count from the beginning."
NO_CHECKPOINT = "'c.json' exists and is not a checkpoint: name another file to keep the counts in."


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"schema_version": 2}, "schema_version of the checkpoint must be 1, got 2."),
        ({"kind": "other"}, NO_CHECKPOINT),
        ({"more": 1}, NO_CHECKPOINT),
        ({"files": -1}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"files": 2}, f"The checkpoint 'c.json' is of other reports, see the number of files, 1: {AGAIN}"),
        ({"files": True}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"rows": 0.5}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"rows": -1}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"weights": "plain"}, f"The checkpoint 'c.json' is of other --weights: {AGAIN}"),
        ({"inputs": []}, f"The checkpoint 'c.json' is of other reports, see the number of files, 1: {AGAIN}"),
        ({"inputs": None}, f"'c.json' is not a checkpoint: {AGAIN}"),
        ({"inputs": [["r.parquet", 1, 1]]}, f"The checkpoint 'c.json' is of other reports, see 'r.parquet': {AGAIN}"),
        (
            {"inputs": [["r.parquet", 1, 1]], "files": 0, "rows": 10},
            f"The checkpoint 'c.json' is of other reports, see 'r.parquet': {AGAIN}",
        ),
        ({"rows": 5, "files": 0}, f"The checkpoint ends inside a piece of 'r.parquet': {AGAIN} {KEPT}"),
        (
            {"counts": build("oue", 40).accumulator().to_json()},
            (
                "'c.json' is not a checkpoint of these reports: "
                "The counts are of another protocol, or of other parameters."
            ),
        ),
        (
            {"counts": PROTOCOL.accumulator(weights="plain").to_json()},
            f"The checkpoint 'c.json' is of other classes of size: {AGAIN}",
        ),
        (
            {"counts": PROTOCOL.accumulator().to_json() | {"totals": [-1]}},
            "'c.json' is not a checkpoint of these reports: The counts must be whole numbers.",
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
