"""Budgets, sizes and specs that are not what they have to be: exit 2, one sentence, nothing on stdout."""

from __future__ import annotations

import pytest

from cli.terminal import Outcome, Terminal

COMPARE = ("compare", "--domain-size", "5")
NUMBER = "epsilon must be a positive number, ln(3) or 2*ln(3), got "
SMALL = "epsilon must be positive (1e-100 at least), got "


@pytest.mark.parametrize(
    ("epsilon", "sentence"),
    [
        ("0", f"{SMALL}'0'."),
        ("-1", f"{SMALL}'-1'."),
        ("nan", f"{NUMBER}'nan'."),
        ("inf", f"{NUMBER}'inf'."),
        ("-inf", f"{NUMBER}'-inf'."),
        ("", f"{NUMBER}''."),
        ("garbage", f"{NUMBER}'garbage'."),
        ("1,,2", f"{NUMBER}''."),
        ("1;2", f"{NUMBER}'1;2'."),
        ("1/0", f"{NUMBER}'1/0'."),
        ("701", "epsilon must be at most 700, got '701'."),
        ("800.5*ln(3)", "epsilon must be at most 700, got '1601/2*ln(3)'."),
        ("ln(1)", "the number under ln must be positive and not 1, got '1'."),
        ("ln(0)", "the number under ln must be positive and not 1, got '0'."),
        ("ln(-2)", "the number under ln must be positive and not 1, got '-2'."),
        ("ln(1/2)", f"{SMALL}'-1*ln(2)'."),
        ("0*ln(3)", f"{SMALL}'0*ln(3)'."),
        ("ln(x)", "the number under ln must be a finite number such as 0.75 or 3/4, got 'x'."),
        ("\x1b[31mx", NUMBER + r"'\x1b[31mx'."),
    ],
)
def test_budgets(terminal: Terminal, epsilon: str, sentence: str) -> None:
    terminal.refuses(sentence, *COMPARE, "--epsilon", epsilon)


def test_long_numbers_are_cut_short(terminal: Terminal) -> None:
    outcome = terminal(*COMPARE, "--epsilon", "1" * 500)
    assert outcome == Outcome(2, "", f"qifldp: {NUMBER}'{'1' * 58}….\n")


@pytest.mark.parametrize("size", ["1", "0", "-3", "10000001", "1000000000000", "1" + "0" * 30])
@pytest.mark.parametrize("command", [("compare", "--protocols", "grr"), ("leakage", "grr")])
def test_sizes_out_of_range(terminal: Terminal, command: tuple[str, ...], size: str) -> None:
    terminal.refuses(
        f"domain size must be from 2 to 10,000,000, got {size}.", *command, "--domain-size", size, "--epsilon", "1"
    )


@pytest.mark.parametrize("size", ["2.5", "x", "", "1e3", "nan"])
def test_sizes_that_are_not_whole_numbers(terminal: Terminal, size: str) -> None:
    terminal.refuses_with("Invalid value for '--domain-size': ", "compare", "--domain-size", size, "--epsilon", "1")


@pytest.mark.parametrize(
    ("n", "sentence"),
    [
        ("0", "n must be a whole number from 1 to 10^15, got 0."),
        ("-5", "n must be a whole number from 1 to 10^15, got -5."),
        ("10000000000000000", "n must be a whole number from 1 to 10^15, got 10000000000000000."),
    ],
)
def test_numbers_of_reports(terminal: Terminal, n: str, sentence: str) -> None:
    terminal.refuses(sentence, *COMPARE, "--epsilon", "1", "--n", n)


LIST = "protocols must be specs separated by commas, such as grr,the:theta=0.9, got "
KNOWN = "there are grr, ss, blh, olh, lh, sue, oue, ue, the, mix."


