"""Order after a takeover: what was told is read back, and binds what is told next."""

from hypothesis import given
from hypothesis import strategies as st

from sigmacount.release import Order, OrderedAnswers
from tests.theorems.test_total_order import epochs


@given(epoch=epochs(), data=st.data())
def test_what_was_told_can_be_read_back_in_any_order(epoch, data):
    """A successor that remembers the counts tells what the first would have told."""
    among, counts, asked = epoch
    noise = data.draw(
        st.lists(st.integers(-99, 99), min_size=len(asked), max_size=len(asked))
    )
    order, cut = Order(among, counts), len(asked) // 2
    first = OrderedAnswers(order)
    said = [first.settle(q, n) for q, n in zip(asked, noise, strict=True)]

    heir = OrderedAnswers(order)
    for at in data.draw(st.permutations(range(cut))):
        heir.remember(asked[at], said[at])

    rest = zip(asked[cut:], noise[cut:], strict=True)
    assert [heir.settle(q, n) for q, n in rest] == said[cut:]
