"""A learned distinguisher: scores of reports, and the events that a score passes a threshold.

Needs the extra ``pip install 'qifldp[audit]'``; what it finds is tested on samples that it has not seen, so it can be
as wrong as it likes.
"""

from __future__ import annotations

import importlib
import importlib.util
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import Tally
from qifldp.audit.columns import Columns
from qifldp.audit.events import ALL_PAIRS, OTHER, Event, X
from qifldp.audit.search import Candidate, promise
from qifldp.audit.splitting import Half, Places
from qifldp.errors import InputError

NO_SCIKIT_LEARN = "A learned distinguisher needs scikit-learn: pip install 'qifldp[audit]'."

MOST_TAUGHT = 20_000
"""Examples that the classifier learns from at most."""

FEWEST_TAUGHT = 500

MOST_FEATURES = 256
"""Columns that the classifier looks at: of more fields it looks at the first."""

THRESHOLDS = 200
"""Quantiles of the scores that are tried as thresholds, the rarest of them 1 in 1,000."""

Scores = NDArray[np.float64]


def has_scikit_learn() -> bool:
    """Whether the extra is installed."""
    try:
        return importlib.util.find_spec("sklearn") is not None
    except (ImportError, ValueError):  # an import hook refuses it, or a module of that name stands in for it
        return False


def check_scikit_learn() -> None:
    """Raise InputError unless the extra is installed."""
    if not has_scikit_learn():
        raise InputError(NO_SCIKIT_LEARN)


@dataclass(frozen=True, eq=False)
class Distinguisher:
    """A classifier of triples (report, value, other value): is the report on the first of the two?

    Attributes:
        model: A fitted classifier of scikit-learn.
        fields: Places of the fields that it looks at, beside the levels of all statistics for both values.
    """

    model: Any
    fields: tuple[int, ...]

    def score(self, columns: Columns, rows: Places, first: Places, second: Places) -> Scores:
        """Return how much each report looks like one on the first value rather than the second."""
        features = _features(columns, self.fields, rows, first, second)
        mirrored = _features(columns, self.fields, rows, second, first)
        with _one_thread():
            found: Scores = self.model.predict_proba(features)[:, 1] - self.model.predict_proba(mirrored)[:, 1]
        return found


@dataclass(frozen=True, eq=False)
class ScoreEvent(Event):
    """The event that a distinguisher's score is at least a threshold, over all pairs of values.

    Attributes:
        distinguisher: Gives the score.
        threshold: The least score of the event.
    """

    distinguisher: Distinguisher
    threshold: float

    def count(self, columns: Columns, half: Half) -> Tally:
        rows, own, other = half.paired_rows, half.paired_own, half.other
        scores = self.distinguisher.score(columns, rows, own, other)
        hits, others = int((scores >= self.threshold).sum()), int((-scores >= self.threshold).sum())
        return Tally(hits, len(rows), others, len(rows))


def learn(columns: Columns, half: Half, error: float, seed: int) -> Candidate | None:
    """Return the best event of a learned distinguisher: taught on most of the half, its threshold taken on the rest.

    The score is antisymmetric in the two values, so how often it is at most −t under the true order is how often it is
    at least t under the other one.

    Returns:
        None if there are too few samples, or nothing that the classifier could look at.
    """
    fields = tuple(place for place, field in enumerate(columns.all_fields) if field.ordered or len(field.words) <= 64)
    fields = fields[: max(0, MOST_FEATURES - 2 * len(columns.statistics))]
    width = 2 * len(columns.statistics) + len(fields)
    rows, own, other = half.paired_rows, half.paired_own, half.other
    taught = min(MOST_TAUGHT, len(rows) * 2 // 3)
    if taught < FEWEST_TAUGHT or not 0 < width <= MOST_FEATURES:
        return None
    ensemble = importlib.import_module("sklearn.ensemble")
    choice = np.random.default_rng(seed).permutation(len(rows))
    some, rest = choice[:taught], choice[taught:]
    swap = np.arange(taught) % 2 == 1
    first, second = np.where(swap, other[some], own[some]), np.where(swap, own[some], other[some])
    model = ensemble.HistGradientBoostingClassifier(
        max_iter=30, max_leaf_nodes=16, early_stopping=False, random_state=seed
    )
    with _one_thread():
        model.fit(_features(columns, fields, rows[some], first, second), ~swap)
    found = Distinguisher(model, fields)
    scores = found.score(columns, rows[rest], own[rest], other[rest])
    levels = np.concatenate([np.linspace(0, 1, THRESHOLDS)[1:-1], 1 - np.geomspace(1e-3, 0.5, 20)])
    thresholds = np.unique(np.quantile(np.abs(scores), levels))
    n = len(rest)
    hits = n - np.searchsorted(np.sort(scores), thresholds, side="left")
    others = n - np.searchsorted(np.sort(-scores), thresholds, side="left")
    promises = promise(hits, n, others, n, error)
    top = int(np.argmax(promises))
    threshold = float(thresholds[top])
    words = f"a classifier takes the report for one on {X} rather than {OTHER}, with a score of {threshold:.3g}"
    return Candidate(ScoreEvent(words, ALL_PAIRS, OTHER, found, threshold), float(promises[top]))


def _one_thread() -> AbstractContextManager[object]:
    """Keep scikit-learn to one thread: on so few features more of them only wait for each other."""
    limits: AbstractContextManager[object] = importlib.import_module("threadpoolctl").threadpool_limits(1)
    return limits


def _features(columns: Columns, fields: tuple[int, ...], rows: Places, first: Places, second: Places) -> Scores:
    parts: list[NDArray[Any]] = []
    for statistic in columns.statistics:
        parts += [statistic.levels[rows, first], statistic.levels[rows, second]]
    parts += [columns.all_fields[place].codes[rows] for place in fields]
    return np.stack(parts, axis=1).astype(np.float64)
