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
from functools import cache
from itertools import combinations, product
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from numpy.typing import NDArray

from qifldp.errors import InputError
from qifldp.experiments.catalogue import FIGURES
from qifldp.experiments.figure import Figure, Point, Settings
from qifldp.rendering.charts import LOOKS
from qifldp.rendering.figures import files_of, save
from qifldp.rendering.reproduced import ENDINGS

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
    x, y = drawn.x.key, drawn.y.key
    about = {panel.name: panel.values for panel in drawn.panels}
    of = {series.name: series for series in drawn.series}
    for row, point in zip(table, drawn.points, strict=True):
        series = of[point.series]
        values = dict(about[point.panel]) | dict(series.values)
        values |= {"series": series.key or series.name, "kind": point.kind, x: point.x, y: point.y}
        ends = {f"{y}_low": point.low, f"{y}_high": point.high, f"{x}_low": point.x_low, f"{x}_high": point.x_high}
        values |= {key: end for key, end in ends.items() if end is not None}
        assert {key: cell for key, cell in row.items() if cell} == {key: str(value) for key, value in values.items()}


PARAMETERS = {"k", "g", "epsilon", "theta", "lemma_10_theta", "alpha", "beta", "asr", "mse", "capacity"}


@pytest.mark.parametrize("name", FIGURES)
def test_the_table_is_tidy(name: str) -> None:
    """Every column has something in it; but for the series and the kind of a point, that is a number."""
    table = rows(name)
    for column in table[0]:
        cells = {row[column] for row in table} - {""}
        assert cells, column
        if column == "kind":
            assert cells <= {"theory", "simulation"}
        elif column == "series":
            assert not any("=" in cell for cell in cells)
        else:
            assert re.sub(r"_(low|high)$", "", column) in PARAMETERS
            assert all(math.isfinite(float(cell)) for cell in cells)
    assert all(row[figure(name).y.key] for row in table)
    keys = [tuple(cell for column, cell in row.items() if not column.startswith(figure(name).y.key)) for row in table]
    assert name in ("fig1", "fig2", "fig3", "fig8") or len(set(keys)) == len(keys)


def in_strip(drawn: Figure, mark: ET.Element) -> bool:
    return drawn.strip is not None and ", ".join(drawn.strip.title) in str(mark.get(LABEL))


def seen(marked: list[ET.Element]) -> Counter[tuple[str, float, float]]:
    found: Counter[tuple[str, float, float]] = Counter()
    for mark in marked:
        label = re.search(r": (-?[\d.e−-]+); .*: (-?[\d.e−-]+); points: (.*), simulated$", str(mark.get(LABEL)))
        assert label is not None
        found[label[3], shown(float(label[1])), shown(float(label[2].replace("−", "-")))] += 1
    return found


@pytest.mark.parametrize("name", FIGURES)
def test_every_simulated_point_of_the_table_is_in_the_picture(name: str) -> None:
    """In the panel, if it has room for all of them, and in the strip below, if there is one."""
    drawn, marked = figure(name), marks(name, "point")
    table = drawn.of("simulation")
    apart = [point for point in table if drawn.shown is None or point.x in drawn.shown]
    wanted = Counter((p.series, shown(p.x), shown(p.y)) for p in apart)
    assert seen([mark for mark in marked if not in_strip(drawn, mark)]) == wanted
    assert len(apart) == len(table) or drawn.strip is not None
    moved = [point for point in map(drawn.compared, table) if point is not None]
    wanted = Counter((p.series, shown(p.x), shown(p.y)) for p in moved)
    assert seen([mark for mark in marked if in_strip(drawn, mark)]) == wanted
    strips = len(drawn.panels) if drawn.strip is not None else 0
    band = drawn.strip is not None and drawn.strip.band
    bars = len(apart) * (2 if drawn.square else 1) + (0 if band else len(moved))
    assert len(marks(name, "rule mark")) == bars + strips + sum(bool(panel.mark) for panel in drawn.panels)
    assert len(marks(name, "area mark")) == (strips if band else 0)


