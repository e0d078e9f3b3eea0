"""A picture shows what its table holds, and its files are whole."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import struct
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from numpy.typing import NDArray

from qifldp.errors import InputError
from qifldp.experiments.catalogue import FIGURES
from qifldp.experiments.figure import Axis, Figure, Settings
from qifldp.rendering import figures
from qifldp.rendering.charts import LOOKS
from qifldp.rendering.figures import files_of, save
from qifldp.rendering.reproduced import ENDINGS
from qifldp.storage import write_atomically

QUICK = Settings(seed=3, quick=True)
ROLE, LABEL = "aria-roledescription", "aria-label"

PIXEL = 1e-3
"""Far below what can be seen, far above the rounding of an SVG's coordinates."""


@cache
def figure(name: str) -> Figure:
    return FIGURES[name](QUICK, lambda _: None)


@cache
def files(name: str) -> dict[str, bytes]:
    return files_of(figure(name))


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files(name)[f"{name}.csv"].decode())))


def picture(name: str) -> ET.Element:
    return ET.fromstring(files(name)[f"{name}.svg"])


def marks(name: str, role: str) -> list[ET.Element]:
    return [element for element in picture(name).iter() if element.get(ROLE) == role]


def shown(number: float) -> float:
    """Return a number with the digits that labels have at least."""
    return float(f"{number:.6e}")


@pytest.mark.parametrize("name", FIGURES)
def test_the_table_is_the_figure(name: str) -> None:
    table, drawn = rows(name), figure(name)
    assert list(table[0])[1:5] == ["series", "kind", drawn.x.key, drawn.y.key]
    for row, point in zip(table, drawn.points, strict=True):
        cells = list(row.values())
        assert cells[:3] == [point.panel, point.series, point.kind]
        numbers = [point.x, point.y, point.low, point.high, point.x_low, point.x_high]
        assert cells[3:] == ["" if number is None else str(number) for number in numbers]  # doubles, read back exactly


@pytest.mark.parametrize("name", FIGURES)
def test_every_simulated_point_of_the_table_is_in_the_picture(name: str) -> None:
    drawn, pattern = figure(name), re.compile(r": (-?[\d.e−-]+); .*: (-?[\d.e−-]+); series: (.*); points: (.*)$")
    seen: Counter[tuple[str, float, float]] = Counter()
    for mark in marks(name, "point"):
        label = re.search(pattern, str(mark.get(LABEL)))
        assert label is not None
        assert label[4] == f"{label[3]}, simulated"
        seen[label[3], shown(float(label[1])), shown(float(label[2].replace("−", "-")))] += 1
    table = [row for row in rows(name) if row["kind"] == "simulation"]
    wanted = Counter((row["series"], shown(float(row[drawn.x.key])), shown(float(row[drawn.y.key]))) for row in table)
    assert seen == wanted
    bars = len(marks(name, "rule mark")) - len(drawn.of("threshold"))
    assert bars == len(table) * (2 if drawn.square else 1)


@pytest.mark.parametrize("name", FIGURES)
def test_every_line_of_the_table_is_in_the_picture(name: str) -> None:
    """Each drawn line is one series of one panel: its corners are the table's points by a straight map of axes."""
    drawn, lines = figure(name), marks(name, "line mark")
    wanted = {(p, s.name): drawn.of("theory", s.name, p) for p in drawn.panels for s in drawn.series}
    wanted = {place: points for place, points in wanted.items() if points}
    assert len(lines) == len(wanted)
    for line in lines:
        path = re.findall(r"(-?[\d.]+(?:e-?\d+)?),(-?[\d.]+(?:e-?\d+)?)", str(line.get("d")))
        corners = np.array(path, float)
        fits = [
            place
            for place, points in wanted.items()
            if len(points) == len(corners)
            and _straight([p.x for p in points], corners[:, 0], drawn.x)
            and _straight([p.y or 0.0 for p in points], corners[:, 1], drawn.y)
        ]
        assert fits
    assert {str(line.get("stroke")) for line in lines} == {
        LOOKS[series.look].color for series in drawn.series if drawn.of("theory", series.name)
    }


