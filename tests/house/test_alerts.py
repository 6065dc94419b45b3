"""Alert rules, dashboard and runbooks speak of metrics and of one another truly."""

from __future__ import annotations

import json
import re

import pytest

from config.metrics import METRICS
from tests.house import tree

CONFIG = tree.ROOT / "config"
RULES = (CONFIG / "alerts.yml").read_text(encoding="utf-8")
BOARD = json.loads((CONFIG / "grafana/dashboards/sigma.json").read_text("utf-8"))
RUNBOOKS = (tree.ROOT / "docs/runbooks.md").read_text(encoding="utf-8")
ALERTS = re.findall(r"- alert: (\w+)", RULES)
RECORDED = set(re.findall(r"- record: (\S+)", RULES))
KNOWN = {metric.name: metric for metric in METRICS}
# What Prometheus and its library add to every page.
THEIRS = {"job", "instance", "le", "alertname", "severity", "alertstate"}
LABELS = {label for metric in METRICS for label in metric.labels} | THEIRS


def expressions():
    """Every query of the rules and of the dashboard."""
    yield from re.findall(r"^ +expr: (.*)$", RULES, re.MULTILINE)
    for panel in BOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


def strange(expression):
    """Names and labels in a query that no metric has."""
    bare = re.sub(r'"[^"]*"', '""', expression)
    for name in re.findall(r"\bsigma_\w+", bare):
        stem = re.sub(r"_(bucket|count|sum)$", "", name)
        if stem not in KNOWN:
            yield name
    yield from set(re.findall(r"\bsigma:\w+", bare)) - RECORDED
    for name, inside in re.findall(r"\b(sigma_\w+){([^}]*)}", bare):
        metric = KNOWN.get(re.sub(r"_(bucket|count|sum)$", "", name))
        labels = set(re.findall(r"(\w+) *(?:=~|!=|!~|=)", inside))
        yield from labels - THEIRS - set(metric.labels if metric else ())
    for listed in re.findall(r"\b(?:by|on|ignoring|group_right) \(([^)]*)\)", bare):
        yield from set(re.findall(r"\w+", listed)) - LABELS


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_a_query_names_metrics_and_labels_that_exist(expression):
    """One that is misspelt is silent for ever, and looks like good health."""
    assert not list(strange(expression))


def test_a_misspelt_one_would_be_seen():
    """The test above can fail, in each of its four ways."""
    wrong = (
        'sum by (town) (sigma_lagg{topic="a"})'
        ' + sigma_ready{purpose="x"} + sigma:nothing'
        ' + sigma_epoch_seconds_bucket{le="1"}'
    )

    assert set(strange(wrong)) == {
        "town",
        "sigma_lagg",
        "topic",
        "purpose",
        "sigma:nothing",
    }


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_has_a_runbook(alert):
    """Whoever is woken reads what it means, what to look at and what to do."""
    part = re.search(
        rf"^## {alert}\n(.*?)(?=^## |\Z)", RUNBOOKS, re.MULTILINE | re.DOTALL
    )
    rule = re.search(rf"- alert: {alert}\n(.*?)(?=- alert|\Z)", RULES, re.DOTALL)

    assert part
    for asked in ("**Privacy.**", "**Counts.**", "**Look at**", "**Do**"):
        assert asked in part[1]
    assert f"runbook: runbooks.md#{alert.lower()}\n" in rule[1]


def test_no_runbook_outlives_its_alert():
    """A page about an alert that cannot come misleads."""
    assert re.findall(r"^## (\w+)$", RUNBOOKS, re.MULTILINE) == ALERTS


def test_labels_in_what_is_said_of_an_alert_exist():
    """Templates are filled with the labels of metrics."""
    assert set(re.findall(r"\$labels\.(\w+)", RULES)) <= LABELS


def test_compose_mounts_what_is_provisioned():
    """Rules, source and dashboard are where Prometheus and Grafana look."""
    compose = (tree.ROOT / "docker-compose.yml").read_text(encoding="utf-8")

    mounted = re.findall(r"- \./(config/\S+?):", compose)

    assert {"config/alerts.yml", "config/prometheus.yml"} <= set(mounted)
    assert all((tree.ROOT / path).exists() for path in mounted)
    provider = (CONFIG / "grafana/provisioning/dashboards/sigma.yml").read_text("utf-8")
    folder = re.search(r"path: (\S+)", provider)[1]
    assert f"./config/grafana/dashboards:{folder}:ro" in compose


def test_each_panel_says_what_it_shows():
    """A title, a unit and words for whoever sees it for the first time."""
    for panel in BOARD["panels"]:
        assert panel["title"]
        assert len(panel["description"].split()) >= 4
        assert "unit" in panel["fieldConfig"]["defaults"]
