"""Your data: a column of a table, or a channel matrix. Both stay in the memory of this session."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from qifldp.app import cached, long_work, uploads
from qifldp.app.answers import Asked, Files
from qifldp.app.controls import change, current, problem, problem_of
from qifldp.app.screen import heading, put, say
from qifldp.app.state import MATRIX, NO_DATA, UPLOADED, State
from qifldp.data.population import Population
from qifldp.errors import InputError
from qifldp.rendering.page.figures import shown, table
from qifldp.rendering.page.markup import tag
from qifldp.rendering.text import plain

SHOWN = 10
"""Values of a column that are listed."""

PROMISE = (
    "A file is read in the memory of this session, and is never written, logged or sent on. At most "
    f"{uploads.MEGABYTES} MB, {uploads.MOST_ROWS:,} rows, {uploads.MOST_VALUES:,} different values."
)


def show(state: State, question: Asked, files: Files) -> None:
    """Show the view."""
    del state
    put(heading("A column that is to be collected"), tag("p", PROMISE, class_="note"))
    file = st.file_uploader(
        "Table (CSV with a header, or Parquet)",
        type=["csv", "parquet"],
        key=f"file_table_{_round()}",
        max_upload_size=uploads.MEGABYTES,
    )
    if file is not None:
        _column(file)
    if files.population is not None:
        _population(files.population)
    put(
        heading("A channel matrix"),
        tag(
            "p",
            "Rows are values, columns outputs, each row sums to one; CSV, JSON, NPY or Parquet. Its leakage is "
            "compared with that of the protocols over as many values. "
            f"At most {uploads.MOST_SECRETS:,} rows and {uploads.MOST_CELLS:,} cells.",
            class_="note",
        ),
    )
    matrix = st.file_uploader(
        "Channel matrix",
        type=["csv", "json", "npy", "parquet"],
        key=f"file_matrix_{_round()}",
        max_upload_size=uploads.MEGABYTES,
    )
    if matrix is not None:
        _matrix(matrix)
    if files.matrix is not None:
        _channel(files, question.k)


def _round() -> int:
    """Return which pair of upload boxes is shown: new ones after something is forgotten, so that its bytes go too."""
    found: int = st.session_state.get("uploads", 0)
    return found


def _column(file: Any) -> None:
    data, name = file.getvalue(), file.name
    try:
        names = uploads.column_names(data, name)
    except InputError as error:
        say(str(error), "error")
        return
    place = st.selectbox(
        "Column",
        range(len(names)),
        format_func=lambda place: plain(names[place]).replace("\n", " "),
        key=f"column_{file.file_id}",  # another file has other columns in the same places
    )
    st.button("Use this column", type="primary", on_click=_use_column, args=(data, name, names[place]))
    problem_of("column")


def _use_column(data: bytes, name: str, column: str) -> None:
    """Count a column; done before the page is made anew, so that no next action of the user can come first."""
    try:
        found = uploads.population_of(data, name, column)
    except InputError as error:
        problem("column", str(error))
        return
    st.session_state.files = replace(st.session_state.files, population=found)
    change(data=UPLOADED)


def _population(found: Population) -> None:
    in_use = current().data == UPLOADED
    put(
        tag(
            "p",
            f"{'In use' if in_use else 'Read'}: {found.title}: {found.n:,} rows, {len(found.values):,} values.",
            class_="good",
        )
    )
    for note in found.notes:
        say(note)
    rows = [
        [value, shown(count, "count"), shown(count / found.n, "percent")]
        for value, count in list(zip(found.values, found.counts, strict=True))[:SHOWN]
    ]
    with st.expander(f"Its {min(SHOWN, len(found.values))} most frequent values"):
        put(table(["value", "rows", "share"], rows, caption="The most frequent values"))
    st.button("Forget the column", on_click=_forget_column)


def _forget(part: str) -> None:
    """Forget a file, and every answer, as it may have had a part in it."""
    st.session_state.files = replace(st.session_state.files, **{part: None})
    st.session_state.uploads = _round() + 1
    cached.forget()
    long_work.forget()


def _forget_column() -> None:
    _forget("population")
    if current().data == UPLOADED:
        change(data=NO_DATA)


def _matrix(file: Any) -> None:
    st.button("Use this channel", type="primary", on_click=_use_channel, args=(file.getvalue(), file.name))
    problem_of("channel")


def _use_channel(data: bytes, name: str) -> None:
    try:
        found = uploads.matrix_from(data, name)
    except InputError as error:
        problem("channel", str(error))
        return
    st.session_state.files = replace(st.session_state.files, matrix=found)
    change(data=NO_DATA)


def _channel(files: Files, k: int) -> None:
    assert files.matrix is not None
    channel = files.matrix.channel
    exact = "exact" if channel.is_exact else "doubles"
    name = files.matrix.spec.partition(":")[2]
    put(tag("p", f"In use: {name}: {channel.domain_size} × {len(channel.outputs)}, {exact}.", class_="good"))
    if channel.domain_size != k:
        say(f"It is not compared now: it has {channel.domain_size:,} rows, and the data have {k:,} values.")
    st.button("Forget the channel", on_click=_forget_channel)


def _forget_channel() -> None:
    _forget("matrix")
    state = current()
    if MATRIX in (state.original, state.refined):
        change(original=State.original, refined=State.refined)
