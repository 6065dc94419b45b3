"""Checks of the store: it answers, it keeps, and each role has a user of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from cli.checkup.check import Check, fail, ok, refused, warn
from sigmacount.errors import SigmaError
from store.keys import CELLS, NOISE_COUNT, NOISE_UNIT, Keys
from store.migration.recognition import refuse_old_keys
from store.server import safety
from store.server.acl import ROLES
from store.server.connection import text, translated
from store.server.functions import library, loaded

TRUTH_READERS = {"counter", "curator", "admin"}
NOISE_READERS = {"curator", "admin"}


async def server(redis: Any) -> AsyncIterator[Check]:  # noqa: ANN401  (redis stays in its room)
    """Which server it is, whether it keeps counts, whether it keeps noise."""
    with translated():
        server = await redis.info("server")
    name = "Valkey" if "valkey_version" in server else "Redis"
    version = server.get("valkey_version", server.get("redis_version"))
    yield ok("store", f"{name} {version}")
    try:
        how = await safety.check_durability(redis)
    except SigmaError as error:
        yield refused("durability", error)
        return
    words = {
        "waitaof": "each charge and each noise is on disk before it is used (WAITAOF)",
        "always": "every write is on disk before its reply (appendfsync always)",
    }
    replicas = safety.replicas_asked(redis)
    also = f", and on the disks of {replicas} replicas" if replicas else ""
    yield ok("durability", words[how] + also)


async def functions(redis: Any) -> AsyncIterator[Check]:  # noqa: ANN401  (the same)
    """Whether the store has the functions that workers of this release call."""
    ours, found = library().name, await loaded(redis)
    if ours not in found:
        yield fail(
            "functions",
            f"those of this release are not loaded ({ours}): no worker can write",
            "sigma functions load, as the user admin",
        )
        return
    yield ok("functions", f"{ours}, called by workers, loaded by the admin alone")


async def names(redis: Any, keys: Keys) -> AsyncIterator[Check]:  # noqa: ANN401  (the same)
    """Whether the dataset's keys have the names that this release knows."""
    await refuse_old_keys(redis, keys, rows=True)
    yield ok("keys", "named as this release names them")


async def users(redis: Any, keys: Keys) -> AsyncIterator[Check]:  # noqa: ANN401  (the same)
    """The users of `sigma acl`, and the wall between them, tried on this server."""
    with translated():
        known = {text(user) for user in await redis.acl_users()}
        default = await redis.acl_getuser("default")
    missing = [role for role in ROLES if role not in known]
    if missing:
        yield warn(
            "users",
            f"no user for {', '.join(missing)}: nothing but our own code keeps them"
            " from the truth",
            "sigma acl > users.acl, and load it as the server's aclfile",
        )
    if default and default["enabled"]:
        yield warn(
            "users",
            "the user default is on: whoever reaches the port reads everything",
            "`sigma acl` turns it off; or keep the port to yourself",
        )
    async for check in _wall(redis, keys, known):
        yield check


async def _wall(
    redis: Any,  # noqa: ANN401  (the same)
    keys: Keys,
    known: set[str],
) -> AsyncIterator[Check]:
    holes = [
        f"{role} can read {what}"
        for role in ROLES
        if role in known
        for what, key, readers in _secrets(keys)
        if role not in readers and await _may(redis, role, key)
    ]
    for hole in holes:
        yield fail("wall", hole, "load the users that `sigma acl` prints")
    if known >= set(ROLES) and not holes:
        yield ok("wall", "no user can read truth or noise that it should not")


def _secrets(keys: Keys) -> tuple[tuple[str, str, set[str]], ...]:
    return (
        ("true counts", keys.of(CELLS, p=0), TRUTH_READERS),
        ("noise", keys.of(NOISE_UNIT, unit="any", gen=0), NOISE_READERS),
        ("noise of ticks", keys.of(NOISE_COUNT, unit="any", gen=0), NOISE_READERS),
    )


async def _may(redis: Any, role: str, key: str) -> bool:  # noqa: ANN401  (the same)
    with translated():
        said = await redis.execute_command("ACL", "DRYRUN", role, "HGET", key, "any")
    return text(said) == "OK"
