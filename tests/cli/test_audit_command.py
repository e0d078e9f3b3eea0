"""`qifldp audit`: sources, claims, output, exit codes."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import qifldp
from cli.terminal import Terminal, read_strictly
from qifldp.audit.bounds import proportion_low
from qifldp.cli.streams import stdout_kept_for_the_result
from qifldp.protocols.unary_encoding import OUE

CLIENTS = """
import asyncio
import ctypes
import os
import sys

import numpy as np
from math import exp

P = exp(1) / (exp(1) + 7)

def answer(value, rng):
    kept, other = rng.random() < P, int(rng.integers(7))
    return value if kept else other + (other >= value)

def named(value, rng):
    return "abcdefgh"[answer("abcdefgh".index(value), rng)]

def honest(value, rng):
    return value

class Memory:
    def __init__(self):
        self.answer, self.rng = None, np.random.default_rng()

    def report(self, value):
        if self.answer is None:
            self.answer = answer(value, self.rng)
        return self.answer

def prints(value, rng):
    print("hello")
    return answer(value, rng)

def leaves(value):
    raise SystemExit(0)

def cancelled(value):
    raise asyncio.CancelledError("stop")

def interrupts(value):
    raise KeyboardInterrupt

def shouts(value, rng):
    print("by print")
    print("by the stream itself", file=sys.__stdout__)
    os.write(1, b"on the descriptor\\n")
    os.system("echo by another process")
    ctypes.CDLL(None).puts(b"by C")
    return answer(value, rng)

def closes(value, rng):
    sys.__stdout__.close()
    sys.__stderr__.close()
    return answer(value, rng)

def server(reports):
    shares = np.bincount(reports, minlength=8) / len(reports)
    q = (1 - P) / 7
    return (shares - q) / (P - q)

def supports(report, value):
    return report == value
