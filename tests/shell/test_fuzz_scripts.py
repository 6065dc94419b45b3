"""Every Lua script: whatever its arguments are, one outcome, and the server lives."""

from __future__ import annotations

import uuid
from itertools import chain

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis
from redis.exceptions import ResponseError

from store.server.functions import library
from tests.house.test_lua_headers import SCRIPTS, declared
from tests.house.tree import name

pytestmark = pytest.mark.redis

PAIRS = 4  # of further arguments, where there may be any number
SECONDS = 10.0  # of the client's patience: a hang is a fault
numbers = st.integers(0, 9) | st.integers(-(2**63), 2**63) | st.integers(10**300)
words = st.one_of(
    numbers.map(lambda number: str(number).encode()),
    st.binary(max_size=24),
    st.lists(st.binary(max_size=3), max_size=3).map(msgspec.msgpack.encode),
    st.sampled_from(
        [
            *(b"", b"nan", b"inf", b"-inf", b"-0", b"1e3", b"0x10", b" 1", b"null"),
            *(b"{}", b"[" * 500, b"\xdd\xff\xff\xff\xff", b"\x91" * 500, b"x" * 2**16),
        ]
    ),
)


@pytest.fixture(scope="module")
def server(redis_server):
    """An admin's client that does not wait for ever."""
    with Redis.from_url(redis_server.url, socket_timeout=SECONDS) as redis:
        yield redis


@pytest.mark.parametrize("path", SCRIPTS, ids=name)
def test_any_arguments_have_one_outcome(server, path):
    """A reply, or an error after which nothing was written."""
    function = library().function(path.stem)
    count = max(declared(path, "KEYS")[0])
    fixed, open_end = declared(path, "ARGV")
    least = max(fixed)
    more = st.lists(st.tuples(words, words), max_size=0 if open_end is None else PAIRS)

    @given(st.lists(words, min_size=least, max_size=least), more)
    def holds(args, more):
        args = [*args, *chain.from_iterable(more)]
        space = f"fuzz:{{{uuid.uuid4().hex}}}"
        keys = [f"{space}:{number}" for number in range(count)]
        try:
            assert server.fcall(function, count, *keys, *args)
        except ResponseError:
            assert server.exists(*keys) == 0
        finally:
            server.delete(*keys)

    holds()
    assert server.ping()
