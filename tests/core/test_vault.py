"""Vault: what was drawn first stays."""

from __future__ import annotations

import pytest

from sigmacount.errors import Fenced
from sigmacount.vault import Vault


def test_the_first_draw_stays():
    """Whatever is offered later under the same name."""
    vault = Vault().put(1, 0, {"g": (1, 2)}).put(2, 0, {"g": (3, 4), "h": (5,)})

    assert dict(vault.held) == {("g", 0): (1, 2), ("h", 0): (5,)}


def test_each_generation_has_its_own():
    """A rule that renews noise draws again in the next generation."""
    vault = Vault().put(1, 0, {"g": (1,)}).put(1, 1, {"g": (2,)})

    assert dict(vault.held) == {("g", 0): (1,), ("g", 1): (2,)}


def test_a_stale_curator_keeps_nothing():
    """Its noise might be released beside the newer curator's."""
    with pytest.raises(Fenced):
        Vault().put(2, 0, {}).put(1, 0, {"g": (1,)})
