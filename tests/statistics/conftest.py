"""Draws that several statistical tests share: OpenDP gives about 10⁵ a second.

Nothing is seeded: a red run is news, and it is never repeated to make it green.
"""

import numpy as np
import pytest

from sigmacount.mechanisms import DiscreteLaplace


@pytest.fixture(scope="session")
def draws():
    """``draws(micro_epsilon, size)``: real noise; who asks for less sees the first."""
    held = {}

    def draw(micro_epsilon, size):
        before = held.get(micro_epsilon, np.empty(0, np.int64))
        more = DiscreteLaplace.costing(micro_epsilon).draw(max(0, size - before.size))
        noise = held[micro_epsilon] = np.concatenate((before, more))
        noise.setflags(write=False)
        return noise[:size]

    return draw


@pytest.fixture
def forgetful(monkeypatch):
    """A vault that holds nothing and believes what it is given: noise is redrawn.

    The audit log would notice, so it looks away.
    """
    from store.releases.noise_vault import NoiseVault
    from workers.audit.log import AuditLog

    async def before_showing(_self, _noises, _generation, _epoch):
        return None

    async def get_many(_self, units, _generation):
        return dict.fromkeys(units)

    async def put_many(_self, _token, _generation, drawn, _made="{}"):
        return drawn

    monkeypatch.setattr(NoiseVault, "get_many", get_many)
    monkeypatch.setattr(NoiseVault, "put_many", put_many)
    monkeypatch.setattr(AuditLog, "before_showing", before_showing)
