"""The metrics: all registered, each used the way it was declared."""

from __future__ import annotations

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from config import metrics as register
from config.metrics import METRICS, Metric, Metrics


@pytest.fixture
def registry():
    """A registry of this test alone."""
    return CollectorRegistry()


def test_the_register_holds_every_metric_of_the_module():
    """A metric that is named is a metric that exists."""
    named = [value for value in vars(register).values() if isinstance(value, Metric)]

    assert set(named) == set(METRICS)
    assert len(METRICS) > 20


def test_two_processes_may_share_an_interpreter(registry):
    """Metrics live on the registry they are given, not on a global one."""
    Metrics(registry)
    Metrics(CollectorRegistry())


@pytest.mark.parametrize(
    ("act", "metric", "line"),
    [
        ("inc", register.FENCED, 'sigma_fenced_total{role="counter"} 2.0'),
        ("set", register.READY, 'sigma_ready{role="counter"} 2.0'),
    ],
    ids=["counter", "gauge"],
)
def test_a_dial_shows_what_it_was_told(registry, act, metric, line):
    """The exposition carries name, label and value."""
    getattr(Metrics(registry), act)(metric, 2, role="counter")

    assert line in generate_latest(registry).decode()


def test_a_dial_that_never_moved_is_not_shown(registry):
    """A budget of 0 that nobody knows would be read as one that is used up."""
    metrics = Metrics(registry)

    metrics.set(register.EPOCH, 3)

    names = {metric.name for metric in registry.collect()}
    assert names == {"sigma_epoch"}


def test_a_duration_falls_into_its_bucket(registry):
    """0.2 s lies between 0.1 s and 0.3 s."""
    Metrics(registry).observe(register.EPOCH_SECONDS, 0.2, stage="read")

    shown = generate_latest(registry).decode()
    assert 'sigma_epoch_seconds_bucket{le="0.1",stage="read"} 0.0' in shown
    assert 'sigma_epoch_seconds_bucket{le="0.3",stage="read"} 1.0' in shown


def test_a_gauge_cannot_be_raised_like_a_counter(registry):
    """The kind is part of the declaration."""
    with pytest.raises(TypeError, match="sigma_epoch is a gauge"):
        Metrics(registry).inc(register.EPOCH)
