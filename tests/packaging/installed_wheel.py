"""Run by `make test-wheel` with the Python of a clean environment that holds the built wheel, and no source."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import qifldp

environment = Path(sys.prefix).resolve()
installed = Path(qifldp.__file__).resolve()
assert environment in installed.parents, f"qifldp was imported from {installed}, not from the wheel"
assert files("qifldp").joinpath("py.typed").is_file(), "the wheel has no py.typed"

command = environment / "bin" / "qifldp"
answer = subprocess.run(
    [command, "compare", "--domain-size", "50", "--epsilon", "2", "--json"], capture_output=True, check=False
)
assert answer.returncode == 0, answer.stderr.decode()
document = json.loads(answer.stdout)
names = [row["protocol"] for row in document["rows"]]
assert names == ["GRR", "SS", "BLH", "OLH", "SUE", "OUE", "THE"], names
assert all(1 < row["bayes_capacity"] < 50 for row in document["rows"])

embedded = subprocess.run(
    [command, "compare", "--dataset", "adult-education", "--epsilon", "1"], capture_output=True, check=False
)
assert embedded.returncode == 0, embedded.stderr.decode()
assert "Adult" in embedded.stdout.decode()
sys.stdout.write(f"The wheel of qifldp {qifldp.__version__} works in a clean environment.\n")
