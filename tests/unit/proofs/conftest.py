"""The ledger is run once for all tests that look at what it finds."""

from __future__ import annotations

import pytest

from qifldp.proofs.ledger import CLAIMS
from qifldp.proofs.prove import Checked, prove


@pytest.fixture(scope="session")
def checked() -> tuple[Checked, ...]:
    """Every claim, with what its checks found: about fifteen seconds."""
    return prove(CLAIMS)
