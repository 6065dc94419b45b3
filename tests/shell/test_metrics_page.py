"""The page /metrics of a role: its build, its process, and the format asked for."""

from __future__ import annotations

import platform
import re
import sys
from types import SimpleNamespace

import pytest
from prometheus_client import CollectorRegistry

from config.metrics import Metrics
from workers.roles.metrics_page import MetricsPage, version

OPEN_METRICS = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"


@pytest.fixture
def metrics_page():
    """Of a counter that does its work."""
    registry = CollectorRegistry()
    parts = SimpleNamespace(
        role="counter", registry=registry, metrics=Metrics(registry)
    )
    return MetricsPage(parts, lambda: True)


def test_it_says_which_build_runs(metrics_page):
    """Two releases side by side can be told apart."""
    page = metrics_page.shown()[0].decode()

    labels = re.search(r"^sigma_build_info{(.*)} 1\.0$", page, re.MULTILINE)[1]
    assert dict(re.findall(r'(\w+)="([^"]*)"', labels)) == {
        "role": "counter",
        "version": version(),
        "python": platform.python_version(),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
@pytest.mark.parametrize(
    "name",
    [
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_start_time_seconds",
    ],
)
def test_it_shows_the_process(metrics_page, name):
    """Memory that grows is seen before the machine ends the worker."""
    page = metrics_page.shown()[0].decode()

    shown = re.search(rf"^{name} (\S+)$", page, re.MULTILINE)
    assert float(shown[1]) > 0


def test_who_asks_for_open_metrics_gets_it(metrics_page):
    """It ends as that format does, and its type says so."""
    page, content_type = metrics_page.shown(OPEN_METRICS)

    assert content_type.startswith("application/openmetrics-text; version=1.0.0")
    assert page.endswith(b"# EOF\n")


def test_who_asks_for_nothing_gets_the_text_of_prometheus(metrics_page):
    """As before: nobody has to know of the other format."""
    page, content_type = metrics_page.shown()

    assert content_type.startswith("text/plain; version=0.0.4")
    assert b"# EOF" not in page
    assert b'sigma_ready{role="counter"} 1.0' in page
