"""The ledger: every numbered statement of the paper and every remark with a number in it, one file a part."""

from qifldp.proofs.claim import Claim
from qifldp.proofs.ledger import (
    adversaries,
    appendix,
    attacks,
    bits,
    capacities,
    comparisons,
    direct_protocols,
    epsilon_k,
    epsilon_k_growth,
    families,
    figure_7,
    figures,
    hashing,
    limits,
    minimum,
    one_hot,
    orders,
    threshold_remarks,
    thresholds,
    unary_protocols,
)

CLAIMS: tuple[Claim, ...] = (
    *adversaries.CLAIMS,
    *orders.CLAIMS,
    *attacks.CLAIMS,
    *direct_protocols.CLAIMS,
    *hashing.CLAIMS,
    *unary_protocols.CLAIMS,
    *capacities.CLAIMS,
    *bits.CLAIMS,
    *families.CLAIMS,
    *comparisons.CLAIMS,
    *minimum.CLAIMS,
    *thresholds.CLAIMS,
    *threshold_remarks.CLAIMS,
    *one_hot.CLAIMS,
    *limits.CLAIMS,
    *figures.CLAIMS,
    *figure_7.CLAIMS,
    *appendix.CLAIMS,
    *epsilon_k.CLAIMS,
    *epsilon_k_growth.CLAIMS,
)
"""All claims, in the order of the paper."""
