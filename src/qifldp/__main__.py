"""The program: ``qifldp``, or ``python -m qifldp``."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line and exit with its code, or with 130 if it is interrupted while it is loaded."""
    try:
        from qifldp.cli.main import run  # noqa: PLC0415  # loading takes time, in which it may be interrupted too

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("qifldp: interrupted.\n")
        code = 128 + signal.SIGINT
    sys.exit(code)


if __name__ == "__main__":
    main()
