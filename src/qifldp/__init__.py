"""qifldp: what any adversary can learn from local-differential-privacy protocols.

Protocols are information-theoretic channels; everything that can leak from a channel is measured on them.

Names are loaded when they are first used (PEP 562), so that importing the package takes next to no time.
"""

import importlib
from typing import TYPE_CHECKING

from qifldp._version import __version__

if TYPE_CHECKING:
    from qifldp.adversaries import gain as gains
    from qifldp.adversaries.files import read_gain, read_prior
    from qifldp.adversaries.prior import Prior
    from qifldp.audit.auditing import audit_client
    from qifldp.audit.estimator import audit_server
    from qifldp.audit.result import Audit, AuditViolation
    from qifldp.audit.samples import Samples
    from qifldp.audit.tables import read_samples
    from qifldp.channels.channel import Channel
    from qifldp.channels.composition import hidden_choice, kronecker, visible_choice
    from qifldp.channels.exact_profile import ExactProfile, expand
    from qifldp.channels.files import read_channel, write_channel
    from qifldp.channels.hyper import Hyper
    from qifldp.channels.profile import Profile
    from qifldp.channels.profile_expansion import expand_profile
    from qifldp.collection.accumulator import Accumulator
    from qifldp.collection.client import SecureClient, secure_client
    from qifldp.collection.counts_only import sample_counts
    from qifldp.collection.estimates import Estimates
    from qifldp.collection.reports import Reports
    from qifldp.data.columns import count_column, read_domain
    from qifldp.data.datasets import load_dataset
    from qifldp.data.population import Population
    from qifldp.errors import ConvergenceError, InexactError, InputError, QifldpError, TooLargeError
    from qifldp.exact.budget import Budget
    from qifldp.experiments.attacks import SimulatedAttack, simulate_attack
    from qifldp.leakage.capacity import bayes_capacity, max_case_capacity, min_entropy_capacity, tight_epsilon
    from qifldp.leakage.information import (
        ShannonCapacity,
        blahut_arimoto,
        mutual_information,
        shannon_capacity,
        sibson_information,
    )
    from qifldp.leakage.sampling import EstimatedVulnerability, estimate_posterior_vulnerability
    from qifldp.leakage.tradeoff import TradeOff, pairwise_advantage, trade_off
    from qifldp.leakage.vulnerability import (
        additive_leakage,
        asr,
        guessing_entropy,
        max_case_leakage,
        max_case_posterior_vulnerability,
        max_case_prior_vulnerability,
        multiplicative_leakage,
        posterior_vulnerability,
        prior_vulnerability,
        worst_output_vulnerability,
    )
    from qifldp.protocols.local_hashing import BLH, LH, OLH
    from qifldp.protocols.mixture import Mix
    from qifldp.protocols.protocol import Protocol
    from qifldp.protocols.specs import parse_spec, protocol_from_json
    from qifldp.protocols.subset_selection import GRR, SS
    from qifldp.protocols.threshold_histogram import THE
    from qifldp.protocols.unary_encoding import OUE, SUE, UE
    from qifldp.refinement.bracket import bracket_deficiency
    from qifldp.refinement.certificate import Certificate
    from qifldp.refinement.decide import decide_refinement
    from qifldp.refinement.decision import DoesNotRefine, Refines, Undecided
    from qifldp.refinement.deficiency_certificate import DeficiencyCertificate
    from qifldp.refinement.exchange import ExchangeRate, exchange_rate
    from qifldp.refinement.lattice import Bound, join, meet
    from qifldp.refinement.order import RefinementOrder, order_of
    from qifldp.refinement.verified import CertificateError, Verified
    from qifldp.refinement.verify import verify_certificate
    from qifldp.refinement.verify_deficiency import verify_deficiency

