"""Clients and servers beside their peers in one run: multi-freq-ldpy and pure-ldp, as ratios of reports a second.

A ratio is to the faster peer; ours run on all cores, as they do when used, and the peers on the one that they use.
Servers of hashes are also compared with a bare loop of the same hash, on as many threads.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from bare_hash_loop import count_inside
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client
from numpy.typing import NDArray
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer
from rich.console import Console
from rich.table import Table
from scipy.stats import binom

import qifldp as ql
from qifldp.collection.bits import UnaryMechanism
from qifldp.collection.counts_only import sample_counts
from qifldp.collection.entropy import WORD
from qifldp.collection.hashing import HashMechanism, scatter
from qifldp.collection.mechanism import Mechanism, Rows
from qifldp.collection.reports import Reports
from qifldp.collection.subsets import SubsetMechanism
from qifldp.engines.local import count_reports
from qifldp.engines.report_files import write_reports
from qifldp.engines.report_schema import ReportHeader, to_batch

K, EPSILON = 1024, 1.0
THREADS = os.cpu_count() or 1
DRAWN, HASHED, PEERS = 100_000, 1_000_000, 10_000
"""Reports that our clients draw and our unary and subset servers count, that our hashing server counts, and peers'."""

PEOPLE, MOST_SECONDS = 10**9, 0.2
"""People whose counts are drawn straight, and the time in which they are promised for each protocol."""

ROW_GROUP = 1 << 16
"""Reports in a row group of a file."""

SEEDS = 4_000_000
"""Reports whose sizes of support are compared with ideal hashing's."""

IDLE = 0.3
"""Load average of the last minute below which the machine is taken to be idle."""

