"""One register of every metric: name, kind, unit, and the line that explains it.

No metric shows a true count or anything derived from rows other than how many events
passed, and those are the operator's: on the worker's own port, never on what analysts
read. Labels come from short closed lists; none carries a name, a value or a count.
"""

from __future__ import annotations

from typing import Final

from config.metrics.http import HTTP
from config.metrics.metric_types import Metric

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
BUILD = Metric(
    "sigma_build_info",
    "gauge",
    "always 1",
    "which release of the service runs, on which Python",
    ("role", "version", "python"),
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
EPOCH_AS_OF = Metric(
    "sigma_epoch_as_of_seconds",
    "gauge",
    "s since 1970",
    "when the published epoch was made; a curator that hangs lets it stand",
)
EPOCH_EVERY = Metric(
    "sigma_epoch_every_seconds",
    "gauge",
    "s",
    "time between two epochs, under the rules that publish by the clock",
)
QUESTIONS_KEPT = Metric(
    "sigma_questions_kept",
    "gauge",
    "counters",
    "counters of fresh questions that were paid for, under continual, and are kept",
)
QUESTIONS_FORGOTTEN = Metric(
    "sigma_questions_forgotten_total",
    "counter",
    "counters",
    "counters of fresh questions that were put away, as nobody asked for 90 days",
)
EPOCH_SECONDS = Metric(
    "sigma_epoch_seconds",
    "histogram",
    "s",
    "time one stage of making an epoch takes",
    ("stage",),
)
FIT_STEPS = Metric(
    "sigma_fit_steps",
    "gauge",
    "steps",
    "steps of the last fit of tables that are estimated together",
)
FLAT_WORDS = "how much of flat tables the last fit took in against negative cells"
FIT_FLAT = Metric("sigma_fit_flat_ratio", "gauge", "share", FLAT_WORDS)
LONG_WORDS = "time for which an act beside the event loop has lasted; 0 once over"
LONG_ACT = Metric("sigma_long_act_seconds", "gauge", "s", LONG_WORDS, ("act",))
FROZEN = Metric(
    "sigma_frozen",
    "gauge",
    "yes or no",
    "1 when no epoch follows and the last one is served; the head says why",
)
LIMIT = Metric(
    "sigma_budget_limit",
    "gauge",
    "µε, or pρ of zcdp",
    "what the dataset may spend in all",
)
SPENT = Metric(
    "sigma_budget_spent",
    "gauge",
    "µε, or pρ of zcdp",
    "what the dataset has spent so far, by purpose",
    ("purpose",),
)
LEFT = Metric(
    "sigma_budget_left",
    "gauge",
    "µε, or pρ of zcdp",
    "what the dataset may still spend",
)
SURCHARGES_LEFT = Metric(
    "sigma_surcharges_left",
    "gauge",
    "µε",
    "what a dataset that counts in zcdp may still pay for showing noise again",
)
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
    "sigma_plan_groups",
    "gauge",
    "tables",
    "algebras, or tables estimated together, that the plan in force shows",
)
PLAN_ATOMS = Metric(
    "sigma_plan_atoms", "gauge", "atoms", "counts that the plan in force shows an epoch"
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

METRICS: Final = tuple(  # every Metric named above, and the gateway's
    value for value in (*globals().values(), *HTTP) if isinstance(value, Metric)
)
