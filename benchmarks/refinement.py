"""Refinement beside its peers in one run: libqif (`qif`) and a plain `scipy.optimize.linprog` formulation.

Verdicts near boundaries, the largest one-hot unary encoding that is decided within a time limit, exact rationals and
floats of one size; for qifldp alone, whole grids over large domains. Each timed job runs in a process of its own, which
is ended at the limit. The exit code is 1 if a verdict of qifldp is wrong, or a proof refused; no verdict, or none in
time, is not wrong.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import qif
from rich.console import Console
from rich.table import Table
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, kron, vstack

import qifldp as ql

Verdict = Callable[[ql.Channel, ql.Channel], str]
Job = tuple[str, Callable[[int, Verdict], str], Verdict]
"""A name, what is timed, and the verdict that it is given."""


OVER = "over the limit"


def ours(original: ql.Channel, refined: ql.Channel) -> str:
    """Decide with qifldp: a verified certificate, or undecided."""
    found = ql.decide_refinement(original=original, refined=refined)
    return {"Refines": "yes", "DoesNotRefine": "no", "Undecided": "undecided"}[type(found).__name__]


def libqif(original: ql.Channel, refined: ql.Channel) -> str:
    """Decide with libqif's default, in floats."""
    return "yes" if qif.refinement.refined_by(_floats(original), _floats(refined)) else "no"


def libqif_exact(original: ql.Channel, refined: ql.Channel) -> str:
    """Decide with libqif on rationals."""
    return "yes" if qif.refinement.refined_by(original.matrix, refined.matrix) else "no"


def plain(original: ql.Channel, refined: ql.Channel) -> str:
    """Decide by asking HiGHS, through SciPy, for a W ≥ 0 with A·W = B and W·1 = 1."""
    a, b = _floats(original), _floats(refined)
    rows = vstack([kron(csr_array(a), eye_array(b.shape[1])), kron(eye_array(a.shape[1]), np.ones((1, b.shape[1])))])
    right = np.concatenate((b.ravel(), np.ones(a.shape[1])))
    found = linprog(np.zeros(rows.shape[1]), A_eq=rows, b_eq=right, bounds=(0, None), method="highs")
    return {0: "yes", 2: "no"}.get(found.status, f"status {found.status}")


def boundary_cases() -> list[tuple[str, ql.Channel, ql.Channel, str]]:
    """Return pairs with a known answer, most of them near the boundary."""
    constant = ql.Channel(np.full((2, 2), 0.5))
    leaking = ql.Channel(np.repeat(np.eye(2), 5001, axis=1) / 5001)
    cases = [("constant → leaking, 10,002 columns", constant, leaking, "no")]
    for k, step in ((2, 1e-4), (50, 1e-3), (10, 1e-6)):
        low, high = ql.GRR(k, 1).channel(), ql.GRR(k, 1 + step).channel()
        cases.append((f"GRR, k = {k}: ε = 1 → 1 + {step:g}", low, high, "no"))
        cases.append((f"GRR, k = {k}: ε = 1 + {step:g} → 1", high, low, "yes"))
    return cases


def one_hot(k: int, job: Verdict) -> str:
    """Decide OUE(4) → SUE(1) over k values, as matrices of 2^k columns."""
    return job(ql.OUE(k, 4).channel(), ql.SUE(k, 1).channel())


def one_hot_profiles(k: int, _: Verdict) -> str:
    """Decide the same between protocols, as qifldp does."""
    found = ql.decide_refinement(original=ql.OUE(k, 4), refined=ql.SUE(k, 1))
    return {"Refines": "yes", "DoesNotRefine": "no", "Undecided": "undecided"}[type(found).__name__]


def exact_pair(size: int) -> tuple[ql.Channel, ql.Channel]:
    """Return random rational channels A and B = A·W."""
    rng = np.random.default_rng(1)

    def stochastic() -> ql.Channel:
        counts = rng.integers(1, 100, size=(size, size))
        return ql.Channel([[Fraction(int(n), int(row.sum())) for n in row] for row in counts])

    original = stochastic()
    return original, original @ stochastic()


def exact_job(size: int, job: Verdict) -> str:
    """Decide a random pair of rationals."""
    return job(*exact_pair(size))


def float_pair(size: int) -> tuple[ql.Channel, ql.Channel]:
    """Return a random channel A of floats and B = A·W, for a random W > 0."""
    rng = np.random.default_rng(1)
    original, witness = (rng.dirichlet(np.ones(size), size=size) for _ in range(2))
    return ql.Channel(original, normalize=True), ql.Channel(original @ witness, normalize=True)


def float_job(size: int, job: Verdict) -> str:
    """Decide a random pair of floats."""
    return job(*float_pair(size))


def kept(file: Path, original: ql.Channel, refined: ql.Channel) -> str:
    """Decide with qifldp, and write the proof to a file."""
    found = ql.decide_refinement(original=original, refined=refined)
    if isinstance(found, ql.Undecided):
        return "undecided"
    found.certificate.save(file)
    return _WORDS[found.certificate.verdict]


def read_back(file: Path, _: int, __: Verdict) -> str:
    """Read a proof from a file, if one was found, and verify it."""
    if not file.exists():
        return "undecided"
    return _WORDS[ql.verify_certificate(file).certificate.verdict]


_WORDS = {"refines": "yes", "does_not_refine": "no"}


