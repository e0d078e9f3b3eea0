"""What can be measured: a protocol, a profile or a channel."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol as Structural
from typing import TypeAlias

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import ExactProfile
from qifldp.channels.hyper import Hyper
from qifldp.channels.profile import Profile
from qifldp.errors import InputError


class Profiled(Structural):
    """Anything with a profile, that is: a protocol."""

    @property
    def profile(self) -> Profile:
        """The protocol's channel in support-set normal form."""
        ...


Source: TypeAlias = "Profiled | Profile | ExactProfile[Fraction] | Channel"
Measured: TypeAlias = "Profile | ExactProfile[Fraction] | Channel"
Real: TypeAlias = "float | Fraction"
"""A double, or an exact rational where the source is exact."""


def measured(source: Source) -> Measured:
    """Return the channel or profile of a source.

    Raises:
        InputError: If this is not a protocol, a profile or a channel.
    """
    if isinstance(source, Profile | ExactProfile | Channel):
        return source
    profile = getattr(source, "profile", None)
    if isinstance(profile, Profile):
        return profile
    raise InputError.expected("a measure's first argument", "a protocol, a profile or a channel", source)


def uniform_hyper(source: Source) -> Hyper:
    """Return the hyper-distribution of a source under the uniform prior."""
    found = measured(source)
    return found.hyper() if isinstance(found, Channel) else found.hyper
