"""The metrics of one process: what is shown, and from when on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from config.metrics.metric_types import BUCKETS, Metric, MetricKind
from config.retried_acts import RetriedActs

FAMILIES: Final[Mapping[MetricKind, Any]] = {
    "counter": Counter,
    "gauge": Gauge,
    "histogram": Histogram,
}


class Metrics:
    """The metrics of one process, on a registry that the caller owns.

    A metric is there from the first time that it moves: a role shows nothing of what it
    never knows, for a 0 would be read as a true one.

    Attributes:
        acts: what the process tries in vain now; its page and a metric name them.
    """

    __slots__ = ("_children", "_families", "_registry", "acts")

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry, self.acts = registry, RetriedActs()
        self._families: dict[Metric, Any] = {}
        self._children: dict[tuple[str, ...], Any] = {}

    def inc(self, metric: Metric, by: float = 1, **labels: str) -> None:
        """Raise a counter."""
        self._child(metric, "counter", labels).inc(by)

    def set(self, metric: Metric, value: float, **labels: str) -> None:
        """Set a gauge."""
        self._child(metric, "gauge", labels).set(value)

    def observe(self, metric: Metric, seconds: float, **labels: str) -> None:
        """Sort one duration into a histogram."""
        self._child(metric, "histogram", labels).observe(seconds)

    def _child(
        self, metric: Metric, kind: MetricKind, labels: Mapping[str, str]
    ) -> Any:  # noqa: ANN401
        """The metric of these labels; they are few, so each is kept once found."""
        key = metric.name, kind, *labels.values()
        found = self._children.get(key)
        if found is None:
            family = self._family(metric, kind)
            found = self._children[key] = family.labels(**labels) if labels else family
        return found

    def _family(self, metric: Metric, kind: MetricKind) -> Any:  # noqa: ANN401
        if metric.kind != kind:
            msg = f"{metric.name} is a {metric.kind}, not a {kind}"
            raise TypeError(msg)
        if metric not in self._families:
            words = f"{metric.doc} ({metric.unit})"
            more = {"buckets": BUCKETS} if kind == "histogram" else {}
            self._families[metric] = FAMILIES[kind](
                metric.name, words, metric.labels, registry=self._registry, **more
            )
        return self._families[metric]
