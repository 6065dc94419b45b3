"""The wall again: no user but admin may send the store a program of its own.

One that never ends would stop the server for everybody.
"""

from __future__ import annotations

import pytest

from tests.attacks.wall.test_wall import MAY_READ, refused

pytestmark = [pytest.mark.redis, pytest.mark.attack]

LOOP = "while true do end"
PROGRAMS = [
    ("EVAL", LOOP, "0"),
    ("EVAL_RO", LOOP, "0"),
    ("SCRIPT", "LOAD", LOOP),
    ("EVALSHA", "0" * 40, "0"),
    ("EVALSHA_RO", "0" * 40, "0"),
    ("SCRIPT", "FLUSH"),
    ("SCRIPT", "KILL"),
    ("FUNCTION", "LOAD", "#!lua name=loop\n" + LOOP),
    ("FUNCTION", "RESTORE", "x"),
    ("FUNCTION", "FLUSH"),
    ("FUNCTION", "DELETE", "probe"),
    ("FUNCTION", "LIST"),
]


@pytest.mark.parametrize("role", MAY_READ)
@pytest.mark.parametrize("command", PROGRAMS, ids=" ".join)
async def test_no_worker_may_send_a_program(as_role, role, command):
    """Nor look at those that are there, nor take them away."""
    assert await refused(as_role(role), *command)


@pytest.mark.parametrize("role", MAY_READ)
@pytest.mark.parametrize("command", [("DEBUG", "SLEEP"), ("MODULE", "LOAD")])
async def test_no_worker_has_what_most_servers_lock_anyway(redis, role, command):
    """A server that allows it to the admin allows it to nobody else."""
    said = await redis.execute_command("ACL", "DRYRUN", role, *command, "0")

    assert b"has no permissions" in said
