"""An adversary who learns beliefs from one half of the samples, and is measured on the other.

Whatever they have learned, what they gain on reports that they have not seen is at most what the best adversary gains;
so every figure here bounds the leakage from below.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.adversaries.gain import Gain, Guesses
from qifldp.audit.bounds import MeanBounds, band, bounded_mean, proportion_high, proportion_low
from qifldp.audit.columns import Columns
from qifldp.audit.splitting import Half, Places
from qifldp.errors import InputError

LARGEST_TABLE = 1 << 22
"""Cells of a table of whole reports by value that is learned."""

VALIDATED = 3
"""One in so many samples of the first half chooses between ways to learn."""

TRUST = 0.99
"""Share of the learned belief in the belief that information is measured with; the rest is the prior."""

POINTS = 25
"""Of the trade-off curve."""

Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Beliefs:
    """How likely each report is under each watched value, up to a factor, as learned.

    Attributes:
        prior: Frequencies of the values in the first half, shape (w,).
        tables: For each statistic that is used, the log-likelihood ratio of each of its levels.
        whole: Log-likelihoods of whole reports, shape (w, codes), in place of statistics.
    """

    prior: Scores
    tables: dict[int, Scores]
    whole: Scores | None = None

    def scores(self, columns: Columns, rows: Places) -> Scores:
        """Return log-likelihoods of reports under each watched value, up to a constant, shape (rows, w)."""
        if self.whole is not None:
            assert columns.whole is not None
            return self.whole[:, columns.whole.codes[rows]].T
        found = np.zeros((len(rows), len(self.prior)))
        for place, table in self.tables.items():
            found += table[columns.statistics[place].levels[rows]]
        return found

    def posterior(self, columns: Columns, rows: Places) -> Scores:
        """Return beliefs after reports, shape (rows, w)."""
        logs = self.scores(columns, rows) + np.log(self.prior)
        logs -= logs.max(axis=1, keepdims=True)
        weights = np.exp(logs)
        found: Scores = weights / weights.sum(axis=1, keepdims=True)
        return found


def learn_beliefs(columns: Columns, half: Half, values: int) -> Beliefs:
    """Learn from a half of the samples: by each statistic, by whole reports, or not at all, whichever predicts best."""
    checked = np.arange(len(half.rows)) % VALIDATED == 0
    rows, own = half.rows[~checked], half.own[~checked]
    prior: Scores = ((np.bincount(half.own, minlength=values) + 0.5) / (len(half.own) + 0.5 * values)).astype(float)
    candidates = [Beliefs(prior, {})]
    tables = {place: _level_table(columns, place, rows, own) for place in range(len(columns.statistics))}
    candidates += [Beliefs(prior, {place: table}) for place, table in tables.items()]
    if columns.whole is not None:
        codes = len(columns.whole.words)
        if codes * values <= LARGEST_TABLE:
            counts = np.zeros((values, codes))
            np.add.at(counts, (own, columns.whole.codes[rows]), 1)
            shared = (counts.sum(axis=0) + 0.5) / (len(rows) + 0.5 * codes)
            trials = counts.sum(axis=1, keepdims=True)
            # pulled towards what all values have in common, as if each had been seen with five reports
            whole = np.log((counts + 5 * shared) / (trials + 5)) - np.log(shared)
            candidates.append(Beliefs(prior, {}, whole))
    tested, truth = half.rows[checked], half.own[checked]
    if not len(tested):
        return candidates[0]
    at = np.arange(len(tested))
    return max(candidates, key=lambda beliefs: float(np.log(_mixed(beliefs, columns, tested)[at, truth]).sum()))


@dataclass(frozen=True)
class Leakage:
    """What the adversary gains on the second half; each interval holds with the stated confidence on its own.

    All but the trade-off curve is about all values of the domain, in the frequencies that they have among the users: of
    those that are not looked at the adversary learns nothing, and never guesses one.

    Attributes:
        asr: How often one guess is right.
        prior_vulnerability: How often it is without a report: the frequency of the most frequent value.
        shannon: Bits of information about the value, from below.
        gain: What another adversary gains, if one was asked for.
        gain_words: What they want.
        trade_off: Points (α, β): with what chance a test says x on x′ and x′ on x, over all pairs of values that are
            looked at.
        trade_off_band: How far the points are at most from the truth, in α and in β, all together.
    """

    asr: MeanBounds
    prior_vulnerability: float
    shannon: MeanBounds
    gain: MeanBounds | None
    gain_words: str | None
    trade_off: tuple[tuple[float, float], ...]
    trade_off_band: float


def measure_leakage(
    columns: Columns,
    beliefs: Beliefs,
    half: Half,
    error: float,
    rng: np.random.Generator,
    *,
    domain_size: int,
    share: float = 1.0,
    gain: Gain | None = None,
) -> Leakage:
    """Measure what an adversary with these beliefs gains on a half of the samples.

    With W the values that are looked at, P[W] their share, every figure is at least P[W] times what it is given W:
    guesses are right at least where the value is in W, and I(X; Y) ≥ I(X; Y | is X in W) ≥ P[W] · I(X; Y | X in W).

    Args:
        columns: The reports.
        beliefs: What was learned on the other half.
        half: The half on which it is measured.
        error: Of each interval.
        rng: Breaks ties.
        domain_size: Number of values k, more than those that are looked at if these are only some.
        share: How many of the users have a value that is looked at.
        gain: A further adversary.
    """
    posterior = beliefs.posterior(columns, half.rows)
    n = len(half.rows)
    asr = success(posterior, half.own, error, rng, share=share)
    known = np.bincount(half.own, minlength=len(beliefs.prior)) / n
    mixed = TRUST * posterior + (1 - TRUST) * beliefs.prior
    bits = np.log2(mixed[np.arange(n), half.own] / known[half.own])
    seen = known > 0
    least = float(np.log2((1 - TRUST) * beliefs.prior[seen] / known[seen]).min())
    most = float(np.log2((TRUST + (1 - TRUST) * beliefs.prior[seen]) / known[seen]).max())
    shannon = bounded_mean(bits, least, most, error)
    shannon = MeanBounds(*(share * max(figure, 0.0) for figure in (shannon.value, shannon.low, shannon.high)))
    own_gain = None if gain is None else _gained(posterior, half.own, gain, error, rng, domain_size, share)
    points = _trade_off(columns, beliefs, half)
    width = band(max(1, len(half.paired)), error / 2)
    words = None if gain is None else gain.describe()
    return Leakage(asr, share * float(known.max()), shannon, own_gain, words, points, min(1.0, width))


def check_gain(gain: Gain, domain_size: int, watched: int) -> None:
    """Raise InputError if what a gain function is worth cannot be measured on some of the values.

    Raises:
        InputError: If it does not fit the domain, or is not a number of guesses where not all values are looked at.
    """
    gain.check(domain_size)
    if watched < domain_size and not isinstance(gain, Guesses):
        raise InputError(
            f"A gain function other than guesses is measured on all values of a domain: {domain_size:,} are more than "
            f"the {watched} that are looked at."
        )


def success(
    posterior: Scores, own: Places, error: float, rng: np.random.Generator, *, tries: int = 1, share: float = 1.0
) -> MeanBounds:
    """Return how often the true value is among the likeliest ones (Clopper–Pearson); ties are broken at random.

    Args:
        posterior: Beliefs, shape (n, w).
        own: Column of the true value of each.
        error: Of the interval.
        rng: Breaks ties.
        tries: How many values are named.
        share: How many of all users have a value that is looked at; of the others none is ever named.
    """
    mine = posterior[np.arange(len(own)), own][:, None]
    before, alike = (posterior > mine).sum(axis=1), (posterior == mine).sum(axis=1)
    right, n = int((before + rng.integers(alike) < tries).sum()), len(own)
    low, high = proportion_low(right, n, error / 2), proportion_high(right, n, error / 2)
    return MeanBounds(share * right / n, share * float(low), share * float(high))


def _gained(
    posterior: Scores,
    own: Places,
    gain: Gain,
    error: float,
    rng: np.random.Generator,
    domain_size: int,
    share: float,
) -> MeanBounds:
    """Return the mean gain of the actions that are best by the beliefs."""
    check_gain(gain, domain_size, posterior.shape[1])
    if isinstance(gain, Guesses):
        return success(posterior, own, error, rng, tries=gain.tries, share=share)
    matrix = np.asarray(gain.matrix(domain_size), float)
    actions = (posterior @ matrix.T).argmax(axis=1)
    return bounded_mean(matrix[actions, own], 0.0, float(matrix.max()), error)


def _trade_off(columns: Columns, beliefs: Beliefs, half: Half) -> tuple[tuple[float, float], ...]:
    """Return points of the trade-off curve of the test that compares log-likelihoods with thresholds.

    The score of (x, x′) is minus that of (x′, x): a report on x′ is taken for one on x if its own score is at most −t.
    """
    if not len(half.paired):
        return ()
    scores, at = beliefs.scores(columns, half.paired_rows), np.arange(len(half.paired))
    own = np.sort(scores[at, half.paired_own] - scores[at, half.other])
    n = len(own)
    thresholds = np.unique(np.quantile(np.concatenate([own, -own]), np.linspace(0, 1, POINTS)))
    missed = np.searchsorted(own, thresholds, side="left") / n
    alarms = np.searchsorted(own, -thresholds, side="right") / n
    points = dict.fromkeys([(0.0, 1.0), *zip(alarms.tolist()[::-1], missed.tolist()[::-1], strict=True), (1.0, 0.0)])
    return tuple(sorted(points, key=lambda point: (point[0], -point[1])))


def _level_table(columns: Columns, place: int, rows: Places, own: Places) -> Scores:
    """Return ln of how much likelier each level is for the true value than for another one."""
    statistic = columns.statistics[place]
    count = len(statistic.words)
    levels = statistic.levels[rows]
    mine = np.bincount(levels[np.arange(len(rows)), own], minlength=count)
    every = np.bincount(levels.ravel(), minlength=count)
    others = every - mine
    return np.log((mine + 0.5) / (mine.sum() + 0.5 * count)) - np.log((others + 0.5) / (others.sum() + 0.5 * count))


def _mixed(beliefs: Beliefs, columns: Columns, rows: Places) -> Scores:
    found: Scores = TRUST * beliefs.posterior(columns, rows) + (1 - TRUST) * beliefs.prior
    return found