def _straight(values: list[float], pixels: NDArray[np.float64], axis: Axis) -> bool:
    scaled = np.array([math.log(value) for value in values] if axis.scale == "log" else values)
    design = np.stack([scaled, np.ones(len(scaled))], axis=1)
    found = np.linalg.lstsq(design, pixels, rcond=None)[0]
    return bool(np.abs(design @ found - pixels).max() < PIXEL)


@pytest.mark.parametrize("name", FIGURES)
def test_curves_of_a_figure_differ_without_colour(name: str) -> None:
    """In black and white: by dash or, where there are points, by shape."""
    looks = [LOOKS[series.look] for series in figure(name).series]
    for one, other in combinations(looks, 2):
        assert one.color != other.color
        assert (one.dash, one.shape) != (other.dash, other.shape)


@pytest.mark.parametrize("name", FIGURES)
def test_the_picture_says_what_it_is(name: str) -> None:
    drawn = figure(name)
    text = " ".join(" ".join(element.itertext()) for element in picture(name).iter() if element.tag.endswith("}text"))
    for words in (drawn.title, drawn.x.title, drawn.y.title, drawn.y.better, *drawn.panels):
        assert words in text
    flat = re.sub(r"\s+", " ", text)
    assert all(word in flat for note in drawn.notes for word in note.split())
    for series in drawn.series:
        assert series.name in text
    if drawn.simulated:
        assert "seed 3" in flat
    if name in ("fig4", "fig5", "fig7"):
        assert "(quick: the full figure has" in flat
    if name == "fig5":
        assert "a stand-in for Kosarak" in flat


@pytest.mark.parametrize("name", FIGURES)
def test_a_png_is_one_and_fits_on_a_page(name: str) -> None:
    content = files(name)[f"{name}.png"]
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert content.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", content[16:24])
    per_metre = struct.unpack(">II", content[content.index(b"pHYs") + 4 :][:8])
    inches = width / per_metre[0] / 0.0254
    assert 4 < inches < 10.5
    assert height < 1.5 * width


@pytest.mark.parametrize("name", ["fig1", "fig4"])
def test_a_seed_gives_one_figure(name: str) -> None:
    assert FIGURES[name](QUICK, lambda _: None) == figure(name)
    assert FIGURES[name](Settings(seed=4, quick=True), lambda _: None).points != figure(name).points


def test_files_are_whole_and_the_manifest_is_of_them(tmp_path: Path) -> None:
    listed = save(figure("fig8"), QUICK, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"fig8.{ending}" for ending in ENDINGS)
    assert json.loads((tmp_path / "fig8.json").read_text(encoding="utf-8")) == json.loads(json.dumps(listed))
    digests = {n: hashlib.sha256((tmp_path / n).read_bytes()).hexdigest() for n in ("fig8.csv", "fig8.svg", "fig8.png")}
    assert listed["files"] == digests
    assert (listed["figure"], listed["seed"], listed["quick"]) == ("fig8", 3, True)
    exact = save(figure("fig6"), QUICK, tmp_path)
    assert (exact["seed"], exact["reasons"]) == (None, {"seed": "nothing is simulated"})


def test_when_writing_ends_early_no_manifest_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(figure("fig8"), QUICK, tmp_path)
    before = (tmp_path / "fig8.svg").read_bytes()

    def stop(path: Path, write: Callable[[Path], None]) -> None:
        if path.suffix == ".svg":
            raise KeyboardInterrupt
        write_atomically(path, write)

    monkeypatch.setattr(figures, "write_atomically", stop)
    with pytest.raises(KeyboardInterrupt):
        save(figure("fig1"), QUICK, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        save(figure("fig8"), QUICK, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fig1.csv", "fig8.csv", "fig8.png", "fig8.svg"]
    assert (tmp_path / "fig8.svg").read_bytes() == before


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be written: No such file or directory\.$"):
        save(figure("fig8"), QUICK, tmp_path / "gone")
