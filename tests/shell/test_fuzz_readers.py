"""Every reader of a message: whatever bytes come, one outcome, and a quick one."""

from __future__ import annotations

import base64

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import InvalidMessage, InvalidPlan, InvalidPredicate
from sigmacount.language import parse
from sigmacount.mechanisms import DiscreteLaplace
from sigmacount.release import Group, Plan
from sigmacount.sets import Algebra, Query
from streams.formats.native import RowCodec
from streams.wire.codec import decode
from streams.wire.messages.audit_events import AnyAuditEvent
from streams.wire.messages.events import (
    FreshCountAsked,
    PlanProposed,
    QueryAnswered,
    QueryAsked,
    QueryLogged,
)
from streams.wire.messages.memos import Memo
from tests.fixtures.hostile import SCHEMA, raw, short, spoilt, texts, values, wheres
from tests.fixtures.pace import pace
from tests.fixtures.row_events import Raw
from workers.answering.asking.reply_address import reply_address

LONGEST_SENTENCE = 300
LOOPS = 7  # 1.1 at most; a look at every pair of places took 15
QUERY = parse(SCHEMA, "sex = 'F' OR age < 10")
PLAN = Plan(
    1,
    (Group(Algebra.full(SCHEMA, [0, 1]), DiscreteLaplace.costing(10_000)),),
    DiscreteLaplace.costing(20_000),
)
WIRES = [
    QueryAsked(request_id="r", client="c", where={"age": {"ge": 10}}),
    QueryAnswered(request_id="r", client="c", status="ok", count=3, interval=(1, 5)),
    Memo(request_id="r", client="c", status="ok", query=QUERY.to_wire()),
    FreshCountAsked(
        request_id="r",
        client="c",
        key=QUERY.key,
        query=QUERY.to_wire(),
        asked_ms=1,
        correlation=b"\xff",
    ),
    QueryLogged(
        key=QUERY.key,
        query=QUERY.to_wire(),
        attributes=("sex",),
        client="c",
        times=1,
        route="fresh",
        ts_ms=1,
    ),
    PlanProposed(
        dataset="d",
        version=1,
        based_on=0,
        plan=PLAN.to_wire(),
        reason=("words",),
        made_ms=1,
    ),
]
FORMS = [msgspec.json.decode(msgspec.json.encode(each)) for each in WIRES]
KINDS = [*map(type, WIRES), AnyAuditEvent]
spoiled = short(st.sampled_from(FORMS).flatmap(spoilt))
strange = raw(spoiled | values) | st.binary(max_size=60)


@given(value=strange)
def test_a_message_is_an_event_or_refused(value):
    """And what is told of the refusal is one short sentence."""
    for kind in KINDS:
        refused = _refusal(InvalidMessage, lambda kind=kind: decode(kind, value))
        assert len(str(refused)) < LONGEST_SENTENCE


@given(value=strange, headers=st.lists(st.tuples(st.text(), st.none() | st.binary())))
def test_who_sent_it_is_told_within_bounds(value, headers):
    """Whatever is repeated in an answer is short text."""
    found = reply_address(value, headers)

    assert len(found.request_id.encode()) <= 256
    assert len(found.client.encode()) <= 256


@given(form=short(spoilt(QUERY.to_wire())))
def test_a_query_on_the_wire_is_a_query_or_refused(form):
    """On `fresh`, in the log, in a memo."""
    try:
        Query.from_wire(SCHEMA, form)
    except InvalidPredicate:
        return


@given(form=short(spoilt(PLAN.to_wire())))
def test_a_plan_on_the_wire_is_a_plan_or_refused(form):
    """Its numbers are some that readers of answers can hold."""
    try:
        plan = Plan.from_wire(SCHEMA, form)
    except InvalidPlan:
        return

    assert 0 <= plan.version < 2**63


def test_a_plan_beyond_any_size_is_refused(monkeypatch):
    """Like any other that cannot be adopted: it ended the curator."""
    monkeypatch.setattr("sigmacount.sets.algebras.algebra.MOST_CELLS", 3)

    with pytest.raises(InvalidPlan):
        Plan.from_wire(SCHEMA, PLAN.to_wire())


rows = st.fixed_dictionaries(
    {"op": st.sampled_from(["insert", "delete", "drop"]) | values},
    optional={
        "id": st.just("u1") | values,
        "row": st.dictionaries(st.sampled_from(SCHEMA.names), values) | values,
        "v": st.just(1) | values,
    },
)
keys = st.none() | st.just(b"u1") | st.binary(max_size=4)


@given(st.lists(st.tuples(keys, st.none() | raw(rows) | strange), max_size=5))
def test_a_row_is_a_cell_or_a_dead_letter(records):
    """Each record has one outcome, whatever its neighbours are."""
    decoded = RowCodec(SCHEMA).decode([Raw(key, value) for key, value in records])

    assert len(decoded.ids) + len(decoded.bad) == len(records)
    assert len(decoded.codes) == len(decoded.ids)


@given(texts)
def test_a_text_is_a_query_or_refused(where):
    """SQL, nearly SQL, and none."""
    _parsed(where)


@given(wheres)
def test_an_object_is_a_query_or_refused(where):
    """The JSON form, and other JSON."""
    _parsed(where)


LONG = 16_000
HUGE = [
    *(text * (LONG // len(text)) for text in ["a", "'", '"', "[", "(", "- ", "NOT "]),
    *("a<" * (LONG // 2), "a" * 8_000 + "<" + "b" * 7_000, "/*" * 8_000, "--" * 8_000),
    *("married OR " * 1_400 + "married", "1=1 AND " * 900 + "1=1", "9" * LONG),
    "age IN (" + ",".join(["5"] * 900) + ")",
    "where" + " " * (LONG - 10) + "(",
    {"age": {"in": ["x" * 15_000]}},
    {"age": {"in": list(range(3_000))}},
    {str(n): 1 for n in range(1_500)},
]


@pytest.mark.parametrize("where", HUGE)
def test_a_long_question_takes_little_time(where):
    """Nothing in it is looked at once for each pair of places."""
    assert pace(lambda: _parsed(where)) < LOOPS


def deep(brackets, depth=15_000):
    """An object or a list that nests, as Python holds it."""
    found = {}
    for _ in range(depth):
        found = {"age": found} if brackets == "{}" else [found]
    return found


@pytest.mark.parametrize("brackets", ["{}", "[]"])
def test_a_deep_object_is_refused(brackets):
    """Also where nobody decoded it: the core stands on its own."""
    for where in ({"age": deep(brackets)}, {"age": {"in": deep(brackets)}}):
        with pytest.raises(InvalidPredicate):
            parse(SCHEMA, where)


def test_a_table_of_a_query_may_be_any_bytes():
    """Too few bits, too many, none."""
    for size in range(9):
        packed = base64.b64encode(b"\xff" * size).decode()
        form = QUERY.to_wire() | {"table": packed}
        try:
            Query.from_wire(SCHEMA, form)
        except InvalidPredicate:
            continue
        assert size == 1


def _parsed(where):
    refused = _refusal(InvalidPredicate, lambda: parse(SCHEMA, where))
    assert refused is None or str(refused)


def _refusal(kind, act):
    """What the act is refused with, or None; any other end is a fault."""
    try:
        act()
    except kind as refused:
        return refused
    return None
