"""A linear program handed to HiGHS."""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array

from qifldp.errors import ConvergenceError

Floats = NDArray[np.float64]


def maximise(cost: Floats, rows: csc_array, lower: Floats, upper: Floats, *, seconds: float | None = None) -> Floats:
    """Return x ≥ 0 that maximises cost·x subject to lower ≤ rows·x ≤ upper.

    Raises:
        ConvergenceError: If HiGHS does not end with an optimum.
    """
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = rows.shape
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = cost
    model.col_lower_ = np.zeros(len(cost))
    model.col_upper_ = np.full(len(cost), highspy.kHighsInf)
    model.row_lower_, model.row_upper_ = lower, upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = rows.indptr.astype(np.int32)
    model.a_matrix_.index_ = rows.indices.astype(np.int32)
    model.a_matrix_.value_ = rows.data
    solver = highspy.Highs()  # type: ignore[no-untyped-call]  # highspy has types for all but this
    solver.setOptionValue("output_flag", False)
    if seconds is not None:
        solver.setOptionValue("time_limit", seconds)
    solver.passModel(model)
    solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise ConvergenceError(f"HiGHS ended with status {solver.modelStatusToString(status)}.")
    return np.array(solver.getSolution().col_value)
