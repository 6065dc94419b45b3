"""Order of a table's rows: placed all at once they fare as placed one by one."""

from hypothesis import given
from hypothesis import strategies as st

from sigmacount.release import Order, OrderedAnswers
from sigmacount.sets import GroupedQuery, Query
from tests.core.tiny import SCHEMA
from tests.theorems.test_total_order import epochs

EVERYTHING = Query.everything(SCHEMA)
tables = st.lists(
    st.sampled_from(range(len(SCHEMA.attributes))), min_size=1, max_size=2, unique=True
).map(lambda by: [c.query for c in GroupedQuery(EVERYTHING, tuple(by)).cells()])


@given(epoch=epochs(), rows=tables, more=tables, data=st.data())
def test_at_once_is_as_one_by_one(epoch, rows, more, data):
    """Among others that are told, that wait for their count, and other tables."""
    among, counts, asked = epoch
    order, half = Order(among, counts), len(asked) // 2
    noise = data.draw(st.randoms(use_true_random=False))
    once, single = OrderedAnswers(order), OrderedAnswers(order)
    for query in asked[:half]:
        value = noise.randint(-9, 60)
        assert once.settle(query, value) == single.settle(query, value)
    for query in asked[half:]:
        once.place(query)
        single.place(query)

    for table in (rows, more, rows):
        once.place_disjoint(table)
        for query in table:
            single.place(query)

    for query in [*more, *asked, *rows]:
        value = noise.randint(-9, 60)
        assert once.settle(query, value) == single.settle(query, value)


@given(epoch=epochs(), rows=tables)
def test_a_table_that_was_not_paid_for_leaves_no_trace(epoch, rows):
    """What is told stays, and binds what is told next."""
    among, counts, asked = epoch
    told = OrderedAnswers(Order(among, counts))
    fresh = OrderedAnswers(Order(among, counts))
    for query in asked:
        assert told.settle(query, 7) == fresh.settle(query, 7)

    told.place_disjoint(rows)
    told.forget()

    assert [told.settle(q, 20) for q in rows] == [fresh.settle(q, 20) for q in rows]
