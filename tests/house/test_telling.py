"""What the service tells about itself: dials and log lines, never a count of people."""

from __future__ import annotations

import ast
import re

import pytest

from config import metrics
from config.metrics import LABELS, METRICS
from tests.house import tree

FORBIDDEN = {
    "cell",
    "cells",
    "code",
    "codes",
    "count",
    "counts",
    "delta",
    "deltas",
    "ids",
    "level",
    "noise",
    "noisy",
    "row",
    "rows",
    "total",
    "true",
    "truth",
    "value",
    "values",
    "where",
}
ACTS = {"debug", "info", "warning", "error"}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_a_dial_explains_itself(metric):
    """One line of words, a unit, and a name in Prometheus' manner."""
    assert re.fullmatch(r"sigma_[a-z_]+", metric.name)
    assert (metric.kind == "counter") == metric.name.endswith("_total")
    assert len(metric.doc.split()) >= 4
    assert metric.unit


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_no_dial_is_labelled_with_a_count_or_a_value(metric):
    """Labels come from short closed lists."""
    assert set(metric.labels) <= LABELS
    assert not LABELS & FORBIDDEN


@pytest.mark.parametrize(
    "name", [key for key, value in vars(metrics).items() if value in METRICS]
)
def test_every_dial_moves(name):
    """A dial that nothing sets shows a comfortable zero for ever."""
    users = [
        path
        for path in tree.code()
        if tree.module(path) != "config.metrics"
        and re.search(rf"\b{name}\b", path.read_text(encoding="utf-8"))
    ]

    assert users


def log_lines():
    """Every call of a log, with the file it stands in."""
    for path in tree.code():
        for node in ast.walk(tree.tree(path)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ACTS
                and re.search(r"\blog$", ast.unparse(node.func.value))
            ):
                yield pytest.param(node, id=f"{tree.name(path)}:{node.lineno}")


@pytest.mark.parametrize("call", list(log_lines()))
def test_a_log_line_is_an_event_without_values_of_rows(call):
    """A constant name, and facts that are none of the forbidden ones."""
    event = call.args[0]

    assert isinstance(event, ast.Constant)
    assert re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", event.value)
    assert not {fact.arg for fact in call.keywords} & FORBIDDEN


def test_only_the_log_itself_uses_logging():
    """Another way out would be a way around the rule."""
    users = {
        tree.module(path)
        for path in tree.code()
        if "logging" in {imported.split(".")[0] for imported in tree.imports(path)}
    }

    assert users <= {"config.logs", "cli.show"}  # the latter silences libraries
