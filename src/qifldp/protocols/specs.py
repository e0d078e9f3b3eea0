"""Protocols written as text: ``the:epsilon=ln(3),theta=0.9``, and as JSON."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import BudgetedProtocol, Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

PROTOCOLS: dict[str, type[Protocol]] = {
    "grr": GRR,
    "ss": SS,
    "blh": BLH,
    "olh": OLH,
    "lh": LH,
    "sue": SUE,
    "oue": OUE,
    "ue": UE,
    "the": THE,
    "mix": Mix,
}
"""Every protocol by its name in a spec. A new protocol is listed here, and inherits the contract tests."""

SEVEN = ("grr", "ss", "blh", "olh", "sue", "oue", "the")
"""The seven protocols of the paper, which ``compare`` shows by default."""

_PARAMETERS: dict[str, tuple[str, ...]] = {
    "ss": ("omega",),
    "lh": ("g",),
    "ue": ("p", "q"),
    "the": ("theta",),
    "mix": ("parts",),
}
_REQUIRED: dict[str, tuple[str, ...]] = {"lh": ("g",), "ue": ("p", "q"), "mix": ("parts",)}
_BUDGET = ("epsilon", "exp_epsilon")


@dataclass(frozen=True)
class ProtocolSpec:
    """A protocol before its domain size, and perhaps its budget, are known.

    Attributes:
        name: Name in lower case, a key of PROTOCOLS.
        settings: Parameters as text, budget left out.
        budget: The budget inside the spec, if any.
    """

    name: str
    settings: tuple[tuple[str, str], ...] = ()
    budget: Budget | None = None

    @property
    def has_budget(self) -> bool:
        """Whether the protocol's parameters follow from a budget."""
        return self.name != "ue"

    def default_range(self, domain_size: int, epsilon: float) -> tuple[float | None, float | None]:
        """Return the budgets around ε at which rounded defaults stay as they are (see BudgetedProtocol)."""
        protocol = self.build(domain_size, Budget.read(epsilon))
        given = bool(self.settings) and not isinstance(protocol, Mix)  # a mixture knows which of its parts are rounded
        if given or not isinstance(protocol, BudgetedProtocol):
            return None, None
        return protocol.default_range

    @property
    def text(self) -> str:
        """The spec as text, as it was given."""
        budget = (("epsilon", str(self.budget)),) if self.budget is not None else ()
        settings = ",".join(f"{key}={value}" for key, value in budget + self.settings)
        return f"{self.name}:{settings}" if settings else self.name

    def build(self, domain_size: int, budget: Budget | None = None) -> Protocol:
        """Return the protocol; a budget inside the spec goes before the argument.

        Raises:
            InputError: If there is no budget, or a parameter is out of range.
        """
        make: Callable[..., Protocol] = PROTOCOLS[self.name]
        settings = dict(self.settings)
        if not self.has_budget:
            return make(domain_size, **settings)
        chosen = self.budget or budget
        if chosen is None:
            raise InputError(f"The protocol {self.name} needs a budget: give epsilon.")
        return make(domain_size, chosen, **settings)


def parse_spec(text: str) -> ProtocolSpec:
    """Read ``NAME[:key=value,…]``; names are case-insensitive.

    Raises:
        InputError: If the protocol or a parameter is not known (naming the nearest), missing, or given twice.
    """
    name, _, rest = text.strip().partition(":")
    name = name.strip().lower()
    if name not in PROTOCOLS:
        raise InputError(_unknown("protocol", name, list(PROTOCOLS)))
    allowed = _PARAMETERS.get(name, ()) + (_BUDGET if name != "ue" else ())
    settings: dict[str, str] = {}
    for part in rest.split(",") if rest.strip() else []:
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise InputError.expected(f"a parameter of {name}", "written key=value", part)
        if key.lower() not in allowed:
            raise InputError(_unknown(f"parameter of {name}", key.lower(), list(allowed)))
        if not value:
            raise InputError(f"The parameter {key.lower()} of {name} has no value: write it after the equals sign.")
        if key.lower() in settings:
            raise InputError(f"The parameter {key.lower()} of {name} is given twice.")
        settings[key.lower()] = value
    missing = [key for key in _REQUIRED.get(name, ()) if key not in settings]
    if missing:
        raise InputError(f"The protocol {name} needs {' and '.join(missing)}: write {name}:{missing[0]}=….")
    budget = None
    if any(key in settings for key in _BUDGET):
        budget = Budget.read(settings.pop("epsilon", None), settings.pop("exp_epsilon", None))
    return ProtocolSpec(name, tuple(settings.items()), budget)


def split_specs(text: str) -> list[str]:
    """Split ``grr,the:theta=0.9,ue:p=0.5,q=0.1`` into specs: a comma before ``key=`` belongs to the spec."""
    specs: list[str] = []
    for part in text.split(","):
        if specs and ":" in specs[-1] and "=" in part and ":" not in part.partition("=")[0]:
            specs[-1] += "," + part
        else:
            specs.append(part.strip())
    if any(not spec for spec in specs):
        raise InputError.expected("protocols", "specs separated by commas, such as grr,the:theta=0.9", text)
    return specs


def protocol_from_json(document: object) -> Protocol:
    """Return the protocol that :meth:`Protocol.to_json` described.

    Raises:
        InputError: If the document is not such a description.
    """
    if not isinstance(document, dict) or set(document) != {"protocol", "domain_size", "parameters"}:
        raise InputError("A protocol's description must have exactly: protocol, domain_size, parameters.")
    name, size, parameters = document["protocol"], document["domain_size"], document["parameters"]
    if not isinstance(name, str) or not isinstance(parameters, dict):
        raise InputError("A protocol's description must name the protocol and list its parameters.")
    if not all(isinstance(key, str) and isinstance(value, str) for key, value in parameters.items()):
        raise InputError('A protocol\'s parameters must be exact text, such as {"epsilon": "0.5"}.')
    if any("," in text or "=" in text for pair in parameters.items() for text in pair):
        raise InputError("A protocol's parameter must hold one value: no comma and no equals sign.")
    settings = ",".join(f"{key}={value}" for key, value in parameters.items())
    return parse_spec(f"{name}:{settings}").build(size)


def _unknown(what: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}."
    return f"There is no {what} called {name[:40]!r}: {hint}"
