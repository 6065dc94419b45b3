"""A dataset's name in a user's rights opens that dataset, whatever it is called.

The attacker has the password of a worker of one dataset, and picks the names of others
so that they begin, end or go on like it, or hold what is a wildcard in a rule. The
attack is won when one key of another dataset is let in. Exact; no error rate.
"""

from __future__ import annotations

import pytest

from store.keys import (
    CELLS,
    HEAD,
    LEDGER,
    MEMO,
    META,
    NOISE_UNIT,
    PLAN_DECISION,
    Keys,
    OldNames,
)
from store.server import acl
from tests.attacks.wall.test_wall import one
from tests.fixtures.cli import sigma

pytestmark = [pytest.mark.redis, pytest.mark.attack]

OURS = "visits"
# Alike in front, behind, in between; and as parts of a name that has a colon's room.
ALIKE = ["visits2", "visits-eu", "visits.eu", "my-visits", "isits", "v", "rows", "rel"]
WIDE = ["visi*", "*visits", "visit?", "[uv]isits", "vis\\its", "visits}:x", "", "a:b"]
FAMILIES = [HEAD, MEMO, LEDGER, PLAN_DECISION, CELLS, NOISE_UNIT]
ROLES = [role for role in acl.USERS if role.name != "admin"]


@pytest.fixture
async def user(redis, dataset):
    """``user(role)``: a user with the rights of a role in ``OURS``; gone afterwards."""
    made = []

    async def make(role):
        made.append(f"{role.name}-{dataset}")
        rules = role.rules(OURS)
        await redis.execute_command("ACL", "SETUSER", made[-1], "reset", "on", *rules)
        return made[-1]

    yield make
    await redis.execute_command("ACL", "DELUSER", *made)


async def may(redis, user, key) -> bool:
    """Whether the user can look at the key at all, by the commands it has."""
    asked = [("GET", key), ("HGET", key, "f")]
    said = [await redis.execute_command("ACL", "DRYRUN", user, *each) for each in asked]
    return b"OK" in said


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
async def test_a_name_opens_no_other_dataset(redis, user, role):
    """Nor one whose name holds it, or begins it."""
    name = await user(role)

    mine = [await may(redis, name, one(Keys(OURS), family)) for family in FAMILIES]
    theirs = {
        other: [await may(redis, name, one(Keys(other), family)) for family in FAMILIES]
        for other in ALIKE
    }

    assert any(mine)
    assert not any(any(each) for each in theirs.values()), theirs


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_a_name_with_a_wildcard_makes_no_rule(role, name):
    """It is refused, not escaped: no dataset is called so."""
    with pytest.raises(ValueError, match="a dataset is named by"):
        role.rules(name)


def test_acl_refuses_such_a_name():
    """As a line, with nothing on its way to a file."""
    words = {f"password_{role}": "x" for role in acl.ROLES}

    told = sigma("acl", "--dataset", "visi*", **words)

    assert told.code == 2
    assert "'visi*' is no name" in told.err
    assert told.out == ""


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
async def test_an_old_name_is_only_looked_at(redis, user, role):
    """Whether the ledger is there, and for the truth's readers its rows; no more."""
    name, was = await user(role), OldNames(OURS)
    seen = {LEDGER, META} if role.name in {"counter", "curator"} else {LEDGER}

    open_ = {
        each for each in (*FAMILIES, META) if await may(redis, name, one(was, each))
    }
    said = [
        await redis.execute_command(
            "ACL", "DRYRUN", name, "HSET", one(was, f), "f", "v"
        )
        for f in seen
    ]

    assert open_ == seen
    assert b"OK" not in said
    assert not await may(redis, name, one(OldNames("visits2"), LEDGER))
