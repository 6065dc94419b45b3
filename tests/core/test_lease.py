"""Lease and Fence: one holder at a time, and an old one writes nothing."""

from __future__ import annotations

import pytest

from sigmacount.errors import Fenced
from sigmacount.models.lease import Fence, Lease


def test_a_held_lease_is_refused_to_everybody():
    """To its own holder as well: a name proves nothing."""
    held = Lease().acquire("anna", now=0, ttl=10)

    assert held.held_by(9) == "anna"
    assert held.acquire("anna", now=9, ttl=10) is None


def test_a_lapsed_lease_passes_on_under_a_newer_token():
    """At the very moment it lapses."""
    first = Lease().acquire("anna", now=0, ttl=10)

    second = first.acquire("ben", now=10, ttl=10)

    assert second == Lease(newest=2, owner="ben", until=20)


def test_a_holder_can_stay():
    """Renewal counts from now, not from the old end."""
    held = Lease().acquire("anna", now=0, ttl=10)

    assert held.renew(1, now=5, ttl=10).until == 15


@pytest.mark.parametrize(("token", "now"), [(1, 10), (2, 5), (0, 5)])
def test_a_lost_lease_is_not_renewed(token, now):
    """Lapsed, or somebody else's."""
    held = Lease().acquire("anna", now=0, ttl=10)

    assert held.renew(token, now, ttl=10) is None


def test_a_released_lease_is_free_at_once():
    """Its token stays used."""
    free = Lease().acquire("anna", now=0, ttl=10).release(1)

    assert free.held_by(0) is None
    assert free.acquire("ben", now=0, ttl=10).newest == 2


def test_only_the_holder_releases():
    """Another token leaves it alone."""
    held = Lease().acquire("anna", now=0, ttl=10)

    assert held.release(2) is held


def test_a_fence_lets_the_newest_through():
    """The same holder again, and any newer one."""
    assert Fence(3).admit(3).admit(5) == Fence(5)


def test_a_fence_stops_an_older_token():
    """A holder that was replaced changes nothing."""
    with pytest.raises(Fenced):
        Fence(3).admit(2)
