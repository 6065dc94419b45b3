"""Metrics of the gateway: requests over HTTP, by page and status, never by client."""

from __future__ import annotations

from typing import Final

from config.metrics.metric_types import Metric

HTTP_REQUESTS = Metric(
    "sigma_http_requests_total",
    "counter",
    "requests",
    "requests to the gateway, by what they ask for and how they ended",
    ("act", "status"),
)
HTTP_SECONDS = Metric(
    "sigma_http_seconds",
    "histogram",
    "s",
    "time from a request's head to its reply, the wait for answers included",
    ("act",),
)
HTTP_IN_FLIGHT = Metric(
    "sigma_http_in_flight",
    "gauge",
    "questions",
    "questions over HTTP that wait for their answer",
)
HTTP_LISTENERS = Metric(
    "sigma_http_listeners",
    "gauge",
    "listeners",
    "who listens to answers as they come, over HTTP",
)
HTTP: Final = (HTTP_REQUESTS, HTTP_SECONDS, HTTP_IN_FLIGHT, HTTP_LISTENERS)
