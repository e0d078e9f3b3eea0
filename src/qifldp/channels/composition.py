"""Channels made of channels; a cascade is ``A @ B``, two runs on one secret are ``A.parallel(B)``."""

from __future__ import annotations

from typing import Any

import numpy as np

from qifldp.channels.channel import Channel, common_kind, pair_labels
from qifldp.errors import InputError
from qifldp.exact.budget import parse_rational


def kronecker(first: Channel, second: Channel) -> Channel:
    """Return two channels run on two independent secrets: C[x, y] · D[x', z] at row (x, x'), column (y, z)."""
    left, right = common_kind(first, second)
    return Channel(
        np.kron(left.matrix, right.matrix),
        inputs=pair_labels(first.inputs, second.inputs),
        outputs=pair_labels(first.outputs, second.outputs),
        normalize=not left.is_exact,
    )


def visible_choice(probability: object, first: Channel, second: Channel) -> Channel:
    """Return a public coin that runs ``first`` with this probability, else ``second``; the coin is seen.

    The matrix is [p·C | (1 − p)·D]; outputs are labelled ``first:y`` and ``second:z``.
    """
    p, left, right = _choice(probability, first, second)
    return Channel(
        np.concatenate((p * left.matrix, (1 - p) * right.matrix), axis=1),
        inputs=first.inputs,
        outputs=[f"first:{label}" for label in first.outputs] + [f"second:{label}" for label in second.outputs],
        normalize=not left.is_exact,
    )


def hidden_choice(probability: object, first: Channel, second: Channel) -> Channel:
    """Return a secret coin that runs ``first`` with this probability, else ``second``; the coin is not seen.

    Outputs of one label are one output: p·C[x, y] + (1 − p)·D[x, y].
    """
    p, left, right = _choice(probability, first, second)
    outputs = list(dict.fromkeys(first.outputs + second.outputs))
    column = {label: index for index, label in enumerate(outputs)}
    matrix = np.zeros((first.domain_size, len(outputs)), dtype=left.matrix.dtype)
    matrix[:, [column[label] for label in first.outputs]] += p * left.matrix
    matrix[:, [column[label] for label in second.outputs]] += (1 - p) * right.matrix
    return Channel(matrix, inputs=first.inputs, outputs=outputs, normalize=not left.is_exact)


def _choice(probability: object, first: Channel, second: Channel) -> tuple[Any, Channel, Channel]:
    p = parse_rational(probability, "probability")
    if not 0 <= p <= 1:
        raise InputError.expected("probability", "from 0 to 1", probability)
    if first.inputs != second.inputs:
        raise InputError("A choice between channels needs one domain: their row labels differ.")
    left, right = common_kind(first, second)
    return (p if left.is_exact else float(p)), left, right
