"""The command as a process of its own: exit codes, streams, encodings, and what an import costs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import qifldp
from cli.terminal import Terminal, read_strictly

SOURCE = Path(qifldp.__file__).parents[1]
QUESTION = ("compare", "--domain-size", "4", "--epsilon", "1", "--match", "asr")


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run Python with this package on its path."""
    inherited = {key: value for key, value in os.environ.items() if key not in ("PYTHONIOENCODING", "PYTHONUTF8")}
    return subprocess.run(
        [sys.executable, *arguments],
        env=inherited | {"PYTHONPATH": str(SOURCE)} | environment,
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_result_goes_to_stdout_alone() -> None:
    done = process("-m", "qifldp", *QUESTION, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert read_strictly(done.stdout.decode())["domain_size"] == 4


def test_bad_input_goes_to_stderr_alone() -> None:
    done = process("-m", "qifldp", "compare", "--domain-size", "4", "--epsilon", "0", "--json")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().splitlines() == ["qifldp: epsilon must be positive (1e-100 at least), got '0'."]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_streams_of_any_encoding(encoding: str) -> None:
    document = process("-m", "qifldp", *QUESTION, "--json", PYTHONIOENCODING=encoding)
    assert (document.returncode, document.stderr) == (0, b"")
    assert read_strictly(document.stdout.decode(encoding))["question"]["match"] == "asr"
    table = process("-m", "qifldp", *QUESTION, PYTHONIOENCODING=encoding)
    assert (table.returncode, table.stderr) == (0, b"")
    assert b"GRR" in table.stdout


def test_names_that_are_not_unicode(tmp_path: Path) -> None:
    file = os.fsencode(tmp_path) + b"/\xff.csv"
    Path(os.fsdecode(file)).write_text("1,0\n0,1\n")
    for form in ([], ["--json"]):
        done = process("-m", "qifldp", "leakage", f"file:{os.fsdecode(file)}", *form, PYTHONIOENCODING="utf-8:strict")
        assert done.returncode in (0, 2)
        assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("module", ["qifldp.cli.main", "typer", "numpy", "qifldp.comparison.compare"])
def test_interrupted_while_it_is_loaded(module: str) -> None:
    loading = (
        "import runpy, sys\n"
        "class Keyboard:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Keyboard())\n"
        f"sys.argv[1:] = {list(QUESTION)!r}\n"
        "runpy.run_module('qifldp', run_name='__main__')\n"
    )
    done = process("-c", loading)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"qifldp: interrupted.\n")


def test_reader_that_has_gone_away() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "qifldp", *QUESTION],
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writing)
    assert b"Traceback" not in done.stderr
    assert done.returncode != 0


@pytest.mark.parametrize("command", [(), ("compare",), ("leakage",)])
def test_help_shows_examples(terminal: Terminal, command: tuple[str, ...]) -> None:
    outcome = terminal(*command, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    text = outcome.out[outcome.out.index("Examples") :]
    assert len(re.findall(rf"qifldp {command[0] if command else '(compare|leakage)'} ", text)) >= 2
    assert "[bold]" not in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_version(terminal: Terminal) -> None:
    outcome = terminal("--version")
    assert (outcome.code, outcome.err) == (0, "")
    assert re.fullmatch(r"qifldp \d+\.\d+\S*\n", outcome.out)


def test_no_command_shows_the_help(terminal: Terminal) -> None:
    outcome = terminal()
    assert outcome.code == 2
    assert "Examples" in outcome.out
