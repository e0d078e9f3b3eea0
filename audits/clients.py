"""Clients of other libraries, called as their documentation says: values on stdin, reports as JSON on stdout.

Run by ``peers.py`` with the Python of an environment that holds one of the libraries, and nothing of qifldp (so that
imports are local):

    python clients.py multi-freq-ldpy:SS

A report of hashing is followed by the values that it supports: anybody can compute them from it.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

K, EPSILON = 16, 1.0
ONCE = 0.5
"""The ε of one report, of those that claim EPSILON for all of them."""

F, BITS, HASHES, COHORTS = 0.5, 32, 1, 8
"""Of RAPPOR."""

Client = Callable[[int], Any]


def multi_freq_ldpy(name: str) -> Client:
    """Return a client of multi-freq-ldpy."""
    from multi_freq_ldpy.long_freq_est.L_GRR import L_GRR_Client  # noqa: PLC0415
    from multi_freq_ldpy.long_freq_est.L_OSUE import L_OSUE_Client  # noqa: PLC0415
    from multi_freq_ldpy.long_freq_est.L_OUE import L_OUE_Client  # noqa: PLC0415
    from multi_freq_ldpy.long_freq_est.L_SOUE import L_SOUE_Client  # noqa: PLC0415
    from multi_freq_ldpy.long_freq_est.L_SUE import L_SUE_Client  # noqa: PLC0415
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client  # noqa: PLC0415
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client  # noqa: PLC0415
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client  # noqa: PLC0415
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client  # noqa: PLC0415

    def local_hashing(value: int) -> list[Any]:
        bucket, seed = LH_Client(value, K, EPSILON, True)
        return hashed(bucket, seed, round(math.exp(EPSILON)) + 1, list(range(K)))

    clients: dict[str, Client] = {
        "GRR": lambda value: GRR_Client(value, K, EPSILON),
        "SS": lambda value: SS_Client(value, K, EPSILON),
        "SUE": lambda value: UE_Client(value, K, EPSILON, False),
        "OUE": lambda value: UE_Client(value, K, EPSILON, True),
        "OLH": local_hashing,
        "L-GRR": lambda value: L_GRR_Client(value, K, EPSILON, ONCE),
        "L-SUE": lambda value: L_SUE_Client(value, K, EPSILON, ONCE),
        "L-OUE": lambda value: L_OUE_Client(value, K, EPSILON, ONCE),
        "L-OSUE": lambda value: L_OSUE_Client(value, K, EPSILON, ONCE),
        "L-SOUE": lambda value: L_SOUE_Client(value, K, EPSILON, ONCE),
    }
    return clients[name]


def pure_ldp(name: str) -> Client:
    """Return a client of pure-ldp, which counts values from 1."""
    from pure_ldp.frequency_oracles.direct_encoding import DEClient  # noqa: PLC0415
    from pure_ldp.frequency_oracles.local_hashing import LHClient  # noqa: PLC0415
    from pure_ldp.frequency_oracles.rappor import RAPPORClient, RAPPORServer  # noqa: PLC0415
    from pure_ldp.frequency_oracles.unary_encoding import UEClient  # noqa: PLC0415

    if name == "RAPPOR":
        server = RAPPORServer(F, BITS, HASHES, K, num_of_cohorts=COHORTS)
        functions = server.get_hash_funcs()
        client = RAPPORClient(F, BITS, functions, COHORTS)
        table = [[{function(str(x)) for function in cohort} for x in range(K)] for cohort in functions]

        def rappor(value: int) -> list[Any]:
            bits, cohort = client.privatise(value + 1)
            supported = [x for x in range(K) if all(bits[place] for place in table[cohort][x])]
            return [bits, cohort, supported]

        return rappor
    if name == "OLH":
        hashing = LHClient(EPSILON, K, use_olh=True)

        def local_hashing(value: int) -> list[Any]:
            bucket, seed = hashing.privatise(value + 1)
            return hashed(bucket, seed, hashing.g, list(range(K)))

        return local_hashing
    makes = {
        "DE": lambda: DEClient(EPSILON, K),
        "SUE": lambda: UEClient(EPSILON, K),
        "OUE": lambda: UEClient(EPSILON, K, use_oue=True),
    }
    client = makes[name]()
    return lambda value: client.privatise(value + 1)


def hashed(bucket: int, seed: int, buckets: int, values: list[int]) -> list[Any]:
    """Return a report of hashing with the values that it supports, by the hash that both libraries use."""
    import xxhash  # noqa: PLC0415

    supported = [x for x in values if xxhash.xxh32(str(x), seed=int(seed)).intdigest() % buckets == bucket]
    return [int(bucket), int(seed), supported]


def plain(report: Any) -> Any:
    """Return a report as JSON has it; numbers that are whole, as such."""
    if isinstance(report, np.ndarray):
        return [plain(part) for part in report.tolist()]
    if isinstance(report, list | tuple):
        return [plain(part) for part in report]
    return int(report) if float(report).is_integer() else float(report)


def main() -> None:
    """Answer every line."""
    library, _, name = sys.argv[1].partition(":")
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # what the libraries draw from
    client = {"multi-freq-ldpy": multi_freq_ldpy, "pure-ldp": pure_ldp}[library](name)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(plain(client(int(line)))) + "\n")


if __name__ == "__main__":
    main()
