"""The wall: what no Redis user can do outside its own room.

The attacker has the password of one worker, and tries every command that takes a key,
and a function of its own, on every family of keys. The attack is won when one is let in
that the two sets below do not name, on Valkey or on Redis 7. Exact; no error rate. That
each role can do its own work: tests/shell/test_store_users.py.

A family that is new in `store.keys` fails the first test until it stands in the sets.
"""

from __future__ import annotations

import re

import pytest
from redis.exceptions import AuthenticationError, NoPermissionError, ResponseError

from store import connect
from store import keys as families
from store.keys import (
    ARRAY,
    BASIS,
    BASIS_FENCE,
    CELLS,
    CHANGES,
    HEAD,
    HISTORY,
    LEASE,
    LEASE_FENCE,
    LEDGER,
    LEDGER_CLIENTS,
    LEDGER_ENTRIES,
    LEDGER_FENCE,
    LEDGER_SEEN,
    LEDGER_SURCHARGED,
    LOG,
    MEMO,
    META,
    NOISE_COUNT,
    NOISE_FENCE,
    NOISE_TRAIL,
    NOISE_UNIT,
    PLAN_DECISION,
    PLAN_RENEWALS,
    PLAN_REQUEST,
    RELEASE_FENCE,
    ROWS,
    SPELLINGS,
    Keys,
)
from store.server import acl
from tests.attacks.wall.commands import DANGEROUS, reading, writing

pytestmark = [pytest.mark.redis, pytest.mark.attack]

TRUTH = (META, ROWS, CELLS, LOG)
BASES = (BASIS, BASIS_FENCE)
NOISE = (NOISE_FENCE, NOISE_UNIT, NOISE_COUNT, NOISE_TRAIL)
BOOKS = (
    LEDGER_ENTRIES,
    LEDGER_SEEN,
    LEDGER_CLIENTS,
    LEDGER_SURCHARGED,
    LEDGER_FENCE,
)
RELEASED = (HEAD, ARRAY, MEMO, HISTORY)
PLANS = (PLAN_REQUEST, PLAN_DECISION)
LEASES = (LEASE, LEASE_FENCE)
KEPT = (*TRUTH, *BASES, CHANGES, SPELLINGS, *NOISE, LEDGER, *BOOKS)
ALL = (*KEPT, *RELEASED, RELEASE_FENCE, *PLANS, PLAN_RENEWALS)

MAY_READ = {
    "counter": {*TRUTH, CHANGES, SPELLINGS, LEDGER},
    "curator": {*ALL} - {CHANGES, SPELLINGS},
    "responder": {*RELEASED, LEDGER},
    "reclusterer": {*RELEASED, LEDGER, *PLANS},
    "dashboard": {*RELEASED, LEDGER, *PLANS},
}
MAY_WRITE = {
    "counter": {*TRUTH, CHANGES, SPELLINGS},
    "curator": {*BASES, *NOISE, LEDGER, *BOOKS, *RELEASED, RELEASE_FENCE},
    "responder": set(),
    "reclusterer": {*PLANS},
    "dashboard": set(),
}
IN_A_SCRIPT = re.compile("ACL failure in script|user executing the script can't")
# No function, whatever its text, is a way around the table.
PROBE = """#!lua name=probe
redis.register_function('probe', function(keys, argv)
  local key, value = keys[1] or argv[1], keys[1] and argv[1] or argv[2]
  return value and redis.call('SET', key, value) or redis.call('HGET', key, 'f')
end)
"""
FAMILIES = {
    value for value in vars(families).values() if str(value).startswith("sigma")
}


def test_every_family_is_decided(figures):
    """Whoever adds one says here who may touch it."""
    assert {*ALL, *LEASES} == FAMILIES
    assert set(MAY_READ) == set(MAY_WRITE) == set(acl.ROLES) - {"admin"}
    tried = len(reading("k", "h", "p")) + len(writing("k", "h", "p"))
    figures(
        f"{len(MAY_READ)} users, {len(FAMILIES)} families of keys, {tried} ways to"
        f" touch one, {len(DANGEROUS)} dangerous commands"
    )


