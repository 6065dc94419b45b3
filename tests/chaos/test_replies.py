"""Every script, when its reply is lost or late, or its request arrives late.

The worker repeats the act as it would. In the end its dataset holds what a twin holds
that had no accident, and the worker was told the same.
"""

from __future__ import annotations

import asyncio
import uuid
from importlib.resources import files

import pytest

from sigmacount.errors import StoreUnavailable
from store import connect
from store.keys import Keys
from store.server.functions import library
from tests.fixtures.proxy import Proxy
from tests.fixtures.store_acts import ACTS, Handles
from tests.fixtures.store_content import content
from tests.fixtures.until import CEILING

pytestmark = [pytest.mark.chaos, pytest.mark.redis]

TIMEOUT = 0.3  # seconds that the worker's client waits for a reply
ACCIDENTS = {
    "lost": Proxy.lose,
    "late": Proxy.hold_reply,
    "request late": Proxy.hold_request,
}


@pytest.fixture
def proxy(redis_server):
    """Between the worker and its store."""
    with Proxy(redis_server.host, redis_server.port) as proxy:
        yield proxy


def word(script):
    """What a call of the script looks like on the wire, and nothing else does."""
    return library().function(script).encode() + b"\r\n"


def test_every_script_has_an_act():
    """A new script needs one, or nobody knows what its lost reply does."""
    lua = files("store").joinpath("lua").iterdir()
    assert set(ACTS) == {each.name.removesuffix(".lua") for each in lua}


async def undisturbed(redis, keys, act):
    """What the twin was told, and held; it is gone, and leaves its name."""
    twin = Handles(redis, keys)
    told = await act.repeated(twin, await act.first(twin))
    whole = await content(redis, keys)
    await redis.delete(*await redis.keys(keys.everything()))
    return told, whole


@pytest.mark.parametrize("accident", ACCIDENTS)
async def test_the_end_is_as_if_nothing_had_happened(
    redis, redis_server, proxy, accident, figures
):
    """The act fails as unknown, is repeated, and what was held arrives after that."""
    for script, act in ACTS.items():
        keys = Keys(f"t{uuid.uuid4().hex}")
        expected, whole = await undisturbed(redis, keys, act)
        given = await act.first(Handles(redis, keys))
        worker = connect(proxy.url(redis_server.url), timeout=TIMEOUT)
        here, snare = Handles(worker, keys), ACCIDENTS[accident](proxy, word(script))

        with pytest.raises(StoreUnavailable):
            await act.act(here, given)
        told = await act.repeated(here, given)
        snare.go.set()
        assert await asyncio.to_thread(snare.over.wait, CEILING), script

        assert await content(redis, keys) == whole, script
        assert told in (expected, None), script
        await worker.aclose()
    figures(f"{len(ACTS)} scripts, {accident}, repeated: all equal to their twins")
