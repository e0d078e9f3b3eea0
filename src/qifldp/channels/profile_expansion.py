"""Writing a float profile out as an explicit matrix, where that is small enough."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from qifldp.channels.channel import Channel, set_label
from qifldp.channels.exact_profile import LARGEST_EXPANSION
from qifldp.channels.profile import Profile
from qifldp.errors import TooLargeError


def can_expand(profile: Profile) -> bool:
    """Whether the explicit channel has at most four million cells (17 values, if all sizes occur)."""
    k = profile.domain_size
    if k > 64 and len(profile.sizes) > 1:
        return False
    return k * sum(math.comb(k, int(size)) for size in profile.sizes) <= LARGEST_EXPANSION


def expand_profile(profile: Profile) -> Channel:
    """Return the explicit float channel of a profile, one column for each set of values.

    Raises:
        TooLargeError: If it would have more than four million cells.
    """
    k = profile.domain_size
    if not can_expand(profile):
        raise TooLargeError(
            f"The explicit channel of this profile over {k} values would have more than {LARGEST_EXPANSION:,} cells."
        )
    columns, labels = [], []
    for size, mass, density in zip(profile.sizes.tolist(), profile.log_mass, profile.log_density, strict=True):
        member, other = np.exp(mass + density - math.log(math.comb(k, size)))
        for chosen in combinations(range(k), size):
            column = np.full(k, other)
            column[list(chosen)] = member
            columns.append(column)
            labels.append(set_label(chosen))
    return Channel(np.stack(columns, axis=1), outputs=labels, normalize=True)
