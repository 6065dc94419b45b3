"""Spellings: two texts of one set that get two keys, or two sets that get one.

In the first case the second spelling buys a second noise for one count; in the second
it is told another set's count. The oracle knows rows and SQL's three truth values, and
nothing of levels, bins, blocks or tables (tests/core/small_domain.py). All conditions
of a run are held against each other, and each is spelled in several ways. Deterministic
in its criterion; Hypothesis chooses what is tried.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from sigmacount.language import parse
from tests.core.small_domain import SCHEMA, conditions, rows_of, text

pytestmark = pytest.mark.attack

CONDITIONS = 250
WAYS = [
    "{0}",
    "({0}) IS TRUE",
    "NOT (({0}) IS NOT TRUE)",
    "({0}) AND ({0})",
    "FALSE OR ({0})",
    "  {0} -- nothing\n",
    "({0}) OR (({0}) AND sex = 'F')",
    "(sex = 'F' AND ({0})) OR ((sex <> 'F' OR sex IS NULL) AND ({0}))",
]


def test_one_set_one_key_however_it_is_spelled(figures, times):
    """Over all pairs of all spellings of a run."""
    keys, sets, spelled = {}, {}, []

    @settings(max_examples=CONDITIONS * times, database=None)
    @given(conditions)
    def play(condition):
        rows = rows_of(condition).tobytes()
        for way in WAYS:
            key = parse(SCHEMA, way.format(text(condition))).key
            assert keys.setdefault(rows, key) == key
            assert sets.setdefault(key, rows) == rows
            spelled.append(key)

    play()

    assert len(keys) == len(sets) > 1
    figures(f"{len(spelled):,} spellings of {len(sets)} sets, 0 false keys")
