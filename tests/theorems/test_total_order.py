"""One order over all routes: A₁ ⊆ A₂ gives N̂(A₁) ≤ N̂(A₂) in an epoch, always.

Theorem 1 says so of one algebra; this is its extension to all that an epoch tells,
whichever algebra or fresh draw it comes from, in whatever order it is asked.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.errors import QueryTooComplex
from sigmacount.release import Order, OrderedAnswers, Router
from sigmacount.release.answers.order import UNBOUNDED
from sigmacount.sets import Containment, Query
from tests.core.tiny import SCHEMA, groups, held, members, queries, vectors

several = st.lists(groups, max_size=5).map(tuple)


@st.composite
def epochs(draw):
    """Groups, hostile counts for each of their atoms, and queries of all kinds."""
    among = tuple({group.id: group for group in draw(several)}.values())
    counts = {group.id: draw(vectors(group.algebra.size, 50)) for group in among}
    some = [queries(), *[members(group.algebra) for group in among]]
    asked = draw(st.lists(st.one_of(some), min_size=2, max_size=10))
    pairs = itertools.pairwise(asked)
    wider = [one.union(two) for one, two in pairs]
    return among, counts, [*asked, *wider]


def answered(among, counts, asked, noise):
    """The count of every query, as a responder and a curator tell them."""
    order, router = Order(among, counts), Router(among)
    told = OrderedAnswers(order)
    return [
        told.settle(query, value)
        if router.route(query) is None
        else order.bracket(query)[0]
        for query, value in zip(asked, noise, strict=False)
    ]


@given(epoch=epochs(), data=st.data())
def test_a_subset_never_counts_more(epoch, data):
    """Over all algebras and fresh draws, for hostile counts and any order of asking."""
    among, counts, asked = epoch
    asked = data.draw(st.permutations(asked))
    noise = data.draw(
        st.lists(st.integers(-99, 99), min_size=len(asked), max_size=len(asked))
    )

    said = answered(among, counts, asked, noise)

    cells = [held(query) for query in asked]
    for (small, n), (large, m) in itertools.permutations(
        zip(cells, said, strict=True), 2
    ):
        assert n <= m or (small & ~large).any()


@given(epoch=epochs())
def test_the_answering_group_closes_the_bracket(epoch):
    """Both ends meet exactly when a group holds the query, or room is lacking."""
    among, counts, asked = epoch
    order, router = Order(among, counts), Router(among)

    for query in asked:
        low, high = order.bracket(query)
        assert 0 <= low <= high
        if router.route(query) is not None:
            assert low == high


@given(epoch=epochs())
def test_the_first_in_rank_is_never_moved(epoch):
    """Its answers add up as they were released."""
    among, counts, asked = epoch
    if not among:
        return
    first = min(among, key=lambda group: group.rank)

    for query in asked:
        if query in first.algebra:
            atoms = first.algebra.atoms_of(query)
            count = int(counts[first.id][atoms].sum())
            assert Order(among, counts).bracket(query) == (count, count)


@given(epoch=epochs(), data=st.data())
def test_counts_that_agree_are_left_alone(epoch, data):
    """Of one table of rows, without noise, every answer is the true count."""
    among, _, asked = epoch
    rows = np.array(data.draw(st.lists(st.integers(0, 47), max_size=30)), np.int64)
    counts = {
        g.id: np.bincount(g.algebra.atom_of(rows), minlength=g.algebra.size)
        for g in among
    }
    true = [int(query.contains(rows).sum()) for query in asked]

    assert answered(among, counts, asked, true) == true


@given(epoch=epochs())
def test_told_again_is_told_alike(epoch):
    """Whatever noise a repetition would bring: the first word stands."""
    among, counts, asked = epoch
    told = OrderedAnswers(Order(among, counts))
    first = [told.settle(query, 5) for query in asked]

    again = [told.settle(query, -7) for query in asked]
    later = [told.settle(query, 70) for query in asked]

    assert first == again == later


@given(epoch=epochs(), data=st.data())
def test_placed_first_and_told_in_any_order_counts_keep_theirs(epoch, data):
    """A batch is placed, some of it is refused, and the rest is told as it comes."""
    among, counts, asked = epoch
    distinct = list({query.key: query for query in asked}.values())
    told, said = OrderedAnswers(Order(among, counts)), {}

    for batch in (distinct[::2], distinct):
        for query in data.draw(st.permutations(batch)):
            told.place(query)
        paid = data.draw(st.lists(st.sampled_from(batch), unique=True))
        for query in paid:
            said[query.key] = told.settle(query, data.draw(st.integers(-99, 99)))
        told.forget()

    whole = [(query, said[query.key]) for query in distinct if query.key in said]
    for (small, n), (large, m) in itertools.permutations(whole, 2):
        assert n <= m or not small.issubset(large)


@pytest.mark.parametrize("larger_is_placed", ["first", "last"])
def test_who_is_told_first_binds_who_was_placed_before(larger_is_placed):
    """Placed in one order and told in the other: each still knows its bounds."""
    small = Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))
    large, told = Query.everything(SCHEMA), OrderedAnswers(Order((), {}))
    placed = [large, small] if larger_is_placed == "first" else [small, large]
    for query in placed:
        told.place(query)

    counts = {q.key: told.settle(q, 9 if q is small else 1) for q in placed[::-1]}

    assert len(set(counts.values())) == 1


def test_what_was_placed_and_never_told_is_nobodys_bound():
    """Whoever was refused neither fills the memory nor stands in another's way."""
    told = OrderedAnswers(Order((), {}))
    a = Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))
    told.settle(a, 4)
    told.place(Query.everything(SCHEMA))

    told.forget()
    told.forget()

    assert told.settle(Query.everything(SCHEMA), 1) == 4
    assert told.settle(a, 9) == 4


