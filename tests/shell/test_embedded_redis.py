"""The embedded server: up, down, up again with what it held; never left behind."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from embedded.redis_server import EmbeddedRedis
from store import connect
from store.server.acl import ROLES
from store.server.connection import text

pytestmark = pytest.mark.redis


async def written(server: EmbeddedRedis) -> bytes | None:
    """What an earlier ``write`` left."""
    async with connect(server.url) as client:
        return await client.get("k")


async def write(server: EmbeddedRedis) -> None:
    """Something to find again."""
    async with connect(server.url) as client:
        await client.set("k", "v")


async def test_a_restart_keeps_port_passwords_and_data():
    """A client's URL stays good."""
    with EmbeddedRedis() as server:
        url = server.url
        await write(server)

        server.restart()

        assert server.url == url
        assert await written(server) == b"v"


async def test_a_crash_keeps_what_was_acknowledged():
    """With appendfsync always SIGKILL loses nothing that was answered."""
    with EmbeddedRedis(fsync="always") as server:
        await write(server)

        server.kill()
        server.start()

        assert await written(server) == b"v"


async def test_a_given_directory_is_kept(tmp_path):
    """``sigma up --data DIR`` goes on where it stopped."""
    with EmbeddedRedis(tmp_path / "data") as server:
        await write(server)

    with EmbeddedRedis(tmp_path / "data") as again:
        assert await written(again) == b"v"


def test_a_temporary_directory_is_removed():
    """And the process is gone."""
    with EmbeddedRedis() as server:
        data, pid = server.data, server.pid
        assert Path(f"/proc/{pid}").exists() or not Path("/proc").exists()

    assert not data.exists()
    assert server.pid is None
    assert not Path(f"/proc/{pid}").exists()


def test_only_its_owner_can_read_the_users(tmp_path):
    """Even digests are nobody else's business."""
    with EmbeddedRedis(tmp_path) as server:
        users = server.data / "users.acl"

        assert users.stat().st_mode & 0o077 == 0
        assert set(server.passwords) == set(ROLES)


def test_a_taken_port_is_an_error_with_the_servers_own_words():
    """Not a silent connection to somebody else's server."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()

        with (
            pytest.raises(RuntimeError, match=r"(?s)did not come up.*bind"),
            EmbeddedRedis(port=taken.getsockname()[1]),
        ):
            pass


async def test_everybody_hears_only_loopback():
    """It is for trying out; nobody else is invited."""
    with EmbeddedRedis() as server:
        async with connect(server.url) as client:
            found = await client.config_get("bind", "appendonly", "maxmemory-policy")

    assert {text(value) for value in found.values()} == {
        "127.0.0.1",
        "yes",
        "noeviction",
    }


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells a process's variables")
@pytest.mark.parametrize("given", [None, "glibc.malloc.check=0"])
def test_it_keeps_freed_memory_at_hand(monkeypatch, given):
    """Unless the operator has told the C library something else."""
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    if given:
        monkeypatch.setenv("GLIBC_TUNABLES", given)

    with EmbeddedRedis() as server:
        variables = Path(f"/proc/{server.pid}/environ").read_bytes().split(b"\0")

    wanted = given or "glibc.malloc.tcache_count=65535"
    assert f"GLIBC_TUNABLES={wanted}".encode() in variables
