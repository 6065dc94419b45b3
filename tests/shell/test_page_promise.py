"""The page Promise: what is protected, in the words of `sigma describe`."""

from __future__ import annotations

import html
import re

import pytest

from dashboard import whole
from dashboard.pages.promise import promise_page
from sigmaclient import DatasetSchema
from tests.fixtures.catalogs import published
from views.asking import promise as words
from views.asking import schema

MOVED = "odds of 1 : 1 become at most 1.11 : 1"
KINDS = [
    ("epsilon", "continual"),
    ("rho", "continual"),
    ("rho", "renew"),
    ("epsilon", "fixed-noise"),
]


def text_of(page):
    """The page as a person reads it."""
    made = whole("promise.html", page, "/promise", "ada")
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", made)))


@pytest.mark.parametrize(("measure", "rule"), KINDS)
def test_the_page_says_all_that_describe_says(measure, rule):
    """Every fact of `sigma describe` is on it, word for word."""
    catalog = published(measure, rule)
    text = text_of(promise_page(catalog))

    said = DatasetSchema.of(catalog)
    facts = dict(words.facts(said))
    [table] = schema.promise(said)
    shown = [str(cell) for column in table.columns for cell in column.cells]
    assert len(facts) == table.row_count > 4
    for name, fact in facts.items():
        assert fact in text
        assert any(name in cell for cell in shown)


def test_a_row_that_changes_every_day_is_spoken_of():
    """Each of its changes is protected, its year is not."""
    text = text_of(promise_page(published("rho")))

    assert "a row that changes every day each change is protected" in text
    assert "its year as a whole is not" in text
    assert "Not protected" not in text


def test_exact_changes_are_warned_of():
    """Under the paper's rule two epochs differ by the true change."""
    text = text_of(promise_page(published(rule="fixed-noise")))

    assert "Not protected: two epochs differ by the exact change" in text


@pytest.mark.parametrize(
    ("epsilon", "delta", "said"),
    [
        (1.0, None, "odds of 1 : 1 become at most 2.72 : 1"),
        (4.0, None, "odds of 1 : 1 become at most 54.60 : 1"),
        (
            0.1,
            1e-9,
            f"set aside outcomes of a probability of at most 1e-09, and {MOVED}",
        ),
        (900.0, None, "odds of 1 : 1 become at most e^900 : 1, which bounds nothing"),
    ],
)
def test_odds_are_rounded_up(epsilon, delta, said):
    """As the table of docs/guarantee.md has them."""
    assert words.odds(epsilon, delta) == said


def test_before_a_curator_led_nothing_is_promised():
    """The page says what it waits for."""
    assert "a curator publishes the catalog" in text_of(promise_page(None))
