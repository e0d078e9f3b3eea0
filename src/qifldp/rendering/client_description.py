"""The description of a client for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from qifldp.rendering.text import plain


def client_view(document: dict[str, Any]) -> RenderableType:
    """Return the description of a client as text: what it says in JSON, without the longer test vectors."""
    head = f"{document['spec']} over {document['domain_size']:,} values"
    return Group(Text(plain(head), style="bold"), Text(), *(Text(plain(line)) for line in _lines(document)))


def _lines(document: dict[str, Any]) -> Iterator[str]:
    claimed, tight, given = (document[key] for key in ("epsilon", "tight_epsilon", "epsilon_given"))
    yield f"ε claimed {claimed:.10g}, tight {tight:.10g}, actually given {given:.10g}"
    yield f"fingerprint {document['fingerprint']}"
    for name in ("p", "q"):
        words = document[name]["words"]
        otherwise = "follows from p"
        if "parts" in document:
            otherwise = "mean over the parts"
        elif document["hash"]:
            otherwise = "1/g, by the hash"
        drawn = f"{words} of {document['probability_unit']}" if words is not None else otherwise
        yield f"{name} = {document[name]['value']:.10g}: {drawn}"
    yield ""
    yield "How a report is drawn"
    yield from (f"  {step}" for step in document["draw"])
    if document["hash"] is not None:
        yield f"  {document['hash']['formula']}, g = {document['hash']['buckets']:,}"
        yield from (f"    pi: {step}" for step in document["hash"]["pi"])
    yield ""
    size = document["report_bytes"]
    yield f"How its {size:,} byte{'s are' if size > 1 else ' is'} laid out"
    yield f"  {document['layout_words']}"
    yield ""
    yield from _vectors(document["test_vectors"])


def _vectors(vectors: list[dict[str, Any]]) -> Iterator[str]:
    if not vectors:
        yield "Reports are too long for test vectors: take those of a smaller domain."
        return
    yield "Test vectors"
    for vector in vectors:
        if "members" in vector:
            yield f"  {{{_shortened(vector['members'])}}} → {_cut(vector['report'])}"
        else:
            pairs = ", ".join(f"{pair['value']} → {pair['bucket']}" for pair in vector["buckets"])
            yield f"  a = {vector['a']}, b = {vector['b']}: {pairs}"


def _shortened(members: list[int]) -> str:
    listed = ", ".join(map(str, members[:9]))
    return listed if len(members) <= 9 else f"{listed}, … {len(members):,} members"


def _cut(digits: str) -> str:
    return digits if len(digits) <= 40 else f"{digits[:40]}… (all with --json)"
