"""The client for deployment: exact choices from the operating system's entropy."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from flint import ctx

from qifldp.collection.entropy import Entropy
from qifldp.collection.reports import Collectable, Reports
from qifldp.errors import InputError
from qifldp.exact.balls import FIRST_PRECISION, ball, nearest_float


class SecureClient:
    """Draws reports of one protocol for real people.

    Probabilities are whole numbers of 2⁻⁶⁴, rounded so that a report says less than asked, never more; every choice
    is made by comparing integers. What a report says about its value depends on these numbers alone.

    Attributes:
        protocol: The protocol.
        epsilon: The ε that is actually given: the least double that is not below it.
    """

    def __init__(self, protocol: Collectable, entropy: Entropy | None = None) -> None:
        """Make a client.

        Args:
            protocol: The protocol.
            entropy: The operating system's by default; another only to test with.
        """
        self.protocol = protocol
        self._entropy = entropy or Entropy()
        self.epsilon = _logarithm_above(protocol.mechanism.likelihood_ratio)

    def report(self, value: int | np.integer[Any]) -> bytes:
        """Return a report on one value, given as its place 0..k − 1 in the domain.

        Raises:
            InputError: If there is no such place.
        """
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            raise InputError.expected("A value", f"a place from 0 to {self.protocol.domain_size - 1}", value)
        return next(iter(self.reports([int(value)])))

    def reports(self, values: object) -> Reports:
        """Return a report on each of many values, given as places.

        Raises:
            InputError: If one is not a place of the domain.
        """
        return Reports(self.protocol, self.protocol.mechanism.draw_securely(values, self._entropy))


def _logarithm_above(ratio: Fraction) -> float:
    """Return the least double that is at least the logarithm of a rational above 1."""
    nearest = nearest_float(lambda: ball(ratio).log())
    with ctx.workprec(FIRST_PRECISION):  # a double and a logarithm of a rational differ: it is transcendental
        above = bool(ball(Fraction(nearest)) > ball(ratio).log())
    return nearest if above else math.nextafter(nearest, math.inf)


def secure_client(protocol: Collectable) -> SecureClient:
    """Return the client to deploy for a protocol: operating-system entropy, exact integer choices.

    Raises:
        InputError: If the protocol cannot be run with its parameters.
    """
    return SecureClient(protocol)