def one(keys: Keys, pattern: str) -> str:
    """A key of that pattern in this test's dataset."""
    parts = {"p": 0, "unit": "g", "gen": 0, "epoch": 1, "token": 1, "gid": "g"}
    return keys.of(pattern, **parts, **{"try": "a", "kind": "counts"})


async def refused(client, *command) -> bool:
    """Whether the server says NOPERM; any other reply is a pass through the wall.

    Inside a script the same refusal is spelled otherwise, and in Redis 7.0 again.
    """
    try:
        await client.execute_command(*command)
    except NoPermissionError:
        return True
    except ResponseError as error:  # WRONGTYPE and the like: it was let in
        return bool(IN_A_SCRIPT.search(str(error)))
    return False


@pytest.fixture
async def probe(redis):
    """A function that reads and writes whatever it is asked, declared or not."""
    await redis.function_load(PROBE, replace=True)
    yield "probe"
    await redis.function_delete("probe")


@pytest.mark.parametrize("role", MAY_READ)
@pytest.mark.parametrize("pattern", ALL)
async def test_reading_stops_at_the_wall(as_role, probe, keys, role, pattern):
    """By key: whatever command the role has, the key itself is closed or open."""
    key = one(keys, pattern)

    client, mine = as_role(role), one(keys, HEAD)

    attempts = [await refused(client, *each) for each in reading(key, mine, probe)]

    can = not all(attempts)
    assert can is (pattern in MAY_READ[role])


@pytest.mark.parametrize("role", MAY_WRITE)
@pytest.mark.parametrize("pattern", ALL)
async def test_writing_stops_at_the_wall(as_role, redis, probe, keys, role, pattern):
    """Whatever the role tries, the key is as it was."""
    key = one(keys, pattern)
    client = as_role(role)

    for command in writing(key, one(keys, HEAD), probe):
        await refused(client, *command)

    assert bool(await redis.exists(key)) is (pattern in MAY_WRITE[role])


@pytest.mark.parametrize("role", MAY_READ)
@pytest.mark.parametrize("command", DANGEROUS, ids=" ".join)
async def test_no_worker_can_administer(as_role, role, command):
    """Nor list keys, nor watch others, nor stop the server."""
    assert await refused(as_role(role), *command)


@pytest.mark.parametrize("role", ["responder", "reclusterer", "dashboard"])
async def test_memory_in_use_is_not_shown_to_those_behind_the_wall(as_role, role):
    """It grows with every row."""
    assert await refused(as_role(role), "INFO", "memory")


@pytest.mark.parametrize("role", MAY_READ)
@pytest.mark.parametrize("pattern", [LEASE, LEASE_FENCE])
async def test_a_lease_belongs_to_its_role(as_role, keys, role, pattern):
    """A reclusterer cannot take the curator's token, nor the reverse."""
    for other in ("curator", "reclusterer"):
        key = keys.of(pattern, role=other)

        assert await refused(as_role(role), "SET", key, "9") is (role != other)


async def test_one_dataset_can_be_walled_off_from_another(as_role, redis, keys):
    """ACLs for one dataset open nothing of its neighbours."""
    user = f"responder-{keys.dataset}"
    role = next(role for role in acl.USERS if role.name == "responder")
    rules = role.rules(keys.dataset)

    await redis.execute_command("ACL", "SETUSER", user, "reset", "on", "nopass", *rules)
    ours = await redis.execute_command("ACL", "DRYRUN", user, "GET", one(keys, HEAD))
    theirs = await redis.execute_command(
        "ACL", "DRYRUN", user, "GET", one(Keys("other"), HEAD)
    )
    await redis.execute_command("ACL", "DELUSER", user)

    assert ours == b"OK"
    assert b"no permissions" in theirs


async def test_nobody_comes_in_without_a_password(redis_server):
    """The default user is off."""
    async with connect(f"redis://{redis_server.host}:{redis_server.port}") as client:
        with pytest.raises(AuthenticationError):
            await client.ping()


def test_the_file_holds_no_password():
    """Only digests, so that it may be mounted and read."""
    text = acl.acl_file(dict.fromkeys(acl.ROLES, "hunter2"))

    assert "hunter2" not in text
    assert text.splitlines()[0].startswith("user default off")
    assert len(text.splitlines()) == 1 + len(acl.ROLES)
