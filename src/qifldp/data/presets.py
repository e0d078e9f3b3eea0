"""Deployed systems that a choice of budget can be held against: what they state, and where they state it."""

from __future__ import annotations

import math
from dataclasses import dataclass

CHROME_RAPPOR_ONE, CHROME_RAPPOR_ZERO = 0.625, 0.375
"""Chance that a Bloom bit is reported as 1 if it is 1, and if it is 0: f = 1/2, p = 1/4, q = 3/4."""

MOZILLA_ONE, MOZILLA_ZERO = 0.65, 0.35
"""The same at Mozilla: f = 0, p = 0.35, q = 0.65."""


@dataclass(frozen=True)
class Preset:
    """What a deployed system promises for one report.

    Attributes:
        name: The system.
        epsilon: ε of one report, in nats.
        claim: What it does, and how its ε comes about.
        source: The document that states the parameters.
        url: Its address.
        spec: The same mechanism as a protocol here, if it is one.
        most_bits: The most bits that a report may carry, if that is limited.
    """

    name: str
    epsilon: float
    claim: str
    source: str
    url: str
    spec: str | None = None
    most_bits: float | None = None

    def to_json(self) -> dict[str, object]:
        """Return the preset as JSON."""
        return dict(vars(self))


def _two_bits(one: float, zero: float) -> float:
    """ε of one report of a Bloom filter with two hash functions: two values differ in at most four bits."""
    return 2 * math.log(one * (1 - zero) / (zero * (1 - one)))


_PARAMETERS = "WICG, Attribution Reporting, values that Chromium assigns (params/chromium-params.md)"
_PARAMETERS_URL = "https://github.com/WICG/attribution-reporting-api/blob/main/params/chromium-params.md"
_APPLE = "Apple, Differential Privacy Overview"
_APPLE_URL = "https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf"

PRESETS: tuple[Preset, ...] = (
    Preset(
        "Apple, health data types",
        2.0,
        "Sketches (count mean, Hadamard), ε = 2 a report, one a day.",
        _APPLE,
        _APPLE_URL,
    ),
    Preset(
        "Chrome RAPPOR, 2014",
        _two_bits(CHROME_RAPPOR_ONE, CHROME_RAPPOR_ZERO),
        "Bloom filter with two hash functions, f = 1/2, p = 1/4, q = 3/4: ε = 2 ln(0.625²/0.375²) a report.",
        "Chromium, components/rappor (public/rappor_parameters.h), NORMAL_NOISE",
        "https://www.chromium.org/developers/design-documents/rappor/",
    ),
    Preset(
        "Mozilla home page study, 2017",
        _two_bits(MOZILLA_ONE, MOZILLA_ZERO),
        "RAPPOR with two hash functions, f = 0, p = 0.35, q = 0.65: ε = 2 ln(0.65²/0.35²) a report.",
        "Mozilla, shield-study-rappor (addon/HomepageStudy.jsm)",
        "https://github.com/mozilla/shield-study-rappor",
    ),
    Preset(
        "Apple, emoji and look-up hints",
        4.0,
        "Sketches (count mean, Hadamard), ε = 4 a report, one a day (emoji), two a day (hints).",
        _APPLE,
        _APPLE_URL,
    ),
    Preset(
        "Apple, keyboard words and Safari",
        8.0,
        "Sketches (count mean, Hadamard), ε = 8 (words) and 4 to 8 (Safari), two a day.",
        _APPLE,
        _APPLE_URL,
    ),
    Preset(
        "Chrome Attribution Reporting, event sources",
        14.0,
        "k-ary randomised response, ε at most 14, and at most 6.5 bits a report.",
        _PARAMETERS,
        _PARAMETERS_URL,
        "grr:epsilon=14",
        6.5,
    ),
    Preset(
        "Chrome Attribution Reporting, navigation sources",
        14.0,
        "k-ary randomised response, ε at most 14, and at most 11.5 bits a report (11.46 at first).",
        _PARAMETERS,
        _PARAMETERS_URL,
        "grr:epsilon=14",
        11.5,
    ),
)
"""In the order of ε. Sources looked up in 2026; where a system changed, the year says which state is meant."""
