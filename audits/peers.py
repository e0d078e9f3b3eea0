"""The audit, run against the clients of multi-freq-ldpy and pure-ldp as they come from the package index.

    python audits/peers.py --multi-freq-ldpy PYTHON --pure-ldp PYTHON [--out FILE]

PYTHON is the interpreter of an environment with the library; ``make audit-peers`` makes both.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path

from clients import BITS, COHORTS, EPSILON, HASHES, F, K

from qifldp import Audit, Protocol, audit_client, parse_spec
from qifldp.audit.commands import CommandSource

USERS, FEWER, ROUNDS = 50_000, 10_000, 20

RAPPOR_EPSILON = 2 * HASHES * math.log((1 - F / 2) / (F / 2))
"""What pure-ldp's server says that its ε is."""


@dataclass(frozen=True)
class Case:
    """A client, called as documented, and what it claims.

    Attributes:
        library: From the package index, with its version.
        name: Of the client, for ``clients.py``.
        call: As its documentation has it.
        claim: A protocol's spec, or an ε.
        rounds: Reports of one user.
        told: Whether its report says which values it supports.
    """

    library: str
    name: str
    call: str
    claim: str
    rounds: int = 1
    told: bool = False

    @property
    def protocol(self) -> Protocol | None:
        """The declared protocol."""
        return None if self.claim[0].isdigit() else parse_spec(f"{self.claim}:epsilon={EPSILON:g}").build(K)


MULTI, PURE = "multi-freq-ldpy 0.2.5", "pure-ldp 1.2.0"

CASES = (
    Case(MULTI, "GRR", "GRR_Client(v, 16, 1)", "grr"),
    Case(MULTI, "SS", "SS_Client(v, 16, 1)", "ss"),
    Case(MULTI, "SUE", "UE_Client(v, 16, 1, False)", "sue"),
    Case(MULTI, "OUE", "UE_Client(v, 16, 1, True)", "oue"),
    Case(MULTI, "OLH", "LH_Client(v, 16, 1, True)", "olh", told=True),
    *(
        Case(MULTI, name, f"{name.replace('-', '_')}_Client(v, 16, 1, 0.5), {ROUNDS} times", "1", ROUNDS)
        for name in ("L-GRR", "L-SUE", "L-OUE", "L-OSUE", "L-SOUE")
    ),
    Case(PURE, "DE", "DEClient(1, 16).privatise(v)", "grr"),
    Case(PURE, "SUE", "UEClient(1, 16).privatise(v)", "sue"),
    Case(PURE, "OUE", "UEClient(1, 16, use_oue=True).privatise(v)", "oue"),
    Case(PURE, "OLH", "LHClient(1, 16, use_olh=True).privatise(v)", "olh", told=True),
    Case(
        PURE, "RAPPOR", f"RAPPORClient({F}, {BITS}, server.get_hash_funcs(), {COHORTS}).privatise(v)",
        f"{RAPPOR_EPSILON:.6f}", told=True,
    ),
)  # fmt: skip


def supports(report: object, value: object) -> bool:
    """Say whether a report that is followed by the values that it supports, supports one."""
    assert isinstance(report, list)
    return value in report[-1]


def run(case: Case, python: str) -> Audit:
    """Audit one client."""
    script = Path(__file__).with_name("clients.py")
    client = CommandSource(f"'{python}' '{script}' {case.library.partition(' ')[0]}:{case.name}", form="json")
    protocol = case.protocol
    return audit_client(
        client,
        domain=K,
        protocol=protocol,
        epsilon=None if protocol is not None else case.claim,
        samples=USERS if case.rounds == 1 else FEWER,
        rounds=case.rounds,
        supports=supports if case.told else None,
        classifier=False,
    )


def row(case: Case, found: Audit) -> str:
    """Return what was found as a row of Markdown."""
    claim = f"ε = {float(case.claim):.4g}" if case.protocol is None else f"{case.protocol.name}, ε = 1"
    return (
        f"| {case.library} | `{case.call}` | {claim} | {found.verdict} | {found.epsilon_lower_bound:.2f} "
        f"| {found.leakage.asr.value:.1%} | {found.reason} |"
    )


def main() -> None:
    """Audit all, and print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--multi-freq-ldpy", required=True)
    options.add_argument("--pure-ldp", required=True)
    options.add_argument("--only", default="", help="Clients whose name holds this.")
    options.add_argument("--out", help="Write all results to this file, as JSON.")
    chosen = options.parse_args()
    pythons = {MULTI: chosen.multi_freq_ldpy, PURE: chosen.pure_ldp}
    sys.stdout.write(
        "| library | call | claim | verdict | ε at least | one guess | why |\n|---|---|---|---|---|---|---|\n"
    )
    documents = []
    for case in (case for case in CASES if chosen.only in f"{case.library}:{case.name}"):
        found = run(case, pythons[case.library])
        documents.append({"library": case.library, "call": case.call} | found.to_json())
        sys.stdout.write(row(case, found) + "\n")
        sys.stdout.flush()
    if chosen.out is not None:
        Path(chosen.out).write_text(json.dumps(documents, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
