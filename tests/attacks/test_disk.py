"""A store's disk: whoever reads it, or a backup of it, has the truth: on purpose.

The attacker has a copy of the files and no password. The store needs both noise and
counts to go on after a restart, and keeps no secret from its own disk; docs/limits.md
says so, and that disks and backups are the operator's to lock. The attack is won, as it
must be, when what was released minus the noise in the copy is the true count of every
cell. Exact; no error rate.
"""

from __future__ import annotations

import shutil

import pytest

from embedded.redis_server import EmbeddedRedis
from store import connect
from store.keys import Keys
from store.releases.noise_vault import NoiseVault
from store.releases.released import Released
from tests.fixtures.curator_steps import World, group
from tests.fixtures.redis_server import binary

pytestmark = [pytest.mark.redis, pytest.mark.attack]


async def lived(server, keys):
    """A curator has shown a table of these people; the table and what is true of it."""
    async with connect(server.url) as redis:
        world = await World.of_two(redis, keys)
        table = group(world.schema, "sex", "city", "job")
        curator = await world.curator()
        await curator.tick(table, version=1)
        return table, world.tally(table.algebra)


async def copied(files, table):
    """What a server of the attacker's own makes of the files: released − noise."""
    with EmbeddedRedis(files, binary=binary()) as mine:
        async with connect(mine.url) as redis:
            keys = Keys("stolen")
            _, arrays = await Released(redis, keys).current("noisy")
            noise = await NoiseVault(redis, keys).get(table.id, 0)
    return arrays[table.id] - noise


async def test_a_copy_of_the_disk_tells_every_true_count(tmp_path, figures):
    """No password is needed for a file."""
    with EmbeddedRedis(tmp_path / "store", binary=binary()) as server:
        table, truth = await lived(server, Keys("stolen"))
    shutil.copytree(tmp_path / "store", tmp_path / "copy")

    found = await copied(tmp_path / "copy", table)

    assert (found == truth).all()
    assert truth.any()
    figures(f"{truth.size} of {truth.size} true counts read off a copy of the disk")
