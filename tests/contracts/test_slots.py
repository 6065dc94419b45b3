"""Slots: what one script touches lies in one slot of a Redis Cluster, per dataset."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from redis.crc import key_slot

from store import keys as families
from store.keys import Keys
from store.server.functions import library
from store.server.scripts import Call
from tests.fixtures.store_acts import ACTS, Handles
from tests.house.test_lua_headers import SCRIPTS

PATTERNS = sorted(
    value for value in vars(families).values() if str(value).startswith("sigma")
)
NAMES = ["census", "census2", "adult", "people", "a", "b", "eu.visits", "eu-visits"]
BY_CHANCE = 0.01  # a slot in 16,384 is shared by chance; so many pairs are allowed to


@pytest.fixture
def called(monkeypatch):
    """The names of all functions called in a test, each with its keys."""
    calls: list[tuple[str, tuple[str, ...]]] = []
    words = Call.words

    def noted(call):
        calls.append((call.script, tuple(call.keys)))
        return words(call)

    monkeypatch.setattr(Call, "words", noted)
    return calls


@pytest.mark.redis
@pytest.mark.parametrize("script", ACTS)
async def test_all_keys_of_a_call_lie_in_one_slot(redis, keys, called, script):
    """As the store's own classes call each script, with what they did before it."""
    act, here = ACTS[script], Handles(redis, keys)

    await act.act(here, await act.first(here))

    assert script in {name for name, _ in called}
    for name, touched in called:
        assert len({key_slot(key.encode()) for key in touched}) == 1, name


def test_every_script_is_called_so():
    """A script that no act tries is not held to one slot."""
    assert {path.stem for path in SCRIPTS} == set(ACTS)
    assert all(library().function(script) for script in ACTS)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_dataset_is_inside_the_tag(pattern):
    """The tag is what Redis hashes; the name stands at its beginning."""
    assert re.match(r"sigma:\{<ds>:[^{}]+\}:[^{}]+$", pattern)


def test_two_datasets_share_no_slot_but_by_chance():
    """Names that begin alike, and all partitions of their rows."""
    slots = {name: slots_of(name) for name in NAMES}
    pairs = list(combinations(NAMES, 2))

    shared = sum(len(slots[one] & slots[other]) for one, other in pairs)

    assert shared <= BY_CHANCE * sum(len(slots[one]) for one, _ in pairs)


def slots_of(name: str) -> set[int]:
    """Where the keys of a dataset of twelve partitions lie."""
    parts = {"unit": "g", "gen": 0, "epoch": 1, "token": 1, "gid": "g"}
    parts |= {"try": "a", "kind": "counts", "role": "curator"}
    return {
        key_slot(Keys(name).of(pattern, p=p, **parts).encode())
        for pattern in PATTERNS
        for p in range(12)
    }
