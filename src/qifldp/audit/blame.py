"""What is said when code that is not ours fails: a client, a server, or what they return."""

from __future__ import annotations

from qifldp.errors import InputError, shown

LONGEST_WORDS = 120
"""Characters of what an error says that are repeated."""


def failure(what: str, error: BaseException) -> InputError:
    """Return the error that a stranger's code is blamed with, in one sentence: ``what``, and what was raised there.

    Whatever is raised there is a failure of that code, also what is no ``Exception``: ``SystemExit``, or
    ``asyncio.CancelledError``. Only an interrupt is the user's.

    Raises:
        KeyboardInterrupt: If that is what was raised.
    """
    if isinstance(error, KeyboardInterrupt):
        raise error
    try:
        said = shown(str(error), LONGEST_WORDS)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001  # an error of a stranger's own type, whose words fail in their turn
        said = "what it says cannot be read"
    return InputError(f"{what}: {type(error).__name__}: {said}.")
