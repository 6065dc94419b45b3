"""Growth of rows: what Redis alone does is measured on the rows, and leaves them."""

import pytest

from benchmarks.bench_growth_of_rows import plain_rate
from benchmarks.rows import PARTITIONS
from embedded.redis_server import EmbeddedRedis
from store.keys import Keys
from store.server.connection import connect

STORED = 20_000


@pytest.mark.redis
async def test_rows_are_read_and_written_again_and_stay_as_they_are():
    """A rate comes out; no row is new and no code is another."""
    _, rows, *_ = Keys(f"stored-{STORED}").partition(0)
    held = {f"r{n}": f"{n:08}" for n in range(0, STORED, 2 * PARTITIONS)}  # half live
    with EmbeddedRedis() as server:
        async with connect(server.url) as redis:
            await redis.hset(rows, mapping=held)
            before = await redis.hgetall(rows)

            rate = await plain_rate(server.url, STORED)

            spent = await redis.info("commandstats")
            assert await redis.hgetall(rows) == before
    assert rate > 0
    calls = [spent[f"cmdstat_{name}"]["calls"] for name in ("hmget", "hset")]
    assert calls == [20, 20]
