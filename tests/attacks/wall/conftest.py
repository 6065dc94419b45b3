"""The wall is tried on two servers: their commands and rules differ in places."""

import pytest


@pytest.fixture(scope="package", params=["embedded", "debian"])
def redis_server(request):
    """Valkey, and the Redis 7 of Debian where it is installed."""
    from embedded.redis_server import EmbeddedRedis
    from tests.fixtures.redis_server import installed

    with EmbeddedRedis(binary=installed(request.param)) as server:
        yield server
