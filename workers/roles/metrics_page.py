"""The page /metrics of one role: its own metrics, its process, its build."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib import metadata

from prometheus_client import ProcessCollector
from prometheus_client.exposition import choose_encoder

from config.metrics import BUILD, FAILING, READY
from workers.roles.parts import RoleParts

DISTRIBUTION = "sigma-counting"


class MetricsPage:
    """What Prometheus reads of one process, in the format that it asks for.

    Of the process it shows memory, processor time and open files: how busy a worker
    is, which is the operator's like all else here.
    """

    def __init__(self, parts: RoleParts, ready: Callable[[], bool]) -> None:
        self._parts, self._ready = parts, ready
        ProcessCollector(registry=parts.registry)
        parts.metrics.set(
            BUILD,
            1,
            role=parts.role,
            version=version(),
            python=platform.python_version(),
        )

    def shown(self, accept: str = "") -> tuple[bytes, str]:
        """The page as it is now, and its content type.

        OpenMetrics where the header ``Accept`` names it, else Prometheus' text.
        """
        role, metrics = self._parts.role, self._parts.metrics
        metrics.set(READY, int(self._ready()), role=role)
        for act, seconds in metrics.acts.failing().items():
            metrics.set(FAILING, seconds, role=role, act=act)
        encode, content_type = choose_encoder(accept)
        return encode(self._parts.registry), content_type


def version() -> str:
    """Of this service, as installed."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "not installed"
