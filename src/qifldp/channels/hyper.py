"""Hyper-distributions: what an adversary sees, written in blocks of secrets with equal posteriors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Arrays of float64, or of ``fractions.Fraction`` (dtype object) where everything is exact."""


@dataclass(frozen=True, eq=False)
class Hyper:
    """The outer distribution over observations, and the posterior that each leaves.

    Row y is an observation (or a class of observations whose posteriors are equal up to relabelling);
    its posterior is written in b blocks: block j has ``multiplicity[y, j]`` secrets, each of prior
    probability ``prior[j]`` and of posterior probability ``prior[j] · density[y, j]``.

    Attributes:
        outer: Probability of each row, shape (m,).
        prior: Prior probability of one secret of each block, shape (b,).
        density: Posterior divided by prior, shape (m, b).
        excess: density − 1, without cancellation, shape (m, b).
        multiplicity: Number of secrets in each block, shape (m, b).
    """

    outer: Numbers
    prior: Numbers
    density: Numbers
    excess: Numbers
    multiplicity: NDArray[np.int64]
    float_log_density: NDArray[np.float64] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether every number is an exact rational."""
        return self.density.dtype == object

    @cached_property
    def log_density(self) -> NDArray[np.float64]:
        """ln(posterior / prior) in nats as float64, shape (m, b); −inf where the posterior is zero."""
        if self.float_log_density is not None:
            return self.float_log_density
        if not self.is_exact:
            with np.errstate(divide="ignore"):
                return np.log(self.density)
        flat = [
            math.log(value.numerator) - math.log(value.denominator) if value else -math.inf
            for value in self.density.flat
        ]
        return np.array(flat).reshape(self.density.shape)

    @cached_property
    def float_outer(self) -> NDArray[np.float64]:
        """The outer probabilities as float64."""
        return self.outer.astype(np.float64)

    @property
    def posterior(self) -> Numbers:
        """Posterior probability of one secret of each block, shape (m, b)."""
        return self.prior * self.density

    @property
    def has_uniform_prior(self) -> bool:
        """Whether all secrets have one prior probability."""
        return bool((self.prior == self.prior[0]).all())
