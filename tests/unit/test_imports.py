"""What importing the package brings along."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import qifldp

HEAVY = {
    *("numba", "llvmlite", "pyspark", "pandas", "altair", "vl_convert", "streamlit", "z3", "cvc5", "sklearn"),
    *("matplotlib", "typer", "click", "rich", "hypothesis", "pytest"),
}

SHOW = "import sys; print(sorted({name.partition('.')[0] for name in sys.modules}))"


def loaded_by(statement: str) -> set[str]:
    """Return the packages that a fresh process has loaded after a statement."""
    found = subprocess.run([sys.executable, "-c", f"{statement}; {SHOW}"], capture_output=True, text=True, check=True)
    return set(found.stdout.strip("[]\n").replace("'", "").split(", "))


def test_all_public_names_load_no_compiler_no_spark_and_no_extra() -> None:
    loaded = loaded_by("import qifldp; [getattr(qifldp, name) for name in qifldp.__all__]")
    assert {"qifldp", "numpy", "scipy", "flint"} <= loaded
    assert loaded & HEAVY == set()


def test_importing_the_package_loads_next_to_nothing() -> None:
    assert loaded_by("import qifldp") & {"numpy", "scipy", "pyarrow", "flint", "highspy", "rich"} == set()


def test_every_public_name_is_what_type_checkers_see() -> None:
    source = ast.parse(Path(qifldp.__file__).read_text(encoding="utf-8"))
    checked = next(node for node in source.body if isinstance(node, ast.If))
    seen = {}
    for node in checked.body:
        assert isinstance(node, ast.ImportFrom)
        assert node.module is not None
        for alias in node.names:
            home = importlib.import_module(node.module)
            place = f"{node.module}.{alias.name}"
            seen[alias.asname or alias.name] = getattr(home, alias.name, None) or importlib.import_module(place)
    assert set(qifldp.__all__) == {*seen, "__version__"} == set(dir(qifldp))
    for name, value in seen.items():
        assert getattr(qifldp, name) is value


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match=r"^module 'qifldp' has no attribute 'OEU'$"):
        _ = qifldp.OEU


def test_the_kernels_do_load_the_compiler() -> None:
    """So that the test above looks where it would be seen."""
    assert "numba" in loaded_by("from qifldp.collection.kernels import bits")
