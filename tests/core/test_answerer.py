"""An answerer answers exactly what it holds, in one order, for nothing."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.release import IndependentAlgebras, Router, estimate
from sigmacount.sets import Query, Sums
from tests.core.tiny import SCHEMA, groups, queries


@st.composite
def released(draw):
    """Groups with noisy atoms, the same clamped, and the answerer of them."""
    among = tuple(draw(st.lists(groups, max_size=3, unique=True)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    noisy = {g.id: rng.integers(-9, 30, g.algebra.size) for g in among}
    counts = {gid: np.maximum(each, 0) for gid, each in noisy.items()}
    return among, noisy, IndependentAlgebras(among, noisy, counts)


@given(release=released(), query=queries())
def test_it_answers_what_it_holds_and_nothing_else(release, query):
    """The responder asks once; who only wants the price asks whether it is held."""
    among, _, answerer = release

    answer = answerer.answer(query, 0.9)

    assert answerer.holds(query) is (answer is not None)
    if not query.empty:
        assert answerer.holds(query) is (Router(among).route(query) is not None)


@given(release=released(), query=queries())
def test_an_answer_is_read_off_the_first_group_that_holds_the_query(release, query):
    """Its interval is around the noisy sum there; its count keeps the common order."""
    among, noisy, answerer = release
    route = Router(among).route(query)
    if route is None or query.empty:
        return

    answer = answerer.answer(query, 0.9)

    total = Sums(route.group.algebra, noisy[route.group.id]).total(query)
    count, upper = answerer.bracket(query)
    assert count == upper
    assert answer.source == route.group.id
    assert answer.estimate == estimate(
        count, total, route.group.mechanism, route.atoms, 0.9
    )


def test_the_empty_query_is_held_by_every_release():
    """And by none: no group is named for it."""
    shown = IndependentAlgebras((), {}, {})
    empty = Query.everything(SCHEMA).complement()

    answer = shown.answer(empty, 0.9)

    assert shown.holds(empty)
    assert (answer.source, answer.estimate.count, answer.estimate.atoms) == (None, 0, 0)
    assert not shown.holds(Query.everything(SCHEMA))
