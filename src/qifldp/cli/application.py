"""The application object that commands hang on, and what they share: consoles, progress, output."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from qifldp._version import __version__
from qifldp.errors import InputError, shown
from qifldp.rendering.documents import save, to_text
from qifldp.rendering.text import plain
from qifldp.storage import check_writable, same_file

application = typer.Typer(
    name="qifldp",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"qifldp {__version__}")
        raise typer.Exit


@application.callback()
def about(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Compare local-differential-privacy protocols by what any adversary can learn, not by ε alone.

    [bold]Examples[/bold]

      qifldp compare --dataset kosarak --epsilon 1

      qifldp compare survey.csv --column answer --domain answers.txt --epsilon "1,2,ln(3)"

      qifldp leakage oue --domain-size 50 --epsilon 1 --prior zipf:1 --gain guesses:3
    """


def errors() -> Console:
    """Return the console of everything that is not the result: progress and notes, on stderr."""
    return Console(stderr=True, highlight=False)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show a progress bar on stderr while work is going on, if stderr is a terminal."""
    console = errors()
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        yield progress


class Pace:
    """A task of a progress bar that says how many reports are done, and how many a second."""

    def __init__(self, progress: Progress, doing: str) -> None:
        self._progress, self._doing, self._start = progress, doing, time.monotonic()
        self._task = progress.add_task(doing, total=1.0)

    def advance(self, share: float, reports: int) -> None:
        """Show the share of the work that is done, and the reports."""
        rate = reports / max(time.monotonic() - self._start, 1e-9)
        words = f"{self._doing} {reports:,} reports, {rate:,.0f} a second"
        self._progress.update(self._task, completed=share, description=words)


def check_output(out: str | None, *inputs: str | None) -> None:
    """Raise InputError if a result cannot be written, or would be written over a file that it is made from."""
    check_inputs_kept(out, *inputs)
    if out is not None:
        check_writable(out)


def check_inputs_kept(out: str | None, *inputs: str | None) -> None:
    """Raise InputError if a result would be written over a file that it is made from."""
    if out is not None and any(same_file(out, path) for path in inputs if path):
        raise InputError(f"The result would overwrite {shown(out)}, which it is made from: choose another file.")


def show(document: dict[str, object], view: RenderableType, *, as_json: bool, out: str | None) -> None:
    """Print a result, as JSON alone or for people, and write its JSON to a file if one is named.

    Raises:
        InputError: If the file cannot be written; then nothing is printed.
    """
    if out is not None:
        save(document, out)
    if as_json:
        unicode = sys.stdout.encoding.lower().startswith("utf")
        typer.echo(to_text(document, only_ascii=not unicode))
        return
    Console(highlight=False).print(view)
    if out is not None:
        errors().print(plain(f"The result is in {out} (JSON)."), markup=False, soft_wrap=True)
