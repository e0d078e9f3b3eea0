"""Files: read with a bound on their size, written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from qifldp.errors import InputError, shown

LARGEST_TEXT = 256 * 1024 * 1024
"""Bytes of a text file (matrix, domain, gain) that are read into memory at most."""


def check_readable(path: str | Path) -> Path:
    """Return the path of an existing regular file that is not empty.

    Raises:
        InputError: If there is no such file, or it is empty or not a regular file.
    """
    file = Path(path)
    try:
        exists, regular = file.exists(), file.is_file()
        size = file.stat().st_size if regular else 0
    except (OSError, ValueError) as error:
        raise InputError(f"The file {shown(str(path))} cannot be read: {reason(error)}.") from None
    if not exists:
        raise InputError(f"There is no file {shown(str(path))}.")
    if not regular:
        raise InputError(f"{shown(str(path))} is not a file.")
    if size == 0:
        raise InputError(f"The file {shown(str(path))} is empty.")
    return file


def no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object of a JSON document, as ``json.loads`` asks its ``object_pairs_hook``.

    Raises:
        ValueError: If the object has a key twice, of which it would keep the last.
    """
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return document


def same_file(first: str | Path, second: str | Path) -> bool:
    """Whether two paths lead to one file."""
    try:
        return Path(first).resolve() == Path(second).resolve()
    except (OSError, RuntimeError, ValueError):  # Python before 3.13 has a RuntimeError for links in a circle
        return False


def exists(path: str | Path) -> bool:
    """Whether there is something at a path; a name that no file can have names nothing."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def read_text(path: str | Path) -> str:
    """Return the UTF-8 text of a file of at most 256 MiB.

    Raises:
        InputError: If the file is missing, empty, too large or not UTF-8.
    """
    file = check_readable(path)
    if file.stat().st_size > LARGEST_TEXT:
        raise InputError(f"The file {shown(str(path))} is larger than {LARGEST_TEXT // 1024**2} MiB.")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"The file {shown(str(path))} is not UTF-8 text.") from None
    except OSError as error:
        raise InputError(f"The file {shown(str(path))} cannot be read: {reason(error)}.") from None


def check_writable(path: str | Path) -> Path:
    """Return where a file would be written, before the work is done that is to be written.

    Raises:
        InputError: If the folder does not exist or cannot be written to, or there is something else than a file.
    """
    if not str(path):
        raise InputError("The name of the file to write is empty.")
    try:
        target = Path(path).resolve()  # a link stays a link: what it leads to is replaced
        special = target.exists() and not target.is_file()
        if not target.parent.exists():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not target.parent.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"The file {shown(str(path))} cannot be written: {reason(error)}.") from None
    if special:
        raise InputError(f"The file {shown(str(path))} cannot be written: it is not a regular file.")
    return target


def write_atomically(path: str | Path, write: Callable[[Path], None]) -> None:
    """Write a file by way of a neighbour that is renamed at the end, so that no half-written file is ever seen.

    Args:
        path: Where the file shall be.
        write: Writes the whole content to the path that it is given.

    Raises:
        InputError: If the folder does not exist or cannot be written to.
    """
    target = check_writable(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", dir=target.parent)
        os.close(handle)
    except OSError as error:
        raise InputError(f"The file {shown(str(path))} cannot be written: {reason(error)}.") from None
    try:
        write(Path(name))
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except OSError as error:
        raise InputError(f"The file {shown(str(path))} cannot be written: {reason(error)}.") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()


def reason(error: OSError | RuntimeError | ValueError) -> str:
    """Return why an operation on a file failed, without the name of any other file."""
    return getattr(error, "strerror", None) or shown(str(error), 120)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