@pytest.mark.parametrize(
    ("specs", "sentence"),
    [
        ("ss:omega=0", "omega must be a whole number from 1 to 4, got '0'."),
        ("ss:omega=5", "omega must be a whole number from 1 to 4, got '5'."),
        ("ss:omega=1.5", "omega must be a whole number from 1 to 4, got '1.5'."),
        ("lh:g=1", "g must be a whole number of at least 2, got '1'."),
        ("lh:g=x", "g must be a whole number of at least 2, got 'x'."),
        ("lh", "The protocol lh needs g: write lh:g=…."),
        ("the:theta=0.4", "theta must be from 0.5 to 1, got '0.4'."),
        ("the:theta=1.01", "theta must be from 0.5 to 1, got '1.01'."),
        ("the:theta=nan", "theta must be a finite number such as 0.75 or 3/4, got 'nan'."),
        ("ue:p=0,q=0.5", "p must be strictly between 0 and 1, got '0'."),
        ("ue:p=0.5,q=1", "q must be strictly between 0 and 1, got '1'."),
        ("ue:p=0.5,q=1/2", "p and q must differ, got 0.5 twice: such a report says nothing."),
        ("ue:p=0.5", "The protocol ue needs q: write ue:q=…."),
        ("ue", "The protocol ue needs p and q: write ue:p=…."),
        ("ue:p=0.5,q=0.1,epsilon=1", "There is no parameter of ue called 'epsilon': there are p, q."),
        ("grrr", "There is no protocol called 'grrr': did you mean grr?"),
        ("grr,olhh", "There is no protocol called 'olhh': did you mean olh?"),
        ("zzz", f"There is no protocol called 'zzz': {KNOWN}"),
        ("[red]x[/red]", f"There is no protocol called '[red]x[/red]': {KNOWN}"),
        ("\x1b[31mgrr", r"There is no protocol called '\x1b[31mgrr': did you mean grr?"),
        ("grr:omega=2", "There is no parameter of grr called 'omega': there are epsilon, exp_epsilon."),
        ("the:teta=0.9", "There is no parameter of the called 'teta': did you mean theta?"),
        ("the:theta=0.9,theta=0.8", "The parameter theta of the is given twice."),
        ("the:theta=0.9,THETA=0.8", "The parameter theta of the is given twice."),
        ("grr:epsilon=1,exp_epsilon=2", "Give a budget: either epsilon or exp_epsilon (that is e^epsilon), not both."),
        ("grr:exp_epsilon=1", "exp_epsilon must be above 1, got '1'."),
        ("grr:epsilon=0", f"{SMALL}'0'."),
        ("grr:epsilon", "a parameter of grr must be written key=value, got 'epsilon'."),
        ("the:theta=", "The parameter theta of the has no value: write it after the equals sign."),
        ("", f"{LIST}''."),
        ("grr,,oue", f"{LIST}'grr,,oue'."),
        ("grr,", f"{LIST}'grr,'."),
    ],
)
def test_specs(terminal: Terminal, specs: str, sentence: str) -> None:
    terminal.refuses(sentence, *COMPARE, "--epsilon", "1", "--protocols", specs)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("leakage", "oue"), "Say how many values there are: --domain-size K."),
        (("leakage", "oue", "--domain-size", "5"), "The protocol oue needs a budget: give epsilon."),
        (("leakage", "oue", "--domain-size", "5", "--epsilon", "1,2"), f"{NUMBER}'1,2'."),
        (
            ("leakage", "oue", "--domain-size", "5", "--epsilon", "1", "--seed", "-1"),
            "seed must be a whole number of at least 0, got -1.",
        ),
    ],
)
def test_leakage_arguments(terminal: Terminal, arguments: tuple[str, ...], sentence: str) -> None:
    terminal.refuses(sentence, *arguments)


@pytest.mark.parametrize(
    ("arguments", "beginning"),
    [
        (("compar",), "No such command 'compar'"),
        (("\x1b[31m",), r"No such command '\x1b[31m'"),
        (("compare", "--frob"), "No such option: --frob"),
        (("compare", "--\x1b[31m"), r"No such option: --\x1b[31m"),
        (("compare", "--epsilon"), "Option '--epsilon' requires an argument"),
        (("compare", "--match", "\x1b[31m"), "Invalid value for '--match': "),
        (("compare", "--other", "keep"), "Invalid value for '--other': "),
        (("leakage",), "Missing argument 'SPEC'"),
    ],
)
def test_what_the_option_parser_refuses(terminal: Terminal, arguments: tuple[str, ...], beginning: str) -> None:
    terminal.refuses_with(beginning, *arguments)
