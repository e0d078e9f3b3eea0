"""Requirements, versions and hygiene of the repository."""

from __future__ import annotations

import re
import subprocess
import tomllib

import qifldp
from docs.snippets import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def pinned(text: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9-]+)==", text, flags=re.MULTILINE))


def test_every_dependency_is_pinned_with_a_hash_and_without_an_index() -> None:
    declared = {re.split(r"[<>=~! ]", entry)[0] for entry in PROJECT["project"]["dependencies"]}
    listed = (ROOT / "requirements/base.in").read_text(encoding="utf-8").split("\n")
    names = {re.split(r"[<>=]", line)[0] for line in listed if line and not line.startswith("#")}
    assert declared | {"hatchling"} == names
    for lock in ("base", "dev"):
        text = (ROOT / f"requirements/{lock}.txt").read_text(encoding="utf-8")
        assert declared <= pinned(text)
        assert "://" not in text
        blocks = re.split(r"\n(?=[a-z0-9-]+==)", "\n" + text)[1:]
        assert [block.split("==")[0] for block in blocks if "--hash=sha256:" not in block] == []


def test_the_changelog_and_the_citation_have_the_version() -> None:
    version = qifldp.__version__
    assert "## Unreleased" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_tracked_files_name_no_machine() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    forbidden = re.compile(rb"(^|[^A-Za-z0-9_.])/(work|root|home)/|file:///|/simple/|/pool/main/")
    found = [
        path.decode()
        for path in tracked
        if path
        and (ROOT / path.decode()).is_file()
        and path != b"tests/docs/test_project_files.py"
        and forbidden.search((ROOT / path.decode()).read_bytes())
    ]
    assert found == []