@pytest.mark.parametrize("name", FIGURES)
def test_every_line_of_the_table_is_in_the_picture(name: str) -> None:
    """Each drawn line is one series of one panel or strip: its corners are the table's points by a map of the axes."""
    drawn, lines = figure(name), marks(name, "line mark")
    wanted: list[tuple[list[Point], str]] = []
    for panel, series in product(drawn.panels, drawn.series):
        points = drawn.of("theory", series.name, panel.name)
        moved = [point for point in map(drawn.compared, points) if point is not None]
        wanted += [(points, drawn.y.scale)] * bool(points) + [(moved, "linear")] * bool(moved)
    assert len(lines) == len(wanted)
    for line in lines:
        path = re.findall(r"(-?[\d.]+(?:e-?\d+)?),(-?[\d.]+(?:e-?\d+)?)", str(line.get("d")))
        corners = np.array(path, float)
        assert any(
            len(points) == len(corners)
            and _straight([p.x for p in points], corners[:, 0], drawn.x.scale)
            and _straight([p.y for p in points], corners[:, 1], scale)
            for points, scale in wanted
        )
    assert {str(line.get("stroke")) for line in lines} == {
        LOOKS[series.look].color for series in drawn.series if drawn.of("theory", series.name)
    }


def _straight(values: list[float], pixels: NDArray[np.float64], scale: str) -> bool:
    scaled = np.array([math.log(value) for value in values] if scale == "log" else values)
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
    strip = drawn.strip.title if drawn.strip is not None else ()
    remark = "logarithmic" if drawn.y.scale == "log" else ""
    headings = [panel.name for panel in drawn.panels]
    for words in (drawn.title, drawn.x.title, drawn.y.title, drawn.y.better, drawn.mark, remark, *strip, *headings):
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
def test_legends_have_the_colours_of_the_picture(name: str) -> None:
    drawn, colors = figure(name), Counter[str]()
    for group in picture(name).iter():
        if "role-legend-symbol" in str(group.get("class")):
            colors.update(str(path.get("stroke") or path.get("fill")) for path in group)
    simulated = [LOOKS[series.look].color for series in drawn.series if drawn.of("simulation", series.name)]
    lines = [LOOKS[series.look].color for series in drawn.series if drawn.of("theory", series.name)]
    assert colors == Counter(simulated + lines + [LOOKS["threshold"].color] * bool(drawn.mark))


def test_the_minimum_is_drawn_over_what_it_follows() -> None:
    assert [line.get("stroke") for line in marks("fig3", "line mark")][-1] == LOOKS["third"].color


def test_labels_of_figure_5_are_plain_numbers() -> None:
    texts = ["".join(element.itertext()) for element in picture("fig5").iter() if element.tag.endswith("}text")]
    assert not any(re.search(r"\de[-−]\d|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]", text) for text in texts)
    assert {"100", "10", "0.1"} <= set(texts)
    assert any("(millionths, logarithmic)" in text for text in texts)


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


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("written", range(4))
def test_files_that_cannot_be_written_leave_the_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    save(figure("fig8"), QUICK, tmp_path)
    before, write = contents(tmp_path), Path.write_bytes
    done: list[str] = []

    def full(path: Path, content: bytes) -> int:
        if len(done) == written:
            raise OSError(28, "No space left on device")
        done.append(path.name)
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match=r"^The files of fig8 cannot be written to .*: No space left on device\.$"):
        save(figure("fig8"), Settings(seed=4, quick=True), tmp_path)
    assert contents(tmp_path) == before


def test_what_is_no_file_is_in_the_way_of_all_four(tmp_path: Path) -> None:
    save(figure("fig8"), QUICK, tmp_path)
    (tmp_path / "fig8.png").unlink()
    before = contents(tmp_path)
    (tmp_path / "fig8.png").mkdir()
    with pytest.raises(InputError, match=r" cannot be written: it is not a regular file\.$"):
        save(figure("fig8"), Settings(seed=4, quick=True), tmp_path)
    (tmp_path / "fig8.png").rmdir()
    assert contents(tmp_path) == before


def test_when_the_change_of_files_is_broken_off_no_manifest_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(figure("fig8"), QUICK, tmp_path)
    replace = Path.replace

    def stop(path: Path, target: Path) -> Path:
        if path.suffix == ".svg":
            raise KeyboardInterrupt
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        save(figure("fig8"), QUICK, tmp_path)
    assert sorted(contents(tmp_path)) == ["fig8.csv", "fig8.png", "fig8.svg"]


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^Nothing can be written to the folder .*: No such file or directory\.$"):
        save(figure("fig8"), QUICK, tmp_path / "gone")
