"""``qifldp reproduce`` at a terminal."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import lzma
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from cli.terminal import Terminal, read_strictly
from qifldp.experiments.catalogue import FIGURES
from qifldp.rendering.reproduced import ENDINGS


def whole(folder: Path, name: str) -> bool:
    """Whether the files of a figure are those that its manifest lists."""
    listed = read_strictly((folder / f"{name}.json").read_text(encoding="utf-8"))["files"]
    assert set(listed) == {f"{name}.csv", f"{name}.svg", f"{name}.png"}
    return all(hashlib.sha256((folder / file).read_bytes()).hexdigest() == digest for file, digest in listed.items())


def test_all_figures_quickly(terminal: Terminal) -> None:
    document = terminal("reproduce", "all", "--quick", "--seed", "5", "--out", "made/here", "--json").document()
    folder = Path("made/here")
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{f}.{e}" for f in FIGURES for e in ENDINGS)
    assert {key: document[key] for key in ("folder", "quick", "seed")} == {
        "folder": "made/here", "quick": True, "seed": 5,
    }  # fmt: skip
    assert [figure["figure"] for figure in document["figures"]] == list(FIGURES)
    for name in FIGURES:
        assert whole(folder, name)
        ET.parse(folder / f"{name}.svg")
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    assert document["figures"][4]["parameters"]["stand_in"] is True


def test_one_figure_in_words(terminal: Terminal) -> None:
    outcome = terminal("reproduce", "FIG8", "--out", "figures")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "OUE at two budgets (Fig. 8)"
    assert lines[-1] == "In figures: fig8, each as .csv, .svg, .png, .json."
    assert "seed 0." in outcome.out
    assert sorted(path.name for path in Path("figures").iterdir()) == ["fig8.csv", "fig8.json", "fig8.png", "fig8.svg"]


def clicks(path: str, items: int = 4_000) -> None:
    """Write clicks in FIMI's format: Zipf's law, and each item once."""
    rng = np.random.default_rng(1)
    weights = 1 / np.arange(1, items + 1)
    drawn = np.concatenate((np.arange(1, items + 1), 1 + rng.choice(items, 20_000, p=weights / weights.sum())))
    Path(path).write_text("\n".join(" ".join(map(str, part)) for part in np.array_split(drawn, 3_000)))


def test_clicks_of_a_file(terminal: Terminal) -> None:
    clicks("k.dat")
    made = terminal("reproduce", "fig5", "--quick", "--kosarak", "k.dat", "--out", "f", "--json").document()["figures"]
    k = made[0]["parameters"]["values"]
    assert made[0]["parameters"]["stand_in"] is False
    assert made[0]["parameters"]["data"] == f"10,000 of 24,000 clicks of 'k.dat', {k:,} values"
    assert made[0]["notes"][-1].endswith(f"here k = {k:,}.")
    made = terminal("reproduce", "fig4", "--quick", "--kosarak", "k.dat", "--out", "f", "--json").document()["figures"]
    assert made[0]["parameters"]["data"] == "the 10 most frequent items of 24,000 clicks of 'k.dat'"


def test_the_real_kosarak(terminal: Terminal) -> None:
    named = os.environ.get("QIFLDP_KOSARAK")
    if named is None:
        pytest.skip("QIFLDP_KOSARAK names no file")
    made = terminal("reproduce", "fig5", "--quick", "--kosarak", named, "--out", "f", "--json").document()["figures"]
    assert 3_100 < made[0]["parameters"]["values"] < 3_700
    assert whole(Path("f"), "fig5")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("fig9",), "The figure must be one of fig1, fig2, fig3, fig4, fig5, fig6, fig7, fig8 or all, got 'fig9'."),
        (("fig8", "--seed", "-1"), "seed must be a whole number of at least 0, got -1."),
        (("fig6", "--kosarak", "k.dat"), "--kosarak is about fig4 and fig5: leave it out."),
        (("fig5", "--kosarak", "none.dat"), "There is no file 'none.dat'."),
        (
            ("fig5", "--kosarak", "few.dat"),
            (
                "'few.dat' is no file of transactions: lines of whole numbers below 10,000,000, ten different ones at "
                "least, separated by blanks."
            ),
        ),
        (
            ("fig5", "--quick", "--kosarak", "ten.dat"),
            "Of 10 clicks of 'ten.dat' 10,000 cannot be drawn.",
        ),
        (("fig8", "--out", "few.dat"), "The folder 'few.dat' cannot be made: File exists."),
        (("fig8", "--out", "few.dat/x"), "The folder 'few.dat/x' cannot be made: Not a directory."),
        (("fig8", "--out", ""), "The name of the folder is empty."),
    ],
)
def test_refused_arguments(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    Path("few.dat").write_text("1 2 3\n")
    Path("ten.dat").write_text(" ".join(map(str, range(10))))
    terminal.refuses(sentence, "reproduce", "--out", "figures", *arguments)


def test_the_clicks_are_not_written_over(terminal: Terminal) -> None:
    clicks("fig5.csv", 20)
    terminal.refuses(
        "The result would overwrite './fig5.csv', which it is made from: choose another file.".replace("./", ""),
        *("reproduce", "fig5", "--kosarak", "fig5.csv", "--out", "."),
    )


def test_without_the_extra(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "altair" else found(name))
    terminal.refuses(
        "Drawing needs Altair and vl-convert: pip install 'qifldp[figures]'.", "reproduce", "fig8", "--out", "figures"
    )
    assert not Path("figures").exists()


def test_a_killed_run_leaves_whole_files() -> None:
    """Every figure with a manifest is whole; what else is there is whole too, or bears a temporary name."""
    command = [sys.executable, "-m", "qifldp", "reproduce", "all", "--quick", "--out", "f"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        limit = time.monotonic() + 120
        while not Path("f/fig2.csv").exists() and time.monotonic() < limit:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    names = {path.name for path in Path("f").iterdir() if not path.name.startswith(".")}
    assert "fig2.csv" in names
    assert "fig8.csv" not in names
    assert all(whole(Path("f"), name) for name in FIGURES if f"{name}.json" in names)
    for name in names:
        content = (Path("f") / name).read_bytes()
        if name.endswith(".png"):
            assert content.endswith(b"IEND\xaeB`\x82")
        elif name.endswith(".svg"):
            ET.fromstring(content)
        elif name.endswith(".json"):
            json.loads(content)


def test_too_few_clicks_are_refused_before_anything_is_drawn(terminal: Terminal) -> None:
    Path("few.dat").write_text("\n".join(map(str, range(1, 12))), encoding="utf-8")
    terminal.refuses(
        "Of 11 clicks of 'few.dat' 10,000 cannot be drawn.",
        *("reproduce", "all", "--quick", "--kosarak", "few.dat", "--out", "figures"),
    )
    assert not list(Path("figures").glob("*"))


def test_what_is_in_the_way_is_refused_before_anything_is_simulated(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal("reproduce", "fig8", "--out", "f")
    before = {path.name: path.read_bytes() for path in Path("f").iterdir()}
    Path("f/fig6.png").mkdir()

    def simulates(*_: object) -> None:
        raise AssertionError

    monkeypatch.setitem(FIGURES, "fig1", simulates)
    terminal.refuses(
        "The file 'f/fig6.png' cannot be written: it is not a regular file.",
        "reproduce",
        "all",
        "--quick",
        "--out",
        "f",
    )
    Path("f/fig6.png").rmdir()
    assert {path.name: path.read_bytes() for path in Path("f").iterdir()} == before


def test_compressed_clicks_are_to_be_unpacked(terminal: Terminal) -> None:
    Path("k.dat.xz").write_bytes(lzma.compress(b"1 2 3"))
    terminal.refuses(
        "'k.dat.xz' is compressed: unpack it first (unxz).",
        *("reproduce", "fig4", "--kosarak", "k.dat.xz", "--out", "figures"),
    )


def test_the_module_of_the_commands_runs_them_too() -> None:
    ran = subprocess.run([sys.executable, "-m", "qifldp", "fig9"], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "fig9" in ran.stderr
