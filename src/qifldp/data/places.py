"""Places of values in a declared domain: what clients perturb."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from qifldp.data.columns import OTHER_VALUE, Other
from qifldp.errors import InputError, shown


class Places:
    """Finds values in a domain that was declared without the data.

    Attributes:
        values: The domain, in order; with ``bucket`` one more value at its end.
        strangers: How many values outside the declared domain were counted as that one.
    """

    def __init__(self, domain: tuple[str, ...], other: Other, title: str) -> None:
        """Declare a domain.

        Args:
            domain: The values that may occur.
            other: What becomes of others: an error, or one more value.
            title: What the data are, for the error.

        Raises:
            InputError: If the one more value occurs in the domain.
        """
        if other == "bucket" and OTHER_VALUE in domain:
            raise InputError(f"The declared domain already has a value {OTHER_VALUE}.")
        self.values = (*domain, OTHER_VALUE) if other == "bucket" else domain
        self.strangers = 0
        self._elsewhere = len(domain) if other == "bucket" else -1
        self._place_of: dict[str | None, int] = {value: place for place, value in enumerate(domain)}
        self._title, self._rows = title, 0

    def find(self, texts: pa.Array) -> NDArray[np.int64]:
        """Return the places of values, given as text; a null is a value outside the domain.

        Raises:
            InputError: At the first value outside the domain, if such are rejected.
        """
        encoded = texts.dictionary_encode(null_encoding="encode")
        known = [self._place_of.get(text, -1) for text in encoded.dictionary.to_pylist()]
        found = np.array(known, np.int64)[encoded.indices.to_numpy()] if len(texts) else np.empty(0, np.int64)
        outside = np.flatnonzero(found < 0)
        if len(outside) and self._elsewhere < 0:
            value = texts[int(outside[0])].as_py()
            what = f"the value {shown(value)}" if value else "no value"
            raise InputError(
                f"Row {self._rows + int(outside[0]) + 1:,} of {self._title} has {what}, outside the declared domain: "
                "extend the domain, or report such rows as one more value (--other bucket)."
            )
        found[outside] = self._elsewhere
        self.strangers += len(outside)
        self._rows += len(found)
        return found