"""


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    Path("cli_clients.py").write_text(CLIENTS, encoding="utf-8")
    Path("letters.txt").write_text("\n".join("abcdefgh"), encoding="utf-8")
    return Terminal(capsys)


QUICK = ("--domain", "8", "--no-classifier")
GRR = (*QUICK, "--protocol", "grr", "--epsilon", "1", "--samples", "5000")


def test_a_client_of_the_current_folder(terminal: Terminal) -> None:
    found = terminal("audit", "cli_clients:answer", *GRR, "--json").document()
    assert found["schema_version"] == 1
    assert (found["verdict"], found["claim"], found["spec"]) == ("consistent", "distribution", "grr:epsilon=1")
    assert found["epsilon_claimed"] == 1
    assert 0.5 < found["epsilon_lower_bound"] < 1
    assert (found["confidence"], found["samples"], found["rounds"]) == (0.99, 5000, 1)
    assert found["event"] == "the report holds x and does not hold x′"
    again = terminal("audit", "cli_clients:answer", *GRR, "--json", "--seed", "0").document()
    assert again == found


def test_a_violation_is_exit_code_1(terminal: Terminal) -> None:
    found = terminal("audit", "cli_clients:honest", *GRR, "--json")
    assert (found.code, found.err) == (1, "")
    document = read_strictly(found.out)
    assert (document["verdict"], document["claim"]) == ("violates", "epsilon")
    assert document["findings"][0]["unseen"] > 2000
    found = terminal("audit", "cli_clients:honest", *GRR)
    assert found.code == 1
    assert found.out.startswith("violates: ε is at least ")
    assert "never seen in" in found.out
    assert found.out.rstrip().endswith("Certificates prove.")


def test_labels_supports_rounds_and_a_server(terminal: Terminal) -> None:
    named = ("--domain", "letters.txt", "--no-classifier", "--protocol", "grr", "--epsilon", "1", "--samples", "5000")
    assert terminal("audit", "cli_clients:named", *named, "--json").document()["verdict"] == "consistent"
    assert terminal("audit", "cli_clients:answer", *GRR, "--supports", "cli_clients:supports").code == 0
    found = terminal("audit", "cli_clients:Memory()", *GRR, "--rounds", "5", "--gain", "guesses:2", "--json").document()
    assert [line["rounds"] for line in found["by_rounds"]] == [1, 2, 5]
    assert found["verdict"] == "consistent"
    assert found["leakage"]["gain"] == "guesses the value in 2 tries"
    found = terminal("audit", "cli_clients:answer", *GRR, "--server", "cli_clients:server", "--json").document()
    assert found["estimator"]["sound"] is True
    assert found["estimator"]["confidence"] == 0.995  # half of the error; the other half is the client's
    assert found["confidence"] == 0.99
    used = found["findings"][0]
    low = proportion_low(used["hits"], used["trials"], 0.0025 / len(found["findings"]) / 2)
    assert used["low"] == pytest.approx(float(low), rel=1e-9)


def test_what_a_client_prints_is_no_part_of_the_result(terminal: Terminal) -> None:
    found = terminal("audit", "cli_clients:prints", *QUICK, "--epsilon", "1", "--samples", "300", "--json")
    assert read_strictly(found.out)["samples"] == 300
    assert found.err == "hello\n" * 300


def test_a_client_that_leaves_is_refused(terminal: Terminal) -> None:
    for name, error in (("leaves", "SystemExit: '0'"), ("cancelled", "CancelledError: 'stop'")):
        terminal.refuses(
            f"The client failed on the value 6: {error}.", "audit", f"cli_clients:{name}", *QUICK, "--epsilon", "1"
        )


def test_an_interrupt_is_the_users(terminal: Terminal) -> None:
    found = terminal("audit", "cli_clients:interrupts", *QUICK, "--epsilon", "1")
    assert (found.code, found.out, found.err) == (130, "", "qifldp: interrupted.\n")


class Beyond(BaseException):
    """What is no Exception."""


@pytest.mark.parametrize("error", [RuntimeError, SystemExit, asyncio.CancelledError, Beyond, GeneratorExit])
def test_what_nobody_foresaw_is_no_finding(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error(1)

    monkeypatch.setattr("qifldp.cli.audit.audit_client", fail)
    found = terminal("audit", "cli_clients:answer", *QUICK, "--epsilon", "1")
    assert (found.code, found.out) == (70, "")
    assert found.err.startswith("Traceback (most recent call last):\n")


def in_a_process(*arguments: str, out: int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "qifldp", "audit", *arguments, *QUICK, "--epsilon", "1", "--samples", "100"],
        env=os.environ
        | {"PYTHONUNBUFFERED": "", "PYTHONPATH": str(Path(qifldp.__file__).parents[1]), "PYTHONIOENCODING": "utf-8"},
        stdout=out,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )


@pytest.mark.skipif(os.name != "posix", reason="the client calls C's library as it is named there")
def test_what_a_client_writes_below_python_is_no_part_of_the_result_either(terminal: Terminal) -> None:
    done = in_a_process("cli_clients:shouts", "--json")
    assert done.returncode == 0
    assert read_strictly(done.stdout.decode())["samples"] == 100
    told = done.stderr.decode().splitlines()
    ways = ("by print", "by the stream itself", "on the descriptor", "by another process", "by C")
    assert {way: told.count(way) for way in ways} == dict.fromkeys(ways, 100)


@pytest.mark.skipif(os.name != "posix", reason="the shell closes the stream")
def test_without_stderr_what_a_client_writes_is_lost(terminal: Terminal) -> None:
    asked = [
        sys.executable,
        "-m",
        "qifldp",
        "audit",
        "cli_clients:shouts",
        *QUICK,
        "--epsilon",
        "1",
        "--samples",
        "100",
    ]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>&-', "sh", *asked, "--json"],
        env=os.environ | {"PYTHONPATH": str(Path(qifldp.__file__).parents[1])},
        stdout=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert read_strictly(done.stdout.decode())["samples"] == 100


def test_stdout_is_given_back(capfd: pytest.CaptureFixture[str]) -> None:
    with stdout_kept_for_the_result():
        os.write(1, b"meanwhile\n")
    os.write(1, b"afterwards\n")
    assert tuple(capfd.readouterr()) == ("afterwards\n", "meanwhile\n")


def test_a_client_that_closes_streams_and_a_reader_that_has_gone_are_no_finding(terminal: Terminal) -> None:
    assert in_a_process("cli_clients:closes").returncode not in (0, 1)
    reading, writing = os.pipe()
    os.close(reading)
    done = in_a_process("cli_clients:answer", out=writing)
    os.close(writing)
    assert done.returncode == 2
    assert done.stderr == b"qifldp: The result cannot be written: Broken pipe.\n"


def test_values_outside(terminal: Terminal) -> None:
    found = terminal("audit", "cli_clients:honest", *QUICK, "--epsilon", "50", "--outside", "8", "--outside", "-1")
    assert found.code == 1
    assert (
        found.out.splitlines()[0] == "violates: values outside the domain: not as declared (confidence 0.99): reports "
    )


def test_a_command(terminal: Terminal) -> None:
    code = "import sys\nfor line in sys.stdin: print(line.strip())"
    command = f"cmd:{shlex.quote(sys.executable)} -c {shlex.quote(code)}"
    found = terminal("audit", command, *GRR)
    assert found.code == 1
    terminal.refuses(
        "The command ended (exit code 0) after 0 of 5,000 reports.",
        "audit", f"cmd:{shlex.quote(sys.executable)} -c pass", *GRR,
    )  # fmt: skip


def test_a_table(terminal: Terminal) -> None:
    rng = np.random.default_rng(1)
    places = rng.integers(8, size=20_000)
    reports = [*OUE(8, 1).perturb(places, rng=rng)]
    parquet.write_table(pa.table({"value": places, "report": reports}), "pairs.parquet")
    found = terminal("audit", "pairs.parquet", *QUICK, "--protocol", "oue", "--epsilon", "1", "--json").document()
    assert (found["verdict"], found["samples"], found["source"]) == ("consistent", 20_000, "pairs.parquet")
    Path("pairs.csv").write_text("value,report\n" + "1,a\n0,b\n" * 200, encoding="utf-8")
    assert terminal("audit", "pairs.csv", *QUICK, "--epsilon", "1").code == 1
    terminal.refuses("A table is read whole: leave --samples out.", "audit", "pairs.csv", *QUICK, "--epsilon", "1",
                     "--samples", "500")  # fmt: skip


def test_hostile_reports_are_shown_safely(terminal: Terminal) -> None:
    Path("values.txt").write_text("[red]\n0\n", encoding="utf-8")
    Path("pairs.csv").write_text("value,report\n" + "[red],\x1b[2J[red]\n0,bbbbbbbbb\n" * 200, encoding="utf-8")
    found = terminal("audit", "pairs.csv", "--domain", "values.txt", "--no-classifier", "--epsilon", "1")
    assert found.code == 1
    assert "\x1b" not in found.out
    assert "[red]" in found.out


BAD = [
    (("nothing",), "SOURCE must be module:function, a table (.csv, .parquet) or cmd:COMMAND, got 'nothing'."),
    (("cli_clients:missing", "--epsilon", "1"), "The module 'cli_clients' has no 'missing'."),
    (("cli_clients:answer",), "Say what is claimed: --protocol SPEC, or --epsilon E."),
    (("cli_clients:answer", "--protocol", "grr"), "The protocol grr needs a budget: give epsilon."),
    (("cli_clients:answer", "--protocol", "ue:p=.5,q=.1", "--epsilon", "1"),
     "The parameters of ue are p and q, not a budget: leave --epsilon out."),
    (("no.csv", "--epsilon", "1"), "There is no file 'no.csv'."),
    (("cli_clients:answer", "--epsilon", "1", "--supports", "cli_clients:P"),
     "--supports and --server must be module:function, got 'cli_clients:P'."),
    (("cmd:cat", "--epsilon", "1", "--timeout", "0"), "--timeout must be seconds from 0 to 1,000,000, got 0.0."),
    (("cli_clients:answer", "--epsilon", "1", "--gain", "much"),
     "--gain must be bayes, guesses:T, member:FILE, distance or the name of a file, got 'much'."),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), BAD)
def test_bad_input(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    claim = () if "--epsilon" in arguments or len(arguments) != 1 or "cli" in arguments[0] else ("--epsilon", "1")
    terminal.refuses(sentence, "audit", *arguments, *claim, *QUICK)


def test_the_domain_and_the_output(terminal: Terminal) -> None:
    terminal.refuses("--domain must be a file or a number of values, got '123456789'.", "audit", "cli_clients:answer",
                     "--domain", "123456789", "--epsilon", "1")  # fmt: skip
    found = terminal("audit", "cli_clients:answer", *GRR, "--out", "result.json")
    assert found.code == 0
    assert read_strictly(Path("result.json").read_text(encoding="utf-8"))["verdict"] == "consistent"
