"""Files that come with the package: the page's template, style, script and longer texts."""

from __future__ import annotations

from importlib.resources import files


def resource(name: str) -> str:
    """Return the text of a file of this package."""
    return files("qifldp.rendering.page").joinpath(name).read_text(encoding="utf-8")
