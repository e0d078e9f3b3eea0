"""The README and the docs are true: snippets run, commands print what is shown, names and links exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import qifldp
from docs.snippets import PAGES, ROOT, blocks, commands, files, name
from qifldp.cli.main import run
from qifldp.leakage.measures import MEASURES
from qifldp.protocols.specs import PROTOCOLS

ENOUGH_SNIPPETS = 25
"""The pages hold more examples than this; fewer found means that the reader of pages is broken."""


def test_pages_have_snippets() -> None:
    examples = sum(block.count(">>>") for page in PAGES for block in blocks(page, "python"))
    assert examples >= ENOUGH_SNIPPETS
    assert sum(len(commands(page)) for page in PAGES) >= 5


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_python_snippets_run(page: Path) -> None:
    source = "\n".join(blocks(page, "python"))
    parsed = doctest.DocTestParser().get_doctest(source, {}, name(page), str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(parsed)
    assert runner.failures == 0
    assert source.count("\n>>> ") + source.startswith(">>> ") == runner.tries


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_print_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for file, text in files(page).items():
        Path(file).write_text(text, encoding="utf-8")
    for command in commands(page):
        assert command.arguments[0] == "qifldp", "console blocks show qifldp commands only"
        run(command.arguments[1:])
        printed = capsys.readouterr()
        assert _trimmed(printed.out + printed.err) == _trimmed(command.output)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("https://", "mailto:")):
            assert (page.parent / target).exists(), f"{name(page)} links to {target}"


def test_every_erratum_names_a_check_that_exists() -> None:
    page = (ROOT / "docs/reference/errata.md").read_text(encoding="utf-8")
    named = re.findall(r"\| `(test_\w+)` \|$", page, flags=re.MULTILINE)
    rows = [line for line in page.splitlines() if line.startswith("| ") and not line.startswith(("| where", "|---"))]
    assert len(named) == len(rows) >= 27
    checks = (ROOT / "tests/vectors/test_errata.py").read_text(encoding="utf-8")
    assert [check for check in named if f"def {check}(" not in checks] == []


def test_every_option_measure_and_protocol_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8")
    fewest_options = {"compare": 12, "leakage": 9, "refine": 8, "exchange": 8, "verify": 0}
    fewest_options |= {"protocol": 4, "perturb": 11, "estimate": 10}
    fewest_options |= {"reproduce": 5, "recommend": 10, "explore": 2, "audit": 16}
    for command, fewest in fewest_options.items():
        assert run([command, "--help"]) == 0
        options = set(re.findall(r"(--[a-z-]+)", capsys.readouterr().out)) - {"--help"}
        assert len(options) >= fewest
        section = page.partition(f"## qifldp {command}")[2].partition("\n## ")[0]
        assert sorted(option for option in options if f"`{option}" not in section) == []
    assert [measure.key for measure in MEASURES if f"`{measure.key}`" not in page] == []
    assert [protocol for protocol in PROTOCOLS if f"`{protocol}" not in page] == []


def test_every_public_function_is_documented() -> None:
    page = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    functions = [n for n in qifldp.__all__ if n.islower() and callable(getattr(qifldp, n))]
    assert len(functions) > 20
    assert [function for function in functions if function not in page] == []


def _trimmed(text: str) -> str:
    """Return text without the blanks at line ends that terminals pad tables with."""
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
