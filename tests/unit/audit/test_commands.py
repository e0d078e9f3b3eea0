"""Commands as clients: what goes wrong is one sentence, and nothing is left running."""

from __future__ import annotations

import shlex
import sys
import time

import numpy as np
import pytest

from qifldp.audit.commands import CommandSource
from qifldp.errors import InputError

VALUES = tuple(range(5))


def python(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def ask(command: str, n: int = 1000, *, rounds: int = 1, form: str = "text", patience: float = 30) -> list[object]:
    source = CommandSource(command, form=form, patience=patience)  # type: ignore[arg-type]
    return source.draw(VALUES, np.arange(n) % 5, rounds=rounds, rng=np.random.default_rng(0))


EACH = "import sys\nfor line in sys.stdin: print(line.strip() + '!', flush=True)"
AT_THE_END = "import sys\nlines = sys.stdin.read().split()\nprint('\\n'.join(line + '!' for line in lines))"


@pytest.mark.parametrize("code", [EACH, AT_THE_END])
def test_line_by_line_or_at_the_end(code: str) -> None:
    assert ask(python(code), 50_000 if code == AT_THE_END else 3000)[:6] == ["0!", "1!", "2!", "3!", "4!", "0!"]


def test_more_on_stderr_than_a_pipe_holds() -> None:
    code = "import sys\nfor line in sys.stdin: sys.stderr.write('x' * 1000 + '\\n'); print(line.strip())"
    assert len(ask(python(code), 2000)) == 2000


def test_the_value_of_a_user_comes_as_often_as_there_are_rounds() -> None:
    assert ask(python(EACH), 3, rounds=2) == ["0!", "0!", "1!", "1!", "2!", "2!"]


def test_json_and_bytes() -> None:
    code = "import sys\nfor line in sys.stdin: print('[1, {\"a\": null}]')"
    assert ask(python(code), 1, form="json") == [[1, {"a": None}]]
    assert ask(python("import sys\nfor line in sys.stdin: print('00ff')"), 1, form="hex") == [b"\x00\xff"]


FAULTS = [
    ("import sys; sys.stderr.write('no key\\n'); sys.exit(3)",
     "The command ended (exit code 3) after 0 of 1,000 reports, and said 'no key'."),
    ("print(1)\nprint(2)", "The command ended (exit code 0) after 2 of 1,000 reports."),
    ("import sys\nfor line in sys.stdin: print(1)\nprint(2)",
     "The command wrote more than 1,000 reports on 1,000 values."),
    ("while True: print(1)", "The command wrote more than 1,000 reports on 1,000 values."),
    ("print('x' * 65537)", "Line 1 of the command is longer than 65,536 bytes."),
    ("import sys; sys.stdout.buffer.write(b'\\xff\\n')", "Line 1 of the command is not UTF-8 text."),
]  # fmt: skip


def test_a_line_may_be_as_long_as_is_said() -> None:
    assert ask(python("import sys\nfor line in sys.stdin: print('x' * 65536)"), 1) == ["x" * 65536]


@pytest.mark.parametrize(("end", "told"), [("'\\r'", ["0", "0", "0"]), ("'\\r' * int(line)", ["0", "0\r", "0\r\r"])])
def test_a_carriage_return_is_told_unless_it_ends_every_line(end: str, told: list[str]) -> None:
    code = f"import sys\nfor line in sys.stdin: sys.stdout.write('0' + {end} + '\\n')"
    assert ask(python(code), 3) == told


@pytest.mark.parametrize("between", ["\\n", "\\r\\n"])
def test_the_last_line_need_not_be_ended(between: str) -> None:
    code = f"import sys\nsys.stdout.write('{between}'.join(line.strip() for line in sys.stdin))"
    assert ask(python(code), 3) == ["0", "1", "2"]


def test_empty_lines_are_reports() -> None:
    assert ask(python("import sys\nfor line in sys.stdin: print()"), 3) == [""] * 3


def test_a_child_that_keeps_the_output_open_is_not_waited_for() -> None:
    code = "import os, sys, time\nfor line in sys.stdin: print(1)\nsys.stdout.flush()\nif not os.fork(): time.sleep(60)"
    start = time.monotonic()
    assert len(ask(python(code), patience=30)) == 1000
    assert time.monotonic() - start < 20


def test_numbers_in_json_keep_their_sign() -> None:
    found = ask(python("import sys\nfor line in sys.stdin: print('-0' if int(line) else '0')"), 2, form="json")
    assert list(map(repr, found)) == ["0", "-0.0"]


@pytest.mark.parametrize(("code", "sentence"), FAULTS)
def test_what_goes_wrong_is_said(code: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        ask(python(code))
    assert str(refused.value) == sentence


def test_a_command_that_says_nothing_is_ended() -> None:
    start = time.monotonic()
    with pytest.raises(InputError) as refused:
        ask(python("import time; time.sleep(60)"), patience=0.5)
    assert str(refused.value) == (
        "The command has said nothing for 0.5 seconds after 0 of 1,000 reports: does it write out (flush) every line?"
    )
    assert time.monotonic() - start < 20


BAD = [
    ("", "The command is empty."),
    ("'a", 'The command "\'a" has a quotation that does not end.'),
    ("/no/such/thing", "The command '/no/such/thing' cannot be run: No such file or directory."),
]


@pytest.mark.parametrize(("command", "sentence"), BAD)
def test_what_is_no_command(command: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        ask(command)
    assert str(refused.value) == sentence


JSON = ["NaN", "{", '{"a": 1, "a": 2}', "[" * 20_000, "1e999x"]


@pytest.mark.parametrize("text", JSON)
def test_json_is_strict(text: str) -> None:
    with pytest.raises(InputError, match=r"^Line 1 of the command has a report that is not strict JSON: '.*\.$"):
        ask(python(f"import sys; sys.stdin.read(); print({text!r})"), 1, form="json")


def test_values_are_one_line() -> None:
    source = CommandSource("cat")
    with pytest.raises(InputError) as refused:
        source.draw(("a\nb",), np.zeros(1, np.int64), rounds=1, rng=np.random.default_rng(0))
    assert str(refused.value) == "The value 'a\\nb' has more than one line: a command is given one a line."
