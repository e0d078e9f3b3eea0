"""Protocols in plain words: what they are called, what a person's device sends, and how much of it."""

from __future__ import annotations

from qifldp.protocols.local_hashing import LH
from qifldp.protocols.mixture import Mix, Part
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS

WORDS: dict[str, tuple[str, str]] = {
    "grr": ("generalised randomised response", "one value: the person's own or, with some chance, any other"),
    "ss": ("subset selection", "a set of ω values, which holds the person's own more often than any other"),
    "blh": (
        "binary local hashing",
        "a rule that puts every value into one of two groups, and a group: more often the own",
    ),
    "olh": (
        "optimised local hashing",
        "a rule that puts every value into one of g groups, and a group: more often the own; g follows from ε",
    ),
    "lh": ("local hashing", "a rule that puts every value into one of g groups, and a group: more often the own"),
    "sue": ("symmetric unary encoding", "a yes or no for every value, each turned round with one chance (RAPPOR)"),
    "oue": (
        "optimised unary encoding",
        "a yes or no for every value; the own yes is kept with chance 1/2, the other noes more often",
    ),
    "ue": ("unary encoding", "a yes or no for every value; how often a yes and a no are kept is given as p and 1 − q"),
    "the": (
        "thresholding with histogram encoding",
        "a yes or no for every value: whether 1 (the own) or 0 (the others), with Laplace noise, is above θ",
    ),
    "mix": (
        "a public mixture",
        "a report of one of several protocols, or nothing: a coin that everybody sees says which",
    ),
}
"""For each protocol what it is called, and what a report is."""


def described(protocol: Protocol) -> str:
    """Return what a protocol is called and what its reports are, with its own numbers."""
    title, report = WORDS[protocol.name.lower()]
    if isinstance(protocol, Mix):
        report = f"a coin that everybody sees makes a report {_choices(protocol)}"
        return f"{title} ({protocol.name}): {report}"
    if isinstance(protocol, SS) and not isinstance(protocol, GRR):
        report = f"{_set(protocol)}, which holds the person's own more often than any other"
    if isinstance(protocol, LH):
        report = report.replace("one of g groups", f"one of {protocol.buckets:,} groups").removesuffix(
            "; g follows from ε"
        )
    return f"{title} ({protocol.name}): a report is {report}"


def counted(count: int, thing: str) -> str:
    """Return how many of something there are: ``1 report``, ``2,000 reports``."""
    return f"{count:,} {thing}" + ("" if count == 1 else "s")


def _set(protocol: SS) -> str:
    return f"a set of {protocol.omega:,} of the {protocol.domain_size:,} values"


def _choices(mix: Mix) -> str:
    parts = [f"{_part(part)} ({_share(float(part.weight))})" for part in mix.parts]
    if mix.silence:
        parts.append(f"empty ({_share(float(mix.silence))})")
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _part(part: Part) -> str:
    if isinstance(part.protocol, SS):
        return _set(part.protocol)
    return f"one of {part.protocol.name}"


def _share(weight: float) -> str:
    return f"{100 * weight:.3g} %"
