"""A store behind TLS, alone and behind a sentinel: trust in both directions."""

from __future__ import annotations

import subprocess

import pytest
from redis import Redis as Plain

from cli.checkup.connections import of_store
from config.servers import Redis
from embedded.ports import HOST, free_port
from embedded.redis_server import EmbeddedRedis
from sigmacount.errors import StoreUnavailable
from store.keys import Keys
from store.lease import RoleLease
from store.server.connection import master_of
from tests.fixtures.certificates import Authority
from tests.fixtures.redis_server import installed
from tests.fixtures.sentinels import MASTER
from tests.fixtures.until import eventually
from workers import clients

pytestmark = pytest.mark.redis

LONG = 600_000  # ms


class Place:
    """A server that asks for certificates on a port for TLS, and who vouches for all.

    The Valkey of the wheel is built without TLS, so it is an installed server.
    """

    def __init__(self, server, folder):
        self.server, self.folder, self.port = server, folder, free_port()
        self.authority = Authority(folder)
        self.proof = self.authority.vouch("server")
        client = self.authority.vouch("client", password="key word")
        self.files = {
            "ca_file": self.authority.ca,
            "certificate_file": client.certificate,
            "key_file": client.key,
            "key_password": "key word",
        }

    def options(self):
        """Of a server or sentinel with TLS; it shows its own certificate to others."""
        return {
            "tls-ca-cert-file": str(self.authority.ca),
            "tls-cert-file": str(self.proof.certificate),
            "tls-key-file": str(self.proof.key),
            "tls-auth-clients": "yes",
            "tls-replication": "yes",
        }

    def words(self, host=HOST, **more):
        """Settings of a process, which may do everything."""
        word = self.server.passwords["admin"]
        url = f"rediss://admin:{word}@{host}:{self.port}/0"
        return {"url": url} | self.files | more


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Shared by the tests of this file."""
    binary = installed("debian")
    with EmbeddedRedis(binary=binary) as server:
        found = Place(server, tmp_path_factory.mktemp("tls"))
        with Plain.from_url(server.url) as redis:
            redis.config_set(*[w for pair in found.options().items() for w in pair])
            redis.config_set("tls-port", found.port)
        yield found


@pytest.fixture
def sentinel(place):
    """HOST:PORT of one that speaks TLS alone, to us and to the server."""
    port = free_port()
    options = place.options() | {"port": "0", "tls-port": str(port), "bind": HOST}
    lines = [f"{name} {value}" for name, value in options.items()]
    lines += [
        f"dir {place.folder}",
        f"sentinel monitor {MASTER} {HOST} {place.port} 1",
        f"sentinel auth-user {MASTER} admin",
        f"sentinel auth-pass {MASTER} {place.server.passwords['admin']}",
    ]
    conf = place.folder / "sentinel.conf"
    conf.write_text("\n".join(lines) + "\n")
    process = subprocess.Popen(
        [str(installed("debian")), str(conf), "--sentinel"],
        stdout=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    yield f"{HOST}:{port}"
    process.kill()
    process.wait()


async def test_acts_are_done_over_tls(place, dataset):
    """With a certificate of our own, whose key is encrypted."""
    redis = clients.connect_store(Redis(**place.words()))

    assert await RoleLease(redis, Keys(dataset), "curator").acquire("me", LONG) == 1
    await redis.aclose()


async def test_a_sentinel_is_asked_over_tls_as_well(place, sentinel, dataset):
    """And the server that it names is one to be trusted by its name."""
    words = place.words(host="nobody.test")
    settings = Redis(**words, sentinels=sentinel, sentinel_master=MASTER)
    redis = clients.connect_store(settings)
    lease = RoleLease(redis, Keys(dataset), "curator")

    async def acquired():
        try:
            return await lease.acquire("me", LONG)
        except StoreUnavailable:
            return None

    assert await eventually(acquired) == 1
    assert await master_of(redis) == (HOST, place.port)
    await redis.aclose()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"host": "localhost"}, "Hostname mismatch"),
        ({"ca_file": None}, "SIGMA_REDIS_CA_FILE"),
        ({"certificate_file": None, "key_file": None}, "SIGMA_REDIS_CERTIFICATE_FILE"),
    ],
)
async def test_where_there_is_no_trust_the_setting_is_named(place, dataset, more, said):
    """Nothing was sent that matters, so nothing of it is quoted.

    A server that misses a certificate says so after its part of the handshake: who
    writes just then hears only that the connection is gone, and is told at the next.
    """
    redis = clients.connect_store(Redis(**place.words(**more)))

    async def refused():
        with pytest.raises(StoreUnavailable) as refusal:
            await RoleLease(redis, Keys(dataset), "curator").holder()
        assert place.server.passwords["admin"] not in str(refusal.value)
        return said in str(refusal.value)

    await eventually(refused)
    await redis.aclose()


async def test_the_doctor_says_how_long_the_certificate_is_good_for(place):
    """It was made for a day."""
    settings = clients.load_settings(general={"dataset": "people"}, redis=place.words())

    async with clients.reach_stores(settings) as stores:
        [check] = [each async for each in of_store(stores, settings.redis)]

    assert (check.name, check.mark, check.remedy) == ("wire", "warn", "renew it")
    assert "good for 1 days" in check.words
