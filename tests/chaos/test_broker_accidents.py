"""The broker is killed, and the network between it and everybody stalls.

On Apache Kafka: the embedded broker forgets everything when it dies, so what follows is
another topic (``tests/integration/test_rows_topic.py``), and tells its clients its own
port, so nothing can stand between.
"""

from __future__ import annotations

import os
import time

import pytest

from embedded.redis_server import EmbeddedRedis
from tests.fixtures import apache_kafka
from tests.fixtures.balance import assert_balanced
from tests.fixtures.kafka_server import Broker, await_answer
from tests.fixtures.proxy import HOST, Proxy
from tests.fixtures.redis_server import binary
from tests.fixtures.whole_service import at_work

pytestmark = [pytest.mark.chaos, pytest.mark.redis, pytest.mark.timeout(400)]

KILLS = 1
STALLS = (1.0, 8.0)  # seconds: within a session, and longer than one


@pytest.fixture
def server():
    """A broker of this test alone, with its log on disk; not started."""
    reason = apache_kafka.missing()
    if reason is None and apache_kafka.docker_answers():
        reason = "a container's log ends with it"
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    server = apache_kafka.JarKafka()
    yield server
    server.stop()


def assert_stands_still(books, seconds):
    """Nothing is counted; what was fetched before may be, in the first moment."""
    time.sleep(seconds / 2)  # time is the subject, here and below
    done = books.done()
    time.sleep(seconds / 2)
    assert books.done() == done


def test_it_is_killed_and_the_network_stalls(server, dataset, tmp_path, figures, times):
    """Nobody has to be started by hand, and what was acknowledged is there."""
    with (
        Proxy(HOST, server.port) as proxy,
        EmbeddedRedis(tmp_path / "data", binary=binary()) as redis,
    ):
        server.clients_reach = f"{HOST}:{proxy.port}"
        server.start()
        await_answer(server.clients_reach)
        kafka = Broker(server.clients_reach, server.kind, server.folder)
        with at_work(kafka, redis, dataset, tmp_path) as work:
            service = work[0]
            service.opened(counters=1, curators=2, responders=1)
            kills = KILLS * times
            for _ in range(kills):
                server.kill()
                proxy.cut()
                server.start()
                service.goes_on()
            for seconds in STALLS:
                proxy.stall()
                assert_stands_still(service.books, seconds)
                proxy.resume()
                service.goes_on()
            balanced = assert_balanced(*work)
    ended = sum(service.revived.values())
    figures(
        f"{kills} kills of the broker, {len(STALLS)} stalls of up to {max(STALLS):.0f}"
        f" s, {ended} workers ended meanwhile and were started again: {balanced}"
    )
