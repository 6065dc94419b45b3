"""The embedded broker: ready when it says so, gone when it should be."""

import os
import socket
from pathlib import Path

import pytest

from embedded.kafka_server import EmbeddedKafka


def listens(port):
    """Somebody takes connections there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_it_listens_inside_the_block_and_is_gone_after():
    """Only on loopback, on a port of its own."""
    with EmbeddedKafka() as one, EmbeddedKafka() as two:
        inside = listens(one.port), listens(two.port)

    assert inside == (True, True)
    assert one.port != two.port
    assert (listens(one.port), listens(two.port)) == (False, False)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_one_thread_takes_batches_and_shows_them(monkeypatch):
    """Two may show a later batch first, and the one before it is never read."""
    monkeypatch.setenv("TOKIO_WORKER_THREADS", "4")

    with EmbeddedKafka() as broker:
        threads = Path(f"/proc/{broker.pid}/task").glob("*/comm")
        workers = [each for each in threads if "worker" in each.read_text()]

    assert len(workers) == 1


def test_it_can_be_killed():
    """As a crash would: the process is gone, and starting anew works."""
    with EmbeddedKafka() as broker:
        pid = broker.pid
        broker.kill()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

        broker.start()

        assert listens(broker.port)


def test_a_port_in_use_is_told_with_the_brokers_words():
    """Not a wait until the end of time."""
    with EmbeddedKafka() as first, pytest.raises(RuntimeError, match="embedded broker"):
        EmbeddedKafka(first.port).start()


def test_stopping_twice_is_as_good_as_once():
    """Clean-up code may not know."""
    broker = EmbeddedKafka().start()

    broker.stop()
    broker.stop()

    assert broker.pid is None
