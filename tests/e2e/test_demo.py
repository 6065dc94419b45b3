"""The whole city, through the console script: the demo's own checks are the test."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


def demo(*arguments):
    """The console script, in an environment without settings of ours."""
    return subprocess.run(
        [sys.executable, "-m", "cli.main", "demo", *arguments],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env={k: v for k, v in os.environ.items() if not k.startswith("SIGMA_")},
    )


def test_the_demo_passes_its_own_checks():
    """Rows, plan, churn, kills, recount, ledger, order and coverage in one run."""
    done = demo()

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "fail" not in done.stdout.split("Checks")[-1]


def test_half_a_pair_of_servers_is_refused_before_anything_starts():
    """A broker without a store would be a demo of nothing."""
    done = demo("--kafka", "127.0.0.1:9")

    assert done.returncode == 2
    assert "nothing was started" in done.stdout
