"""The alert rules fire when they should and are silent else, as Prometheus reads them.

The series that are played to them, and what is to come of it, are in `alerts/`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAYED = Path(__file__).parent / "alerts"


@pytest.fixture(scope="module")
def promtool():
    """Prometheus' own tool: the one named by PROMTOOL, or on the path."""
    found = shutil.which(os.environ.get("PROMTOOL", "promtool"))
    return found or pytest.skip(
        "promtool is not installed: Debian has it in `prometheus`; PROMTOOL names it"
    )


def run(promtool, *arguments):
    """What it says, once it is content."""
    done = subprocess.run(
        [promtool, *arguments],
        cwd=PLAYED,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_prometheus_takes_the_rules_and_the_configuration(promtool):
    """The file that compose mounts names the rules, and both can be read."""
    said = run(promtool, "check", "config", ROOT / "config/prometheus.yml")

    assert re.search(r"SUCCESS: \d+ rules found", said)


@pytest.mark.parametrize("name", sorted(path.name for path in PLAYED.glob("*.yml")))
def test_the_rules_do_what_their_recorded_series_ask_for(promtool, name):
    """Each alert is played a case in which it fires and one in which it does not."""
    run(promtool, "test", "rules", name)


def test_every_alert_is_played():
    """A rule that no series made fire is one that never may."""
    rules = (ROOT / "config/alerts.yml").read_text(encoding="utf-8")
    played = "".join(path.read_text(encoding="utf-8") for path in PLAYED.glob("*.yml"))

    alerts = set(re.findall(r"- alert: (\w+)", rules))
    fired = set(re.findall(r"alertname: (\w+)\n +exp_alerts", played))

    assert alerts == fired
    assert len(alerts) > 10