def large_domains(console: Console) -> None:
    """Print how long the seven protocols take over a thousand values, and two closed rules over a hundred thousand."""
    kinds = (ql.GRR, ql.SS, ql.BLH, ql.OLH, ql.SUE, ql.OUE, ql.THE)
    console.print("All 49 ordered pairs of the seven protocols over 1,000 values, proofs verified:")
    for epsilon, times in ((1, 4), (4, 4), (8, 4), (1, 1.1)):
        seconds, undecided = [], 0
        for original in kinds:
            for refined in kinds:
                start = time.perf_counter()
                found = ql.decide_refinement(
                    original=original(1000, f"{epsilon * times:g}"), refined=refined(1000, str(epsilon))
                )
                seconds.append(time.perf_counter() - start)
                undecided += isinstance(found, ql.Undecided)
        shown = f"{sum(seconds):.1f} s, the slowest pair {max(seconds):.1f} s, {undecided} undecided"
        console.print(f"  to ε = {epsilon} from {times:g} times that: {shown}")
    console.print("Over 100,000 values:")
    for original, refined in ((ql.SUE, ql.OUE), (ql.OUE, ql.SUE), (ql.SUE, ql.THE)):
        start = time.perf_counter()
        found = ql.decide_refinement(original=original(100_000, 1), refined=refined(100_000, 1))
        console.print(
            f"  {original.name} → {refined.name} ({found.method}): {type(found).__name__} "
            f"in {time.perf_counter() - start:.2f} s"
        )


def timed(target: Callable[[int, Verdict], str], argument: int, job: Verdict, limit: float) -> tuple[str, float]:
    """Return a verdict and its seconds, or "over the limit", or "crashed"."""
    reading, writing = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_report, args=(writing, target, argument, job))
    start = time.perf_counter()
    process.start()
    writing.close()  # so that the end of a process that crashes is seen
    try:
        answer, seconds = reading.recv() if reading.poll(limit) else (OVER, limit)
    except EOFError:
        answer, seconds = "crashed", time.perf_counter() - start
    process.kill()
    process.join()
    return answer, seconds


def _report(writing: object, target: Callable[[int, Verdict], str], argument: int, job: Verdict) -> None:
    start = time.perf_counter()
    answer = target(argument, job)
    writing.send((answer, time.perf_counter() - start))  # type: ignore[attr-defined]


def largest(target: Callable[[int, Verdict], str], job: Verdict, sizes: list[int], limit: float) -> tuple[str, str]:
    """Return the largest size that is decided rightly within the limit and its seconds; and the last answer."""
    best, answer = "none", ""
    for size in sizes:
        answer, seconds = timed(target, size, job, limit)
        if answer != "yes":
            return f"{best}; then {answer} at {size:,}", answer
        best = f"{size:,} in {seconds:.1f} s"
    return f"{best} (no larger one was tried)", answer


def _floats(channel: ql.Channel) -> np.ndarray:
    return channel.to_float().matrix.copy()


def main() -> None:
    """Print the comparisons, and exit with 1 if a verdict of qifldp is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each timed job")
    limit = parser.parse_args().limit
    console = Console()
    wrong: list[str] = []

    def check(what: str, answer: str, truth: str) -> None:
        if answer not in (truth, "undecided", OVER):
            wrong.append(what)

    tools: list[tuple[str, Verdict]] = [("qifldp", ours), ("libqif", libqif), ("plain HiGHS", plain)]
    table = Table(title="Verdicts near boundaries (wrong ones marked !)", title_justify="left")
    for heading in ("case", "truth", *(name for name, _ in tools)):
        table.add_column(heading)
    for title, original, refined, truth in boundary_cases():
        answers = [job(original, refined) for _, job in tools]
        check(title, answers[0], truth)
        table.add_row(title, truth, *(a if a in (truth, "undecided") else f"{a} !" for a in answers))
    console.print(table)
    small, large = list(range(4, 15)), [10, 50, 200, 1000, 2000, 4000]
    console.print(f"Largest one-hot unary encoding, OUE(4) → SUE(1), decided in {limit:g} s:")
    line, answer = largest(one_hot_profiles, ours, large, limit)
    check("one-hot unary encoding", answer, "yes")
    console.print(f"  qifldp, proof included ... {line}")
    console.print(f"  libqif ................... {largest(one_hot, libqif, small, limit)[0]}")
    console.print(f"  plain HiGHS .............. {largest(one_hot, plain, small, limit)[0]}")
    large_domains(console)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "proof.json"
        exactly: list[Job] = [
            ("qifldp, proof included", exact_job, ours),
            ("libqif, yes or no only", exact_job, libqif_exact),
        ]
        in_floats: list[Job] = [
            ("qifldp, proof written", float_job, partial(kept, file)),
            ("qifldp, proof verified", partial(read_back, file), ours),
            ("libqif, yes or no only", float_job, libqif),
            ("plain HiGHS, yes or no", float_job, plain),
        ]
        for what, size, jobs in (
            ("Exact rationals", 50, exactly),
            ("Exact rationals", 75, exactly),
            ("Floats", 200, in_floats),
        ):
            console.print(f"{what}, B = A·W, {size} × {size}:")
            for name, target, job in jobs:
                answer, seconds = timed(target, size, job, limit)
                if name.startswith("qifldp"):
                    check(f"{what}, {size}", answer, "yes")
                console.print(f"  {name:.<26} {answer} in {seconds:.1f} s")
    if wrong:
        sys.exit(f"Wrong verdicts of qifldp: {', '.join(wrong)}.")


if __name__ == "__main__":
    main()
