"""Decisions on refinement, for people and as JSON."""

from __future__ import annotations

import math
from fractions import Fraction

from rich.console import Group, RenderableType
from rich.text import Text

from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Side
from qifldp.refinement.decision import Decision, DoesNotRefine, Refines, Undecided
from qifldp.refinement.deficiency_certificate import DeficiencyCertificate
from qifldp.refinement.proofs import Bets, decimal_text
from qifldp.refinement.verified import Verified
from qifldp.rendering.tables import number, strength
from qifldp.rendering.text import plain

SCHEMA_VERSION = 1

BRACKET_DIGITS = 12
"""Decimals of a bracket's ends, as many as those that are looked for have."""

SHORT = 4
"""Rows and columns up to which a matrix is shown whole."""

NOBODY = "No adversary, whatever they know or want, gains more from the refined one."


def decision_json(
    decision: Decision,
    names: tuple[str, str],
    certificate: str | None,
    bracket: DeficiencyCertificate | None = None,
) -> dict[str, object]:
    """Return a decision as JSON.

    Args:
        decision: The decision.
        names: The specs of both sides.
        certificate: The file that the certificate was written to, if any.
        bracket: A proved bracket of the deficiency, if there is one: the figure lies within it.
    """
    document: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "original": names[0],
        "refined": names[1],
        "domain_size": decision.original.domain_size,
        "order": decision.order,
        "verdict": verdict(decision),
        "margin": decision.margin,
        "deficiency": _lacking(decision, bracket),
        "deficiency_reverse": decision.deficiency_reverse,
        "vulnerability_ratio": decision.vulnerability_ratio,
        "method": decision.method,
        "counterexample": _counterexample(decision),
        "certificate": certificate,
    }
    if isinstance(decision, Undecided):
        document["reason"] = decision.reason
    if decision.unsolved:
        document["reasons"] = dict(decision.unsolved)
    return document


def bracket_json(
    bracket: DeficiencyCertificate | None, file: str, lacking: str, decision: Decision
) -> dict[str, object]:
    """Return a proved bracket of the deficiency as JSON, or why there is none.

    Args:
        bracket: The bracket, if one was proved.
        file: The file that it was written to.
        lacking: Why there is none, if there is none.
        decision: The decision in whose document it stands, with reasons of its own.
    """
    if bracket is None:
        return {
            "deficiency_bracket": None,
            "deficiency_certificate": None,
            "reasons": decision.unsolved | {"deficiency_bracket": lacking},
        }
    return {"deficiency_bracket": list(bracket.ends), "deficiency_certificate": file}


def verdict(decision: Decision) -> str:
    """Return ``refines``, ``does_not_refine`` or ``undecided``."""
    if isinstance(decision, Undecided):
        return "undecided"
    return decision.certificate.verdict


def decision_view(
    decision: Decision, names: tuple[str, str], bracket: DeficiencyCertificate | None = None
) -> RenderableType:
    """Return a decision in sentences, with a proved bracket of the deficiency if there is one."""
    a, b = map(plain, names)
    worst = decision.order == "max"
    k = f"{'in the max-case order ' if worst else ''}over {decision.original.domain_size:,} values"
    if isinstance(decision, Refines):
        lines = [
            Text(f"{a} ⊑ {b} {k}: proved ({decision.method}).", style="bold green"),
            Text("No adversary gains more from their luckiest report of the refined one." if worst else NOBODY),
        ]
    elif isinstance(decision, DoesNotRefine):
        lines = [
            Text(f"{a} ⋢ {b} {k}: proved ({decision.method}).", style="bold"),
            Text(plain(decision.words)),
        ]
    else:
        lines = [Text(f"{a} against {b} {k}: undecided.", style="bold"), Text(plain(decision.reason))]
    figures = (
        ("margin", _strength(decision.margin), "at least 1 if refined, below 1 if not"),
        ("deficiency", _shown(_lacking(decision, bracket)), "most that anybody gains more from the refined"),
        ("… the other way", _shown(decision.deficiency_reverse), "most that anybody gains more from the original"),
        ("vulnerability ratio", _strength(decision.vulnerability_ratio), "least gain from original over refined"),
    )
    lines.append(Text("\nOn average, whatever the verdict:" if worst else ""))
    lines += [Text(f"  {name:<20}{value:>10}  {words}") for name, value, words in figures]
    lines += [Text(f"\nNo {name.replace('_', ' ')}: {plain(why)}") for name, why in decision.unsolved.items()]
    if bracket is not None:
        least, most = outward(bracket)
        lines.append(Text(f"\nThe deficiency is between {least} and {most}: proved."))
    return Group(*lines)


def verified_words(verified: Verified) -> str:
    """Return what a verified certificate proves, in a sentence."""
    claim = verified.certificate
    sides = [_named(side) for side in (claim.original, claim.refined)]
    sign = "⊑" if claim.verdict == "refines" else "⋢"
    exactness = f"in balls of {verified.precision} bits" if verified.precision else "exactly"
    where = "" if claim.order == "average" else " in the max-case order"
    return f"Proved {exactness}: {sides[0]} {sign} {sides[1]}{where}, over {claim.original.domain_size:,} values."


def _named(side: Side) -> str:
    if isinstance(side, Protocol):
        return side.spec
    rows = ["(" + ", ".join(map(str, row)) + ")" for row in side.matrix[:SHORT, :SHORT].tolist()]
    small = max(side.matrix.shape) <= SHORT
    shown = ", ".join(rows) if small else f"that begins {rows[0][:-1]}, …)"
    return f"the {side.domain_size} × {len(side.outputs)} matrix {shown}"


def _lacking(decision: Decision, bracket: DeficiencyCertificate | None) -> float | None:
    """Return the deficiency, no farther out than what is proved of it."""
    found = decision.deficiency
    if found is None or bracket is None:
        return found
    least, most = bracket.ends
    return min(max(found, least), most)


def _shown(value: float | None) -> str:
    return "–" if value is None else number(value)


def _strength(value: float | None) -> str:
    return "–" if value is None else strength(value)


def outward(bracket: DeficiencyCertificate) -> tuple[str, str]:
    """Return the ends of a bracket as decimals, rounded away from each other: they bracket as well."""
    unit = 10**BRACKET_DIGITS
    ends = Fraction(math.floor(max(bracket.least, 0) * unit), unit), Fraction(math.ceil(bracket.most * unit), unit)
    return f"{float(ends[0]):.{BRACKET_DIGITS}f}", f"{float(ends[1]):.{BRACKET_DIGITS}f}"


def _counterexample(decision: Decision) -> dict[str, object] | None:
    if not isinstance(decision, DoesNotRefine):
        return None
    proof = decision.certificate.proof
    offers = proof.offers if isinstance(proof, Bets) else ()
    return {
        "kind": proof.kind,
        "bets": [
            {"size": size, "stake": decimal_text(stake), "price": decimal_text(price)} for size, stake, price in offers
        ],
        "vulnerability_original": decision.vulnerability_original,
        "vulnerability_refined": decision.vulnerability_refined,
        "words": decision.words,
    }