E = math.exp(EPSILON)
OMEGA = round(K / (E + 1))
GRR = SubsetMechanism(K, int(E / (E + K - 1) * WORD), 1)
SS = SubsetMechanism(K, int(OMEGA * E / (OMEGA * E + K - OMEGA) * WORD), OMEGA)
OUE = UnaryMechanism(K, WORD // 2, int(WORD / (E + 1)))
OLH = HashMechanism(K, int(E / (E + 3) * WORD), 4)
BLH = HashMechanism(K, int(E / (E + 1) * WORD), 2)

Job = Callable[[], object]


@dataclass(frozen=True)
class Line:
    """One thing measured: what is counted a second, ours and the peers', and the ratio that is promised."""

    title: str
    unit: str
    ours: float
    peers: dict[str, float]
    promised: float

    @property
    def ratio(self) -> float:
        """Ours over the faster peer."""
        return self.ours / max(self.peers.values())

    @property
    def kept(self) -> bool:
        """Whether the promise is kept."""
        return self.ratio >= self.promised


def seconds(job: Job, at_least: float) -> float:
    """Return the median time of a job, of three runs and as many as take that many seconds."""
    times: list[float] = []
    while len(times) < 3 or sum(times) < at_least:
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def ours(job: Job, work: float) -> float:
    """Return work a second of a job of ours, once it is compiled."""
    job()
    return work / seconds(job, 1.0)


def peers(work: float, jobs: dict[str, Job]) -> dict[str, float]:
    """Return work a second of peers' jobs, which compile nothing, or have."""
    return {name: work / seconds(job, 0.0) for name, job in jobs.items()}


def in_parts(count: Callable[[int, slice], object], n: int) -> None:
    """Give each thread its number and its part of n rows."""
    step = -(-n // THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(count, range(THREADS), (slice(at * step, (at + 1) * step) for at in range(THREADS))))


def counted(mechanism: Mechanism, rows: Rows, class_of: NDArray[np.uint16]) -> Job:
    """Return the job of counting rows by class of size, each thread into a table of its own that it keeps."""
    tables = np.zeros((THREADS, int(class_of.max()) + 1, K), np.int64)
    return lambda: in_parts(lambda thread, part: mechanism.count(rows[part], class_of, tables[thread]), len(rows))


def bare_loop(rows: Rows) -> Job:
    """Return the job of the bare loop on reports of OLH."""
    a, b, bucket = OLH.unpack(rows)
    quarter = np.uint64(WORD // OLH.buckets)
    offsets, widest, scattered = b - bucket * quarter, np.full(len(rows), quarter - np.uint64(1)), scatter(K)
    return lambda: in_parts(lambda _, part: count_inside(a[part], offsets[part], widest[part], scattered), len(rows))


def each(function: Callable[..., object], values: Iterable[int], *arguments: object) -> Job:
    """Return the job of calling a client for each value."""
    return lambda: [function(value, *arguments) for value in values]


def index(value: int) -> int:
    """Return a value's place: pure-ldp takes values from 1 otherwise."""
    return value


def clients(values: NDArray[np.int64], rng: np.random.Generator) -> list[Line]:
    """Measure the clients."""
    few = values[:PEERS].tolist()
    for compiling in (UE_Client, SS_Client):
        compiling(0, K, EPSILON)
    grr = {"multi-freq": each(GRR_Client, few, K, EPSILON)}
    grr["pure-ldp"] = each(DEClient(EPSILON, K, index_mapper=index).privatise, few)
    oue = {"multi-freq": each(UE_Client, few, K, EPSILON)}
    oue["pure-ldp"] = each(UEClient(EPSILON, K, use_oue=True, index_mapper=index).privatise, few)
    olh = {"multi-freq": each(LH_Client, few, K, EPSILON)}
    olh["pure-ldp"] = each(LHClient(EPSILON, K, use_olh=True, index_mapper=index).privatise, few)
    blh = {"multi-freq": each(LH_Client, few, K, EPSILON, False)}
    blh["pure-ldp"] = each(LHClient(EPSILON, K, index_mapper=index).privatise, few)
    jobs: list[tuple[str, Mechanism, dict[str, Job], float]] = [
        ("GRR", GRR, grr, 50),
        ("OUE", OUE, oue, 50),
        ("SS", SS, {"multi-freq": each(SS_Client, few, K, EPSILON)}, 40),
        ("OLH", OLH, olh, 100),
        ("BLH", BLH, blh, 100),
    ]
    lines = []
    for name, mechanism, theirs, promised in jobs:
        speed = ours(lambda mechanism=mechanism: mechanism.draw(values, rng), len(values))  # type: ignore[misc]
        lines.append(Line(f"{name} client", "reports", speed, peers(PEERS, theirs), promised))
    return lines


def servers(values: NDArray[np.int64], rng: np.random.Generator) -> list[Line]:
    """Measure the servers."""
    one, by_size = np.zeros(K + 1, np.uint16), np.arange(K + 1, dtype=np.uint16)
    few, lines = values[:PEERS].tolist(), []

    vectors = [UE_Client(value, K, EPSILON) for value in few]
    unary = UEServer(EPSILON, K, use_oue=True, index_mapper=index)
    jobs: dict[str, Job] = {"multi-freq": lambda: UE_Aggregator_MI(vectors, EPSILON)}
    jobs["pure-ldp"] = lambda: unary.aggregate_all(vectors)
    theirs = peers(PEERS * K, jobs)
    rows = OUE.draw(values, rng)
    lines.append(Line("OUE server", "bits", ours(counted(OUE, rows, one), rows.shape[0] * K), theirs, 20))
    lines.append(Line("OUE server, by size", "bits", ours(counted(OUE, rows, by_size), rows.shape[0] * K), theirs, 20))

    sets = [SS_Client(value, K, EPSILON) for value in few]
    theirs = peers(PEERS * K, {"multi-freq": lambda: SS_Aggregator_MI(sets, K, EPSILON)})
    rows = SS.draw(values, rng)
    lines.append(Line("SS server", "reports · k", ours(counted(SS, rows, one), rows.shape[0] * K), theirs, 20))

    pairs = [LH_Client(value, K, EPSILON) for value in few]
    client, hashing = LHClient(EPSILON, K, use_olh=True, index_mapper=index), LHServer(EPSILON, K, use_olh=True)
    answers = [client.privatise(value) for value in few]
    jobs = {
        "multi-freq": lambda: LH_Aggregator_MI(pairs, K, EPSILON),
        "pure-ldp": lambda: hashing.aggregate_all(answers),
    }
    theirs = peers(PEERS * K, jobs)
    rows = OLH.draw(rng.integers(0, K, HASHED), rng)
    bare = {"bare loop": ours(bare_loop(rows), HASHED * K)}
    lines.append(Line("OLH, file to estimate", "hashes", end_to_end(rows), theirs, 500))
    for title, class_of, promised, share in (("plain", one, 2000, 0.7), ("by size", by_size, 1000, 0.35)):
        speed = ours(counted(OLH, rows, class_of), HASHED * K)
        lines.append(Line(f"OLH server, {title}", "hashes", speed, theirs, promised))
        lines.append(Line(f"OLH server, {title}", "hashes", speed, bare, share))
    return lines


def end_to_end(rows: Rows) -> float:
    """Return hashes a second from a Parquet file on disk to estimates, validation and weights by size included."""
    protocol = ql.OLH(K, EPSILON)
    schema = ReportHeader(protocol).schema()
    parts = (rows[start : start + ROW_GROUP] for start in range(0, len(rows), ROW_GROUP))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "reports.parquet"
        write_reports(path, schema, (to_batch(Reports(protocol, part), schema) for part in parts))

        def count() -> None:
            count_reports(path).accumulator.estimate()

        return ours(count, len(rows) * K)


def straight_counts(rng: np.random.Generator) -> Iterable[tuple[str, float]]:
    """Yield the seconds that counts of a billion people take, drawn without reports, for each protocol."""
    people = np.full(K, PEOPLE // K)
    people[0] += PEOPLE - people.sum()
    for make in (ql.GRR, ql.SS, ql.BLH, ql.OLH, ql.SUE, ql.OUE, ql.THE):
        protocol = make(K, EPSILON)
        yield protocol.name, seconds(lambda p=protocol: sample_counts(p, people, rng=rng), 0.5)  # type: ignore[misc]


def distance_from_ideal(rng: np.random.Generator) -> tuple[float, float]:
    """Return the total variation between sizes of supports of OLH and ideal hashing's, and that of ideal draws."""
    by_size, ideal = np.arange(K + 1, dtype=np.uint16), binom.pmf(np.arange(K + 1), K, 1 / OLH.buckets)
    totals = np.zeros(K + 1, np.int64)
    for _ in range(SEEDS // HASHED):
        rows = rng.integers(0, 256, (HASHED, OLH.width), np.uint8)
        rows[:, -1] = rng.integers(0, OLH.buckets, HASHED)
        totals += OLH.count(rows, by_size, np.zeros((K + 1, K), np.int64))
    drawn = rng.multinomial(SEEDS, ideal / ideal.sum())
    return float(np.abs(totals / SEEDS - ideal).sum() / 2), float(np.abs(drawn / SEEDS - ideal).sum() / 2)


def short(speed: float) -> str:
    """Return a speed with a unit of thousands."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if speed >= size:
            return f"{speed / size:.3g} {unit}"
    return f"{speed:.3g}"


def main() -> None:
    """Print one row a client or server; with ``--strict``, fail if a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a promised ratio is not reached")
    strict = parser.parse_args().strict
    console = Console(file=sys.stdout)
    load = os.getloadavg()[0]
    if load > IDLE:
        console.print(f"The machine is not idle (load average {load:.2f}): speeds and ratios may be off by twice.")
    rng = np.random.default_rng(1)
    values = rng.integers(0, K, DRAWN)
    lines = clients(values, rng) + servers(values, rng)
    title = f"A second, at k = {K:,}, ε = {EPSILON:g}: ours on {THREADS} threads, the faster peer on one"
    table = Table(title=title, title_justify="left")
    table.add_column("what")
    for heading in ("ours", "peer", "ratio", "promised"):
        table.add_column(heading, justify="right")
    for line in lines:
        fastest = max(line.peers, key=line.peers.__getitem__)
        digits = 2 if line.promised < 1 else 0
        table.add_row(
            f"{line.title}, {line.unit}",
            short(line.ours),
            f"{fastest} {short(line.peers[fastest])}",
            f"{line.ratio:,.{digits}f} ×" + ("" if line.kept else " !"),
            f"{line.promised:,.{digits}f} ×",
        )
    console.print(table)
    found, noise = distance_from_ideal(rng)
    console.print(
        f"Sizes of supports of {SEEDS:,} seeds: {found:.5f} from ideal hashing's; as many ideal ones {noise:.5f}."
    )
    straight = dict(straight_counts(rng))
    times = ", ".join(f"{name} {1000 * time:.3g} ms" for name, time in straight.items())
    console.print(f"Counts of {PEOPLE:,} people, drawn straight: {times}.")
    broken = sum(not line.kept for line in lines) + sum(time > MOST_SECONDS for time in straight.values())
    promises = len(lines) + len(straight)
    console.print("Every promise is kept." if not broken else f"{broken} of {promises} promises are not kept.")
    if strict and broken:
        sys.exit(1)


if __name__ == "__main__":
    main()
