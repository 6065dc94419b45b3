"""What a metric is made of: its kind, unit and labels, each from a short list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

MetricKind = Literal["counter", "gauge", "histogram"]
LABELS: Final = frozenset(
    [
        "role",
        "topic",
        "partition",
        "stage",
        "reason",
        "route",
        "status",
        "purpose",
        "act",
        "version",
        "python",
    ]
)
BUCKETS: Final = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric; nothing else in the code spells its name.

    Attributes:
        name: as Prometheus shows it.
        kind: counter only rises, gauge is set, histogram sorts durations.
        unit: what its value counts.
        doc: one sentence for the operator.
        labels: names of its labels, from ``LABELS``.
    """

    name: str
    kind: MetricKind
    unit: str
    doc: str
    labels: tuple[str, ...] = ()
