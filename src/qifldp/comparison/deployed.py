"""Deployed systems held against a comparison: what their mechanism would leak on this domain."""

from __future__ import annotations

from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.data.presets import PRESETS
from qifldp.leakage.information import shannon_capacity
from qifldp.leakage.tradeoff import pairwise_advantage
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.specs import parse_spec


def deployed(domain_size: int, n: int) -> tuple[dict[str, object], ...]:
    """Return the presets, each with its figures on this domain where its mechanism is one of ours.

    Where a system's own cap on bits does not allow its largest ε on this domain, ``beyond_cap`` is true.

    Args:
        domain_size: Number of values k.
        n: Number of reports, for the error.
    """
    found = []
    for preset in PRESETS:
        figures: dict[str, object] = {}
        if preset.spec is not None:
            protocol = parse_spec(preset.spec).build(domain_size)
            figures = {
                "asr_uniform": float(asr(protocol)),
                "shannon_capacity_bits": shannon_capacity(protocol),
                "pairwise_advantage": float(pairwise_advantage(protocol)),
                "standard_error_weighted": weighted_standard_error(protocol.profile, n),
            }
            figures["beyond_cap"] = preset.most_bits is not None and shannon_capacity(protocol) > preset.most_bits
        found.append(preset.to_json() | figures)
    return tuple(found)
