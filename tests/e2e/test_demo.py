"""The whole city, through the console script: the demo's own checks are the test."""

import os
import re
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from config.exit_codes import Exit
from tests.fixtures.families import family, living
from tests.fixtures.until import CEILING, until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

LONGEST = 300.0  # seconds of one demo
KEEPS = "Everything keeps running until Ctrl-C."
QUIET = {name: value for name, value in os.environ.items() if name[:6] != "SIGMA_"}


class Demo:
    """The console script, in an environment without settings of ours.

    Attributes:
        heard: what it said so far.
        family: whom it started, as far as we looked.
    """

    def __init__(self, *arguments):
        self.heard, self.family = "", set()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cli.main", "demo", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=QUIET | {"PYTHONUNBUFFERED": "1"},
        )

    def says(self, words):
        """All that it says up to the line that has these words."""
        told = ""
        while words not in told:
            line = self._process.stdout.readline()
            self.heard += line
            told += line
            assert line, self.heard[-4000:]
        return told

    def stopped_by(self, name):
        """Its exit code after a signal; nothing that it started is left."""
        self.family |= family(self._process.pid)
        self._process.send_signal(name)
        self.heard += self._process.communicate(timeout=LONGEST)[0]
        until(lambda: not living(self.family), CEILING, lambda: living(self.family))
        return self._process.returncode

    def ended(self):
        """Its exit code, once it has ended by itself."""
        return self._process.wait(LONGEST)

    def end(self):
        """Whatever became of the test, nobody is left."""
        if self._process.poll() is None:
            self.stopped_by(signal.SIGTERM)
        self._process.stdout.close()


@contextmanager
def demo(*arguments):
    """A demo that runs until the end of the block at most."""
    running = Demo(*arguments)
    try:
        yield running
    finally:
        running.end()


def looked_into(shown):
    """What the dashboard and its answers are to who does as it is shown."""
    address = re.search(r"dashboard: http://(\S+)/ ", shown)[1]
    token = Path(re.search(r"^  cat (\S+)$", shown, re.MULTILINE)[1])
    token = token.read_text().strip()
    signed_in, bearer = f"sigma_token={token}", {"Authorization": f"Bearer {token}"}
    with closing(HTTPConnection(address, timeout=CEILING)) as connection:
        connection.request("GET", "/", headers={"Cookie": signed_in})
        page = connection.getresponse().read().decode()
        question = b'{"where": "age >= 60", "max_cost": 0}'
        connection.request("POST", "/v1/ask", question, bearer)
        return page, connection.getresponse().read().decode()


def test_the_demo_passes_its_own_checks_and_can_be_looked_into():
    """Rows, plan, churn, kills, recount, ledger, order, coverage, a table, a price."""
    with demo("--keep") as running:
        done = running.says(KEEPS)
        page, answer = looked_into(running.says("v1/ask\n"))
        code = running.stopped_by(signal.SIGINT)

    assert code == 0, running.heard[-4000:]
    assert "<html" in page
    assert '"status":"ok"' in answer
    assert "fail" not in done.split("Checks")[-1]
    shown = done.split("A histogram")[-1]
    assert "█" in shown
    assert "all rows together, 95 %" in shown
    assert re.search(r"price +0\.0000\d+ ρ", shown)
    assert "max_cost is 0 pρ; nothing was drawn or spent" in " ".join(shown.split())
    told = " ".join(done.split("Report")[-1].split())
    assert "a budget of 8 ε at δ = 1e-09, which is 0.732833287382 ρ" in told
    assert re.search(r"rows² foretold for a plan by strategy greedy", told)
    assert re.search(r"rows² foretold for Laplace noise with memo", told)
    assert "whoever changes is shown exactly" in told
    polled = told.split("What a poller learns")[-1]
    assert "fixed-noise 100% 100% 100%" in polled
    assert re.search(r"continual \d+% \d+% 53%", polled)


def test_the_demo_passes_them_under_the_rule_that_protects_every_change():
    """One charge for all epochs; less error than noise that is renewed as often."""
    with demo("--rule", "continual", "--keep") as running:
        done = running.says(KEEPS)
        code = running.stopped_by(signal.SIGTERM)

    assert code == 0, done[-4000:]
    assert "fail" not in done.split("Checks")[-1]
    told = " ".join(done.split("Report")[-1].split())
    assert "on fresh questions, and nothing for later epochs" in told
    assert "Every change of a row is protected, for good" in told
    assert re.search(
        r"rows² foretold for renew: noise anew in each of \d+ epochs", told
    )
    assert re.search(r"error: mean squared error [\d,]+ rows²; rule renew would", told)


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_who_stops_a_demo_early_leaves_nothing_running(name):
    """Servers and workers are processes of their own, which hear of no terminal."""
    with demo() as running:
        running.says("people move in")
        code = running.stopped_by(name)

    assert len(running.family) > 5
    assert code == Exit.INTERRUPTED


def test_half_a_pair_of_servers_is_refused_before_anything_starts():
    """A broker without a store would be a demo of nothing."""
    with demo("--kafka", "127.0.0.1:9") as running:
        running.says("nothing was started")
        assert running.ended() == 2
