"""Linear programs handed to HiGHS."""

from __future__ import annotations

import time

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csc_matrix

from qifldp.errors import ConvergenceError

Floats = NDArray[np.float64]

TOLERANCE = 1e-7
"""That of HiGHS, unless it is asked for another."""

FINEST = 1e-10
"""The least that HiGHS knows, for what sums thousands of rows."""

LEAST_COEFFICIENT = 1e-12
"""What is smaller HiGHS takes for zero, at any setting; at its default, 1e-9, thousands of rare outputs make 1e-7."""


OTHER_WAY = {"presolve": "off", "solver": "ipm"}
"""Options, by default left to HiGHS, of a second try: the program as it stands, from the inside."""

TIME_IS_UP = "The time limit was reached."
"""How a search ends that had no more time."""


def check_time(deadline: float | None) -> None:
    """Raise ConvergenceError if it is later than a deadline, a ``time.monotonic()``."""
    if deadline is not None and time.monotonic() > deadline:
        raise ConvergenceError(TIME_IS_UP)


class UnsolvedError(ConvergenceError):
    """HiGHS ended without an optimum, and not for want of time."""


def silent_solver() -> highspy.Highs:
    """Return a solver that prints nothing, and keeps coefficients as small as it can."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # highspy has types for all but this
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("small_matrix_value", LEAST_COEFFICIENT)
    return solver


def run_to_optimum(solver: highspy.Highs) -> None:
    """Solve the program that was passed; once more in another way if HiGHS ends without an optimum before its time.

    Every program here has one, but where coefficients have many magnitudes HiGHS does not always find it.

    Raises:
        UnsolvedError: If HiGHS finds no optimum in either way.
        ConvergenceError: If the time is up.
    """
    final = highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit
    solver.run()
    if solver.getModelStatus() not in final:
        solver.clearSolver()
        for name, other in OTHER_WAY.items():
            solver.setOptionValue(name, other)
        solver.run()
        for name in OTHER_WAY:
            solver.setOptionValue(name, "choose")
    status = solver.getModelStatus()
    if status == highspy.HighsModelStatus.kTimeLimit:
        raise ConvergenceError(TIME_IS_UP)
    if status != highspy.HighsModelStatus.kOptimal:
        raise UnsolvedError(f"HiGHS ended with status {solver.modelStatusToString(status)}.")


def maximisation(
    cost: Floats, rows: csc_array | csc_matrix, *, row_bounds: tuple[Floats, Floats], bounds: tuple[Floats, Floats]
) -> highspy.HighsLp:
    """Return the program that maximises cost·x with rows·x and x between their bounds."""
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = rows.shape
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = cost
    model.col_lower_, model.col_upper_ = bounds
    model.row_lower_, model.row_upper_ = row_bounds
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = rows.indptr.astype(np.int32)
    model.a_matrix_.index_ = rows.indices.astype(np.int32)
    model.a_matrix_.value_ = rows.data
    return model


def maximise(
    cost: Floats,
    rows: csc_array,
    lower: Floats,
    upper: Floats,
    *,
    seconds: float | None = None,
    tolerance: float = TOLERANCE,
) -> tuple[Floats, Floats]:
    """Return x ≥ 0 that maximises cost·x subject to lower ≤ rows·x ≤ upper, and what the rows are worth (the dual).

    Both hold to within the tolerance, in each row and column.

    Raises:
        ConvergenceError: If HiGHS does not end with an optimum.
    """
    free = np.full(len(cost), highspy.kHighsInf)
    model = maximisation(cost, rows, row_bounds=(lower, upper), bounds=(np.zeros(len(cost)), free))
    solver = silent_solver()
    solver.setOptionValue("primal_feasibility_tolerance", tolerance)
    solver.setOptionValue("dual_feasibility_tolerance", tolerance)
    if seconds is not None:
        solver.setOptionValue("time_limit", seconds)
    solver.passModel(model)
    run_to_optimum(solver)
    solution = solver.getSolution()
    return np.array(solution.col_value), np.array(solution.row_dual)
