"""Figures that were made again, as documents and for a terminal: their manifests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from qifldp._version import __version__
from qifldp.experiments.figure import Figure, Settings
from qifldp.rendering.text import plain

SCHEMA_VERSION = 1

ENDINGS = ("csv", "svg", "png", "json")
"""Of the files of a figure; the last is the manifest."""


def manifest(figure: Figure, settings: Settings, files: dict[str, bytes]) -> dict[str, object]:
    """Return what a figure was made from: its parameters, seed and version, and its files with their SHA-256."""
    return {
        "schema_version": SCHEMA_VERSION,
        "figure": figure.name,
        "title": figure.title,
        "notes": list(figure.notes),
        "parameters": figure.parameters,
        "quick": settings.quick,
        "seed": settings.seed if figure.simulated else None,
        "version": __version__,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    } | ({} if figure.simulated else {"reasons": {"seed": "nothing is simulated"}})


def reproduced_document(
    made: Sequence[dict[str, object]], *, folder: str, quick: bool, seed: int, version: str
) -> dict[str, object]:
    """Return all manifests as one document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "folder": folder,
        "quick": quick,
        "seed": seed,
        "version": version,
        "figures": list(made),
    }


def reproduced_view(made: Sequence[dict[str, object]], *, folder: str) -> RenderableType:
    """Return what was made, figure by figure, with what is to be known about each."""
    parts = []
    for figure in made:
        assert isinstance(figure["notes"], list)
        parts.append(Text(plain(str(figure["title"])), style="bold"))
        parts += [Text(plain(f"  {note}")) for note in figure["notes"]]
    names = ", ".join(str(figure["figure"]) for figure in made)
    parts.append(Text(plain(f"In {folder}: {names}, each as {', '.join(f'.{ending}' for ending in ENDINGS)}.")))
    return Group(*parts)