def test_without_groups_only_what_was_told_counts():
    """Before the first plan every query is fresh."""
    told = OrderedAnswers(Order((), {}))
    a = Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))

    assert Order((), {}).bracket(a) == (0, UNBOUNDED)
    assert told.settle(Query.nothing(SCHEMA), 3) == 3
    assert told.settle(a, -4) == 3
    assert told.settle(Query.everything(SCHEMA), 2) == 3
    assert told.settle(a.complement(), 9) == 3


def test_what_cannot_be_compared_is_not_told(monkeypatch):
    """And leaves no trace: the next is compared with what was told alone."""
    told = OrderedAnswers(Order((), {}))
    a = Query.build(SCHEMA, [0], [np.array([0, 1, 1])], np.array([True, False]))
    told.settle(Query.everything(SCHEMA), 7)

    def too_complex(*_):
        raise QueryTooComplex("2^20")  # noqa: EM101 - any words

    with monkeypatch.context() as patched:
        patched.setattr("sigmacount.sets.alignment.aligned", too_complex)
        with pytest.raises(QueryTooComplex):
            told.settle(a, 3)

    assert told.settle(a.complement(), 4) == 4


@given(queries(), queries())
def test_no_relation_is_overlooked(one, two):
    """Whatever is a subset is compared: a glance may err on one side only."""
    told = OrderedAnswers(Order((), {}))
    told.settle(one, 5)

    if one.issubset(two):
        assert told.settle(two, 0) == 5
    elif two.issubset(one):
        assert told.settle(two, 9) == 5


def test_few_that_are_told_are_compared(monkeypatch):
    """Of conjunctions, those that are related and no others."""
    told, compared = OrderedAnswers(Order((), {})), []
    holds = Containment.holds

    def counted(self, large, small):
        compared.append(holds(self, large, small))
        return compared[-1]

    monkeypatch.setattr(Containment, "holds", counted)
    for levels in itertools.product(range(3), range(2), range(4), range(2)):
        table = np.zeros((3, 2, 4, 2), np.bool_)
        table[levels] = True
        blocks = [np.arange(size) for size in table.shape]
        told.settle(Query.build(SCHEMA, [0, 1, 2, 3], blocks, table), 5)
    told.settle(Query.everything(SCHEMA), 7)

    assert compared == [True] * 48
