"""One register of every metric: name, kind, unit, and the line that explains it.

No metric shows a true count or anything derived from rows other than how many events
passed, and those are the operator's: on the worker's own port, never on what analysts
read. Labels come from short closed lists; none carries a name, a value or a count.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from config.metric_types import BUCKETS, Metric, MetricKind
from config.retried_acts import RetriedActs

FAMILIES: Final[Mapping[MetricKind, Any]] = {
    "counter": Counter,
    "gauge": Gauge,
    "histogram": Histogram,
}
LAG = Metric(
    "sigma_lag_records",
    "gauge",
    "records",
    "records between the worker and the end of the partition",
    ("topic", "partition"),
)
RECORDS = Metric(
    "sigma_records_total",
    "counter",
    "records",
    "records taken from a topic, good and bad",
    ("topic",),
)
BATCH_SECONDS = Metric(
    "sigma_batch_seconds",
    "histogram",
    "s",
    "time one batch spends in one stage of a worker",
    ("role", "stage"),
)
DEAD_LETTERS = Metric(
    "sigma_dead_letters_total",
    "counter",
    "records",
    "records set aside because they could not be read",
    ("topic", "reason"),
)
RETRIES = Metric(
    "sigma_retries_total",
    "counter",
    "acts",
    "acts repeated after a failure that may pass",
    ("role", "reason"),
)
FAILING = Metric(
    "sigma_failing_seconds",
    "gauge",
    "s",
    "time for which an act has failed, try after try; 0 once it succeeds",
    ("role", "act"),
)
REBALANCES = Metric(
    "sigma_rebalances_total",
    "counter",
    "rebalances",
    "times the partitions of a worker were dealt anew",
    ("role",),
)
FENCED = Metric(
    "sigma_fenced_total",
    "counter",
    "acts",
    "writes refused because a newer owner had taken over",
    ("role",),
)
READY = Metric(
    "sigma_ready", "gauge", "yes or no", "1 while the worker does its work", ("role",)
)
LEADING = Metric(
    "sigma_leading",
    "gauge",
    "yes or no",
    "1 while this process holds the lease of its role",
    ("role",),
)
EPOCH = Metric("sigma_epoch", "gauge", "epochs", "number of the published epoch")
EPOCH_AGE = Metric(
    "sigma_epoch_age_seconds", "gauge", "s", "age of the published epoch"
)
EPOCH_SECONDS = Metric(
    "sigma_epoch_seconds",
    "histogram",
    "s",
    "time one stage of making an epoch takes",
    ("stage",),
)
FROZEN = Metric(
    "sigma_frozen",
    "gauge",
    "yes or no",
    "1 when the ledger refused the next epoch and the last one is served",
)
LIMIT = Metric("sigma_budget_limit", "gauge", "µε", "what the dataset may spend in all")
SPENT = Metric(
    "sigma_budget_spent",
    "gauge",
    "µε",
    "what the dataset has spent so far, by purpose",
    ("purpose",),
)
LEFT = Metric("sigma_budget_left", "gauge", "µε", "what the dataset may still spend")
REFUSED = Metric(
    "sigma_charges_refused_total",
    "counter",
    "charges",
    "charges the ledger refused; each was an act that did not happen",
    ("purpose",),
)
ANSWERS = Metric(
    "sigma_answers_total",
    "counter",
    "answers",
    "answers given, by the way they were found and how they ended",
    ("route", "status"),
)
ANSWER_SECONDS = Metric(
    "sigma_answer_seconds",
    "histogram",
    "s",
    "time from a question's arrival at the broker to its answer",
    ("route",),
)
STANDING_WORDS = "standing questions in the partitions of this worker"
STANDING = Metric("sigma_standing_questions", "gauge", "questions", STANDING_WORDS)
REPLIES_MOVED = Metric(
    "sigma_replies_moved_total",
    "counter",
    "answers",
    "answers that are not in the topic or partition that their questions asked for",
    ("reason",),
)
PLAN = Metric("sigma_plan_version", "gauge", "plans", "version of the plan in force")
PLAN_GROUPS = Metric(
    "sigma_plan_groups", "gauge", "algebras", "algebras of the plan in force"
)
PLAN_ATOMS = Metric(
    "sigma_plan_atoms", "gauge", "atoms", "atoms of all algebras of the plan in force"
)
PLAN_GAIN = Metric(
    "sigma_plan_gain",
    "gauge",
    "share of 1",
    "predicted error saved by the last plan considered, taken or not",
)
PLANS_DECIDED = Metric(
    "sigma_plans_decided_total",
    "counter",
    "plans",
    "plans proposed, adopted or turned down, and why",
    ("role", "reason"),
)

METRICS: Final = tuple(  # every Metric named above
    value for value in tuple(globals().values()) if isinstance(value, Metric)
)


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
