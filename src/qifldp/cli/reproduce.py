"""``qifldp reproduce``: the paper's figures, made again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from qifldp._version import __version__
from qifldp.cli.application import application, check_inputs_kept, progress_bar, show
from qifldp.errors import InputError, shown
from qifldp.experiments.catalogue import FIGURES, OF_KOSARAK
from qifldp.experiments.clicks import Clicks, check_enough, read_clicks
from qifldp.experiments.figure import Settings
from qifldp.experiments.squared_errors import PEOPLE
from qifldp.rendering.charts import check_altair
from qifldp.rendering.reproduced import ENDINGS, reproduced_document, reproduced_view
from qifldp.storage import check_readable, reason

ALL = "all"


@application.command("reproduce")
def reproduce_command(
    out: Annotated[str, typer.Option(help="The folder for the pictures and data; made if there is none.")],
    figure: Annotated[str, typer.Argument(metavar="[FIGURE|all]", help="fig1 to fig8, or all of them.")] = ALL,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer runs; the pictures say so.")] = False,
    kosarak: Annotated[
        str | None, typer.Option(help="The file of Kosarak (FIMI format) for fig4 and fig5; else a stand-in.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is simulated.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Make the paper's figures again: SVG, PNG, the data as CSV, and what they were made from as JSON.

    Needs the extra for drawing, and says how to get it. All figures take some minutes; with --quick, half a minute.

    [bold]Examples[/bold]

      qifldp reproduce fig6 --out figures

      qifldp reproduce all --quick --out figures

      qifldp reproduce fig5 --kosarak kosarak.dat --seed 7 --out figures
    """
    names = _names(figure)
    if seed < 0:
        raise InputError.expected("seed", "a whole number of at least 0", seed)
    if kosarak is not None:
        if not OF_KOSARAK & set(names):
            raise InputError("--kosarak is about fig4 and fig5: leave it out.")
        check_readable(kosarak)
    check_altair()
    from qifldp.rendering import figures  # noqa: PLC0415  # imports an extra

    folder = Path(out)
    targets = tuple(f"{name}.{ending}" for name in names for ending in ENDINGS)
    for target in targets:
        check_inputs_kept(str(folder / target), kosarak)
    _make(folder, out)
    figures.check_targets(folder, targets)  # before anything is simulated
    made = []
    with progress_bar() as progress:
        clicks: Clicks | None = None
        if kosarak is not None:
            clicks = read_clicks(kosarak, _telling(progress, progress.add_task("reading clicks", total=1.0)))
            if "fig5" in names:
                check_enough(clicks, PEOPLE)  # before anything is drawn
        settings = Settings(seed, quick, clicks)
        tasks = {name: progress.add_task(name, total=1.0) for name in names}
        for name, task in tasks.items():
            found = FIGURES[name](settings, _telling(progress, task))
            made.append(figures.save(found, settings, folder))
            progress.update(task, completed=1.0)
    document = reproduced_document(made, folder=out, quick=quick, seed=seed, version=__version__)
    show(document, reproduced_view(made, folder=out), as_json=as_json, out=None)


def _telling(progress: Progress, task: TaskID) -> Callable[[float], None]:
    def tell(share: float) -> None:
        progress.update(task, completed=share)

    return tell


def _names(figure: str) -> list[str]:
    if figure.lower() == ALL:
        return list(FIGURES)
    if figure.lower() not in FIGURES:
        raise InputError.expected("The figure", f"one of {', '.join(FIGURES)} or {ALL}", figure)
    return [figure.lower()]


def _make(folder: Path, given: str) -> None:
    if not given:
        raise InputError("The name of the folder is empty.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"The folder {shown(given)} cannot be made: {reason(error)}.") from None
