"""Reports: packed rows, with the description of the protocol that they are of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol as Interface

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.mechanism import Mechanism, Rows
from qifldp.errors import InputError

FORMAT_VERSION = 1
"""Of the packed reports: part of the fingerprint."""


class Collectable(Interface):
    """What collecting asks of a protocol."""

    @property
    def domain_size(self) -> int:
        """Number of values k."""

    @property
    def mechanism(self) -> Mechanism:
        """The protocol ready to run."""

    def to_json(self) -> dict[str, object]:
        """Return the description of the protocol."""


def fingerprint(protocol: Collectable) -> str:
    """Return 32 hexadecimal digits that two sides share only if they run one protocol with one parameter set.

    The first half of SHA-256 of the format version, the description, and the probabilities as they are drawn.
    """
    chances = [str(chance) for chance in protocol.mechanism.support_chances]
    content = {"format": FORMAT_VERSION, "protocol": protocol.to_json(), "chances": chances}
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()[:32]


@dataclass(frozen=True, eq=False)
class Reports:
    """Packed reports of one protocol.

    Attributes:
        protocol: The protocol.
        rows: One report a row, shape (n, width), bytes as the mechanism packs them; row after row in memory, as
            what counts them relies on.
    """

    protocol: Collectable
    rows: Rows

    def __post_init__(self) -> None:
        width = self.protocol.mechanism.width
        if self.rows.dtype != np.uint8 or self.rows.ndim != 2 or self.rows.shape[1] != width:
            raise InputError.expected(
                "Reports of this protocol", f"rows of {width} bytes", f"{self.rows.dtype} {self.rows.shape}"
            )
        object.__setattr__(self, "rows", np.ascontiguousarray(self.rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: slice) -> Reports:
        return Reports(self.protocol, self.rows[place])

    def __iter__(self) -> Iterator[bytes]:
        return (row.tobytes() for row in self.rows)

    @cached_property
    def supports(self) -> NDArray[np.bool_]:
        """Which values each report supports, shape (n, k)."""
        return self.protocol.mechanism.supports(self.rows)
