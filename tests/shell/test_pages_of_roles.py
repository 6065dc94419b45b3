"""The metrics page of each role: all that it knows, and nothing of what it does not."""

from __future__ import annotations

import re

import pytest
from kafka import KafkaProducer

from config.gateway import GatewaySettings
from embedded.local_gateway import LocalGateway
from streams.wire.codec import encode
from streams.wire.messages.events import QueryAsked, RowChanged
from tests.fixtures.worker_processes import PEOPLE, page, worker_processes

pytestmark = [pytest.mark.redis, pytest.mark.kafka]

COMMON = {"sigma_ready", "sigma_build_info"}
READS = {"sigma_lag_records", "sigma_batch_seconds", "sigma_rebalances_total"}
LEADS = {"sigma_leading", "sigma_plans_decided_total", "sigma_long_act_seconds"}
ANSWERS = {"sigma_answers_total", "sigma_answer_seconds"}
# In this life each of these moves.
MOVED = {
    "counter": COMMON | READS | {"sigma_records_total", "sigma_dead_letters_total"},
    "responder": COMMON
    | READS
    | ANSWERS
    | {"sigma_dead_letters_total", "sigma_standing_questions"},
    "curator": COMMON
    | LEADS
    | ANSWERS
    | {
        "sigma_epoch",
        "sigma_epoch_age_seconds",
        "sigma_epoch_as_of_seconds",
        "sigma_epoch_seconds",
        "sigma_frozen",
        "sigma_budget_limit",
        "sigma_budget_spent",
        "sigma_budget_left",
        "sigma_charges_refused_total",
        "sigma_plan_version",
        "sigma_plan_groups",
        "sigma_plan_atoms",
    },
    "reclusterer": COMMON | LEADS | {"sigma_plan_gain"},
    "gateway": COMMON
    | {
        "sigma_http_requests_total",
        "sigma_http_seconds",
        "sigma_http_in_flight",
        "sigma_http_listeners",
    },
}
# Of any role, and only when something went wrong.
RARE = {"sigma_retries_total", "sigma_fenced_total", "sigma_dead_letters_total"}
EAGER = {
    "SIGMA_PRIVACY_CLIENT_QUOTA": "20000",  # one fresh answer
    "SIGMA_RECLUSTER_SECONDS": "0.5",
    "SIGMA_RECLUSTER_MIN_QUERIES": "1",
    "SIGMA_RECLUSTER_MIN_GAIN": "0.001",
}


def test_each_role_shows_what_it_sets_and_nothing_else(
    kafka, redis_server, dataset, tmp_path
):
    """Five of six processes once said that no budget was left."""
    with worker_processes(kafka, redis_server, PEOPLE, dataset, tmp_path) as processes:
        live(kafka, processes.topics)
        gateway = LocalGateway.of(GatewaySettings(port=0), tmp_path)
        members = {}
        for role in MOVED:  # a plan would answer all for nothing: it comes last
            own = gateway.environment() if role == "gateway" else {}
            members[role] = processes.start(role, **EAGER, **own)[0]
            if role == "curator":
                processes.wait(lambda: refused(members["curator"]))

        processes.wait(lambda: planned(members["curator"]))
        live(kafka, processes.topics)  # the plan answers now
        processes.wait(members["gateway"].ready)
        assert gateway.asked({"where": "sex = 'F'", "max_cost": 0})[0] == 200
        for role, member in members.items():
            processes.wait(lambda m=member, r=role: shown(m) >= MOVED[r])
        names = {role: shown(member) for role, member in members.items()}
        curator = page(members["curator"], "metrics")

    for role, found in names.items():
        assert found <= MOVED[role] | RARE, role
    assert sum(figures(curator, "sigma_budget_spent")) > 0


def live(kafka, topics):
    """Rows, questions within and beyond a quota, and records that mean nothing."""
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap)
    for number in range(20):
        row = {"sex": "FM"[number % 2], "city": "Rome", "job": "cook"}
        event = RowChanged(op="insert", id=f"p{number}", row=row)
        producer.send(topics.rows.name, key=event.id.encode(), value=encode(event))
    asked = ("sex = 'F'", "city = 'Rome'", "job = 'cook'", "sex = 'F' AND job = 'cook'")
    for number, where in enumerate(asked * 3):
        question = QueryAsked(request_id=f"r{number}", client="ada", where=where)
        producer.send(topics.queries.name, key=b"ada", value=encode(question))
    for topic in (topics.rows, topics.queries):
        producer.send(topic.name, key=b"x", value=b"nonsense")
    producer.close()


def planned(member):
    """A plan was adopted."""
    return max(figures(page(member, "metrics"), "sigma_plan_version"), default=0)


def refused(member):
    """Charges for fresh questions that were refused."""
    name = 'sigma_charges_refused_total{purpose="fresh"}'
    return re.findall(rf"^{name} (\S+)$", page(member, "metrics"), re.MULTILINE)


def shown(member):
    """Names of our metrics on its page."""
    typed = re.findall(
        r"^# TYPE (sigma_\w+) \w+$", page(member, "metrics"), re.MULTILINE
    )
    return {name for name in typed if not name.endswith("_created")}


def figures(text, name):
    """Every figure of a metric."""
    found = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE)
    return [float(figure) for figure in found]
