"""Tables are read from the command line, in an empty folder and a plain environment."""

from cli.conftest import folder as folder
from cli.conftest import terminal as terminal