_HOMES = {
    "adversaries.files": "read_gain read_prior",
    "adversaries.prior": "Prior",
    "audit.auditing": "audit_client",
    "audit.estimator": "audit_server",
    "audit.result": "Audit AuditViolation",
    "audit.samples": "Samples",
    "audit.tables": "read_samples",
    "channels.channel": "Channel",
    "channels.composition": "hidden_choice kronecker visible_choice",
    "channels.exact_profile": "ExactProfile expand",
    "channels.files": "read_channel write_channel",
    "channels.hyper": "Hyper",
    "channels.profile": "Profile",
    "channels.profile_expansion": "expand_profile",
    "collection.accumulator": "Accumulator",
    "collection.client": "SecureClient secure_client",
    "collection.counts_only": "sample_counts",
    "collection.estimates": "Estimates",
    "collection.reports": "Reports",
    "data.columns": "count_column read_domain",
    "data.datasets": "load_dataset",
    "data.population": "Population",
    "errors": "ConvergenceError InexactError InputError QifldpError TooLargeError",
    "exact.budget": "Budget",
    "experiments.attacks": "SimulatedAttack simulate_attack",
    "leakage.capacity": "bayes_capacity max_case_capacity min_entropy_capacity tight_epsilon",
    "leakage.information": "ShannonCapacity blahut_arimoto mutual_information shannon_capacity sibson_information",
    "leakage.sampling": "EstimatedVulnerability estimate_posterior_vulnerability",
    "leakage.tradeoff": "TradeOff pairwise_advantage trade_off",
    "leakage.vulnerability": (
        "additive_leakage asr guessing_entropy max_case_leakage max_case_posterior_vulnerability "
        "max_case_prior_vulnerability multiplicative_leakage posterior_vulnerability prior_vulnerability "
        "worst_output_vulnerability"
    ),
    "protocols.local_hashing": "BLH LH OLH",
    "protocols.mixture": "Mix",
    "protocols.protocol": "Protocol",
    "protocols.specs": "parse_spec protocol_from_json",
    "protocols.subset_selection": "GRR SS",
    "protocols.threshold_histogram": "THE",
    "protocols.unary_encoding": "OUE SUE UE",
    "refinement.bracket": "bracket_deficiency",
    "refinement.certificate": "Certificate",
    "refinement.decide": "decide_refinement",
    "refinement.decision": "DoesNotRefine Refines Undecided",
    "refinement.deficiency_certificate": "DeficiencyCertificate",
    "refinement.exchange": "ExchangeRate exchange_rate",
    "refinement.lattice": "Bound join meet",
    "refinement.order": "RefinementOrder order_of",
    "refinement.verified": "CertificateError Verified",
    "refinement.verify": "verify_certificate",
    "refinement.verify_deficiency": "verify_deficiency",
}
"""Where each name is defined; the imports above say the same to type checkers."""

_PLACES = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "BLH",
    "GRR",
    "LH",
    "OLH",
    "OUE",
    "SS",
    "SUE",
    "THE",
    "UE",
    "Accumulator",
    "Audit",
    "AuditViolation",
    "Bound",
    "Budget",
    "Certificate",
    "CertificateError",
    "Channel",
    "ConvergenceError",
    "DeficiencyCertificate",
    "DoesNotRefine",
    "EstimatedVulnerability",
    "Estimates",
    "ExactProfile",
    "ExchangeRate",
    "Hyper",
    "InexactError",
    "InputError",
    "Mix",
    "Population",
    "Prior",
    "Profile",
    "Protocol",
    "QifldpError",
    "RefinementOrder",
    "Refines",
    "Reports",
    "Samples",
    "SecureClient",
    "ShannonCapacity",
    "SimulatedAttack",
    "TooLargeError",
    "TradeOff",
    "Undecided",
    "Verified",
    "__version__",
    "additive_leakage",
    "asr",
    "audit_client",
    "audit_server",
    "bayes_capacity",
    "blahut_arimoto",
    "bracket_deficiency",
    "count_column",
    "decide_refinement",
    "estimate_posterior_vulnerability",
    "exchange_rate",
    "expand",
    "expand_profile",
    "gains",
    "guessing_entropy",
    "hidden_choice",
    "join",
    "kronecker",
    "load_dataset",
    "max_case_capacity",
    "max_case_leakage",
    "max_case_posterior_vulnerability",
    "max_case_prior_vulnerability",
    "meet",
    "min_entropy_capacity",
    "multiplicative_leakage",
    "mutual_information",
    "order_of",
    "pairwise_advantage",
    "parse_spec",
    "posterior_vulnerability",
    "prior_vulnerability",
    "protocol_from_json",
    "read_channel",
    "read_domain",
    "read_gain",
    "read_prior",
    "read_samples",
    "sample_counts",
    "secure_client",
    "shannon_capacity",
    "sibson_information",
    "simulate_attack",
    "tight_epsilon",
    "trade_off",
    "verify_certificate",
    "verify_deficiency",
    "visible_choice",
    "worst_output_vulnerability",
    "write_channel",
]


def __getattr__(name: str) -> object:
    if name == "gains":
        return importlib.import_module("qifldp.adversaries.gain")
    if name not in _PLACES:
        raise AttributeError(f"module 'qifldp' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"qifldp.{_PLACES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
