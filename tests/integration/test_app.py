"""A service hosted by Faust: started, seen, led, stopped, and its failures."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
import uuid
from pathlib import Path

import pytest

from embedded.kafka_server import EmbeddedKafka
from embedded.ports import free_port
from streams.admin.topics_admin import Admin
from tests.fixtures.until import CEILING, until

pytestmark = [pytest.mark.integration, pytest.mark.kafka]

ROOT = Path(__file__).parents[2]
START_SECONDS, STOP_SECONDS = CEILING, 6


class Process:
    """One process that hosts the test's service."""

    def __init__(self, bootstrap, name=None, mode="works"):
        self.port = free_port()
        self.name = name or f"app-{uuid.uuid4().hex[:8]}"
        module = "tests.fixtures.hosted_service"
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, self.name, bootstrap, str(self.port), mode],
            cwd=ROOT,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def get(self, path):
        """Status and body of one of its pages, or None while nobody answers."""
        url = f"http://127.0.0.1:{self.port}{path}"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()
        except OSError:
            return None

    def until(self, path, status, seconds=START_SECONDS):
        """Body of a page as soon as it has this status."""

        def answer():
            found = self.get(path)
            assert self._process.poll() is None, self._process.communicate()
            return found is not None and found[0] == status and found

        return until(answer, seconds, lambda: (path, status, self.get(path)))[1]

    def end(self, with_signal=None, seconds=STOP_SECONDS):
        """Exit code and output; after the signal, or by itself."""
        if with_signal is not None:
            self._process.send_signal(with_signal)
        out, err = self._process.communicate(timeout=seconds)
        return self._process.returncode, out.split(), err

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._process.kill()
        with contextlib.suppress(ValueError):
            self._process.communicate()


@pytest.fixture(scope="module")
def running(kafka):
    """A process that many tests look at."""
    with Process(kafka.bootstrap) as process:
        process.until("/ready", 200)
        yield process


def test_a_service_is_started_seen_and_stopped_in_order(kafka):
    """Alive at once, ready later; the last batch is finished; the exit code is 0."""
    with Process(kafka.bootstrap) as process:
        process.until("/live", 200)
        at_first = process.get("/ready")
        process.until("/ready", 200)

        code, out, _ = process.end(signal.SIGTERM)

    assert at_first[0] == 503
    assert (code, out) == (0, ["working", "finished"])


def test_ready_tells_what_the_service_tells(running):
    """And whether this process leads."""
    assert json.loads(running.get("/ready")[1]) == {
        "ready": True,
        "leader": True,
        "role": "test",
        "leads": True,
    }


def test_metrics_are_served_as_given(running):
    """Prometheus' text, from whoever keeps the metrics."""
    assert running.get("/metrics") == (200, b"sigma_test 1\n")


def test_metrics_come_in_the_format_that_is_asked_for(running):
    """What the reader accepts reaches who writes the page, and its type comes back."""
    accept = "application/openmetrics-text; version=1.0.0; charset=utf-8"
    asking = http.client.HTTPConnection("127.0.0.1", running.port, timeout=5)

    with contextlib.closing(asking):
        asking.request("GET", "/metrics", headers={"Accept": accept})
        answer = asking.getresponse()

        assert answer.getheader("Content-Type") == accept


@pytest.mark.parametrize("page", ["/table", "/router", "/graph", "/stats"])
def test_pages_of_faust_are_not_served(running, page):
    """They would tell more than an operator asked for."""
    assert running.get(page)[0] == 404


def test_one_of_two_leads_and_the_other_takes_over(kafka):
    """At least after a while; fencing tokens cover the time in between."""
    with Process(kafka.bootstrap) as one:
        one.until("/ready", 200)
        with Process(kafka.bootstrap, one.name) as two:
            two.until("/ready", 200)
            led_by = [_leads(one), _leads(two)]
            leader, standby = (one, two) if led_by[0] else (two, one)
            leader.end(signal.SIGKILL)

            assert sorted(led_by) == [False, True]
            until(lambda: _leads(standby))


def test_the_broker_knows_how_many_processes_are_there(kafka):
    """One that was killed is missed a session later."""

    def there():
        return admin.members([one.name, "nobody"])

    with Admin(kafka.bootstrap) as admin, Process(kafka.bootstrap) as one:
        one.until("/ready", 200)
        with Process(kafka.bootstrap, one.name) as two:
            two.until("/ready", 200)
            both = there()
        assert both == {one.name: 2, "nobody": 0}
        until(lambda: there()[one.name] == 1, otherwise=there)


def _leads(process):
    return json.loads(process.get("/ready")[1])["leads"]


@pytest.mark.parametrize("mode", ["fails", "ends", "cancelled"])
def test_a_service_that_is_over_ends_the_process_with_code_1(kafka, mode):
    """Loudly, whatever it ended by: whoever supervises it starts it again."""
    with Process(kafka.bootstrap, mode=mode) as process:
        code, out, err = process.end(seconds=START_SECONDS)

    assert (code, out) == (1, ["working"])
    said = {"fails": "as the test asked", "ends": "nobody asked it to"}
    assert said.get(mode, "cancelled") in err


@pytest.mark.parametrize("mode", ["fails_at_stop", "hangs"])
def test_a_stop_that_goes_wrong_or_takes_too_long_is_a_failure(kafka, mode):
    """Also when the event loop itself hangs: code 1, within the grace."""
    with Process(kafka.bootstrap, mode=mode) as process:
        process.until("/ready", 200)

        code, _, _ = process.end(signal.SIGTERM, seconds=START_SECONDS)

    assert code == 1


def test_a_failure_without_a_broker_ends_the_process_as_well():
    """The framework waits for its broker first; seen idle for minutes."""
    with EmbeddedKafka() as broker, Process(broker.bootstrap, mode="on_usr1") as it:
        it.until("/ready", 200)
        broker.kill()

        code, _, _ = it.end(signal.SIGUSR1, seconds=START_SECONDS)

    assert code == 1


def test_a_process_can_be_stopped_before_it_joined(kafka):
    """SIGTERM during the join: exit code 0, no hanging."""
    with Process(kafka.bootstrap) as process:
        process.until("/live", 200)

        code, _, err = process.end(signal.SIGTERM, seconds=START_SECONDS)

    assert code == 0, err


def test_no_broker_ends_the_process_when_its_patience_ends():
    """It waited, then says what is missing."""
    with Process("127.0.0.1:1") as process:
        code, out, err = process.end(seconds=START_SECONDS)

    assert (code, out) == (1, [])
    assert "StreamUnavailable" in err
