"""Files: read with a bound on their size, written whole or not at all."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from qifldp import storage
from qifldp.errors import InputError
from qifldp.storage import check_readable, read_text, write_atomically


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names(folder: str = ".") -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def writing(content: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_text(content)

    return write


def sentence(path: str) -> str:
    with pytest.raises(InputError) as caught:
        read_text(path)
    return str(caught.value)


def test_what_cannot_be_read() -> None:
    Path("folder").mkdir()
    Path("empty").touch()
    Path("latin").write_bytes("Köln".encode("latin-1"))
    assert sentence("nope") == "There is no file 'nope'."
    assert sentence("folder") == "'folder' is not a file."
    assert sentence("empty") == "The file 'empty' is empty."
    assert sentence("latin") == "The file 'latin' is not UTF-8 text."
    assert sentence("a\0b") == r"There is no file 'a\x00b'."


def test_files_that_are_too_large_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "LARGEST_TEXT", 2 << 20)
    with Path("large").open("wb") as file:
        file.truncate((2 << 20) + 1)
    assert sentence("large") == "The file 'large' is larger than 2 MiB."
    Path("fits").write_text("x" * (2 << 20))
    assert len(read_text("fits")) == 2 << 20


def test_byte_order_mark_is_not_text() -> None:
    Path("bom").write_bytes(b"\xef\xbb\xbfx\r\ny")
    assert read_text("bom").splitlines() == ["x", "y"]
    assert check_readable("bom") == Path("bom")


def test_new_file_has_the_rights_of_any_new_file() -> None:
    write_atomically("new", writing("content"))
    Path("ordinary").write_text("content")
    assert Path("new").read_text() == "content"
    assert stat.S_IMODE(Path("new").stat().st_mode) == stat.S_IMODE(Path("ordinary").stat().st_mode)
    assert names() == ["new", "ordinary"]


@pytest.mark.parametrize("error", [RuntimeError("killed"), KeyboardInterrupt(), MemoryError()])
def test_a_writer_that_dies_leaves_the_old_file(error: BaseException) -> None:
    Path("kept").write_text("old")

    def dies(path: Path) -> None:
        path.write_text("half of the n")
        raise error

    with pytest.raises(type(error)):
        write_atomically("kept", dies)
    assert Path("kept").read_text() == "old"
    assert names() == ["kept"]


def test_a_full_disk_is_one_sentence_and_leaves_the_old_file() -> None:
    Path("kept").write_text("old")

    def full(path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError) as caught:
        write_atomically("kept", full)
    assert str(caught.value) == "The file 'kept' cannot be written: No space left on device."
    assert Path("kept").read_text() == "old"
    assert names() == ["kept"]


def test_the_target_never_holds_half_of_the_content() -> None:
    Path("seen").write_text("old")
    while_writing: list[str] = []

    def write(path: Path) -> None:
        path.write_text("new, f")
        while_writing.append(Path("seen").read_text())
        path.write_text("new, finished")

    write_atomically("seen", write)
    assert while_writing == ["old"]
    assert Path("seen").read_text() == "new, finished"


@pytest.mark.parametrize("path", ["nowhere/file", "folder", "x" * 300, "a\0b", "folder/"])
def test_where_nothing_can_be_written(path: str) -> None:
    Path("folder").mkdir()
    with pytest.raises(InputError) as caught:
        write_atomically(path, writing("content"))
    assert "cannot be written: " in str(caught.value)
    assert names() == ["folder"]
    assert names("folder") == []


def test_a_link_stays_a_link() -> None:
    Path("real").write_text("old")
    Path("link").symlink_to("real")
    write_atomically("link", writing("new"))
    assert Path("link").is_symlink()
    assert Path("real").read_text() == "new"
