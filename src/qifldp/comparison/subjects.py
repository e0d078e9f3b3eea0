"""What can be compared: protocols given as specs, and channel matrices from files."""

from __future__ import annotations

from dataclasses import dataclass

from qifldp.channels.channel import Channel
from qifldp.channels.files import read_channel
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec, parse_spec

FILE_PREFIX = "file:"


@dataclass(frozen=True)
class MatrixSubject:
    """A channel read from a file: it has leakage, but no budget and no estimator."""

    spec: str
    channel: Channel


Subject = ProtocolSpec | MatrixSubject


def read_subject(spec: str, *, normalize: bool = False) -> Subject:
    """Return the protocol or the channel file that a spec names.

    Args:
        spec: ``NAME[:key=value,…]`` or ``file:PATH``.
        normalize: Divide the rows of a channel file by their sums.

    Raises:
        InputError: If the spec, or the file, is not what it has to be.
    """
    if spec.strip().lower().startswith(FILE_PREFIX):
        return MatrixSubject(spec.strip(), read_channel(spec.strip()[len(FILE_PREFIX) :], normalize=normalize))
    return parse_spec(spec)


def build(subject: Subject, domain_size: int, budget: Budget | None) -> Protocol | Channel:
    """Return what is measured for a subject.

    Raises:
        InputError: If a parameter is out of range, or a matrix has another number of rows.
    """
    if isinstance(subject, ProtocolSpec):
        return subject.build(domain_size, budget)
    if subject.channel.domain_size != domain_size:
        raise InputError(
            f"The channel {subject.spec} has {subject.channel.domain_size} rows, "
            f"but the domain has {domain_size} values."
        )
    return subject.channel
