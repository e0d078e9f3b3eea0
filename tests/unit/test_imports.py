"""What importing the package brings along."""

from __future__ import annotations

import subprocess
import sys

HEAVY = {"numba", "llvmlite", "pyspark", "pandas"}

SHOW = "import sys; print(sorted({name.partition('.')[0] for name in sys.modules}))"


def loaded_by(statement: str) -> set[str]:
    """Return the packages that a fresh process has loaded after a statement."""
    found = subprocess.run([sys.executable, "-c", f"{statement}; {SHOW}"], capture_output=True, text=True, check=True)
    return set(found.stdout.strip("[]\n").replace("'", "").split(", "))


def test_importing_the_package_does_not_load_the_compiler_or_spark() -> None:
    loaded = loaded_by("import qifldp")
    assert "qifldp" in loaded
    assert loaded & HEAVY == set()


def test_the_kernels_do_load_the_compiler() -> None:
    """So that the test above looks where it would be seen."""
    assert "numba" in loaded_by("from qifldp.collection.kernels import bits")
