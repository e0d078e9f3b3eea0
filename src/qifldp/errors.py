"""The whole tree of errors: everything that qifldp raises on purpose."""

from __future__ import annotations


class QifldpError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(QifldpError, ValueError):
    """An argument, a file or an option is not what it has to be; the message is one full sentence."""

    @classmethod
    def expected(cls, what: str, requirement: str, got: object) -> InputError:
        """Return the usual sentence: ``what`` must be ``requirement``, got ``got``."""
        return cls(f"{what} must be {requirement}, got {shown(got)}.")


class InexactError(InputError):
    """An exact (rational) answer was asked of something that is not rational."""


class TooLargeError(InputError):
    """The exact computation would not fit; the message names what to use instead."""


class ConvergenceError(QifldpError):
    """An iteration ended before its certified gap was small enough; the message states the gap."""


def shown(value: object, limit: int = 60) -> str:
    """Return a short, printable form of a value that may come from a stranger."""
    text = str(value) if isinstance(value, int | float) else repr(value)
    printable = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return printable if len(printable) <= limit else printable[: limit - 1] + "…"
