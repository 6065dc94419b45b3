"""The whole city, through the console script: the demo's own checks are the test."""

import os
import re
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
    """Rows, plan, churn, kills, recount, ledger, order, coverage, a table, a price."""
    done = demo()

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "fail" not in done.stdout.split("Checks")[-1]
    shown = done.stdout.split("A histogram")[-1]
    assert "█" in shown
    assert "all rows together, 95 %" in shown
    assert re.search(r"price +0\.0000\d+ ρ", shown)
    assert "max_cost is 0 pρ; nothing was drawn or spent" in " ".join(shown.split())
    told = " ".join(done.stdout.split("Report")[-1].split())
    assert "a budget of 8 ε at δ = 1e-09, which is 0.732833287382 ρ" in told
    assert re.search(r"rows² foretold for a plan by strategy greedy", told)
    assert re.search(r"rows² foretold for Laplace noise with memo", told)
    assert "whoever changes is shown exactly" in told
    polled = told.split("What a poller learns")[-1]
    assert "fixed-noise 100% 100% 100%" in polled
    assert re.search(r"continual \d+% \d+% 53%", polled)


def test_the_demo_passes_them_under_the_rule_that_protects_every_change():
    """One charge for all epochs; less error than noise that is renewed as often."""
    done = demo("--rule", "continual")

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "fail" not in done.stdout.split("Checks")[-1]
    told = " ".join(done.stdout.split("Report")[-1].split())
    assert "on fresh questions, and nothing for later epochs" in told
    assert "Every change of a row is protected, for good" in told
    assert re.search(
        r"rows² foretold for renew: noise anew in each of \d+ epochs", told
    )
    assert re.search(r"error: mean squared error [\d,]+ rows²; rule renew would", told)


def test_half_a_pair_of_servers_is_refused_before_anything_starts():
    """A broker without a store would be a demo of nothing."""
    done = demo("--kafka", "127.0.0.1:9")

    assert done.returncode == 2
    assert "nothing was started" in done.stdout
