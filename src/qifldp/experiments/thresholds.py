"""Where OUE becomes refined to THE."""

from __future__ import annotations

import math

from qifldp.errors import InputError


def the_threshold(epsilon: float) -> float:
    """Return the least θ at which the bit channel of OUE is refined to that of THE at the same ε (Lemma 10).

        θ = [2 ln(e^ε + 1 + (e^{ε/2} − 1)√(e^ε + 1)) − ε − 2 ln 2]/ε

    computed with e^ε divided out, so that nothing overflows. Its limit at ε = 0 is 1/√2.

    Raises:
        InputError: If ε is not positive.
    """
    if not 0 < epsilon < math.inf:
        raise InputError.expected("epsilon", "positive", epsilon)
    rest = 1 + math.exp(-epsilon)
    inner = rest - math.expm1(-epsilon / 2) * math.sqrt(rest)
    return (2 * math.log(inner / 2) + epsilon) / epsilon
