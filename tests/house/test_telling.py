"""What the service says of itself: metrics and log lines, never a count of people."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from config import metrics
from config.metrics import METRICS
from config.metrics.metric_types import LABELS
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


NAMED = {key: value for key, value in vars(metrics).items() if value in METRICS}
MOVES = {"counter": "inc", "gauge": "set", "histogram": "observe"}


@cache
def moved():
    """Kind of movement and metric of every call that moves one, in the packages."""
    return {
        (act, tree.last_name(call.args[0]))
        for path in tree.code()
        if not tree.module(path).startswith("config.metrics")
        for act, call in tree.calls(path)
        if act in MOVES.values() and call.args
    }


@pytest.mark.parametrize("name", NAMED)
def test_every_dial_moves(name):
    """One that no call moves is one that nobody ever sees.

    Calls in the syntax tree are counted, not words: an exit code called ``REFUSED``
    once stood in for charges that nobody counted.
    """
    assert (MOVES[NAMED[name].kind], name) in moved()


@cache
def texts_of_tests():
    """Every string in a test, but those of the rules of the house."""
    return [
        node.value
        for path in tree.python()
        if tree.name(path).startswith("tests/") and "/house/" not in tree.name(path)
        for node in ast.walk(tree.tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize("name", NAMED)
def test_every_dial_is_seen_to_move_by_some_test(name):
    """Its own name, as a page or a registry shows it, stands in a test's text."""
    shown = rf"\b{NAMED[name].name}(_bucket|_count|_sum)?\b"

    assert any(re.search(shown, text) for text in texts_of_tests())


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

    assert users <= {"config.logs", "cli.terminal"}  # the latter silences libraries
