"""What follows from a table of counts holds whenever the joint intervals hold."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmaclient import (
    Answer,
    CountTable,
    PartialTable,
    Question,
    Row,
    SchemaAttribute,
)
from tests.fixtures.tables import BINS, answer_with, cell, row, table

# Truth, how far below and above it the interval goes, where the noisy count lies in it.
rows_ = st.lists(
    st.tuples(*[st.integers(0, 30)] * 3, st.floats(0, 1)), min_size=1, max_size=7
)
parts = st.sampled_from([0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99])


def held(drawn):
    """A table whose joint intervals hold the truth, and the truth."""
    made = []
    for i, (true, below, above, at) in enumerate(drawn):
        low, high = max(0, true - below), true + above
        count = low + round(at * (high - low))
        made.append(Row((f"b{i}",), count, 1.0, (count, count), (low, high)))
    return CountTable(("age",), tuple(made), len(made), 0.95), [
        true for true, *_ in drawn
    ]


def quantile_bin(counts, q):
    """By its definition; 0 where there are no rows."""
    parts = itertools.accumulate(counts)
    return next(j for j, c in enumerate(parts) if c >= q * sum(counts) - 1e-9)


@given(drawn=rows_, q=parts)
def test_the_true_quantile_is_within_its_interval(drawn, q):
    """For every truth that the joint intervals hold; so is the noisy one."""
    counts, truth = held(drawn)

    found = counts.quantile(q)

    assert f"b{quantile_bin(truth, q)}" in found.bins
    assert found.bin is None or found.bin in found.bins


@given(drawn=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=2, max_size=3))
def test_no_bin_of_the_interval_is_there_in_vain(drawn):
    """Both ends are the median of some counts within the joint intervals."""
    counts, _ = held([(*each, 0.5) for each in drawn])
    boxes = [range(each.box[0], each.box[1] + 1) for each in counts]

    found = counts.median()

    medians = {quantile_bin(each, 0.5) for each in itertools.product(*boxes)}
    assert found.interval == (f"b{min(medians)}", f"b{max(medians)}")


@given(drawn=rows_)
def test_true_shares_are_within_their_intervals(drawn):
    """All of them; the noisy ones add up to 1."""
    counts, truth = held(drawn)

    found = counts.shares()

    if sum(truth):
        for share, true in zip(found, truth, strict=True):
            low, high = share.interval
            assert low - 1e-12 <= true / sum(truth) <= high + 1e-12
    if any(each.count for each in counts):
        assert sum(share.share for share in found) == pytest.approx(1)
    else:
        assert {share.share for share in found} == {None}


@given(drawn=rows_, k=st.integers(1, 8))
def test_the_true_top_k_is_between_certain_and_possible(drawn, k):
    """And the picked rows are those of the largest noisy counts."""
    counts, truth = held(drawn)

    found = counts.top(k)

    true = {
        each
        for each, own in zip(counts, truth, strict=True)
        if sum(other > own for other in truth) < k
    }
    assert set(found.certain) <= true <= set(found.possible)
    largest = sorted((each.count for each in counts), reverse=True)[:k]
    assert [each.count for each in found.rows] == largest


@given(
    drawn=rows_,
    bounds=st.dictionaries(
        st.sampled_from(["ge", "gt", "le", "lt", "eq", "ne"]), st.integers(0, 40)
    ),
)
def test_rows_within_bounds_are_between_certain_and_possible(drawn, bounds):
    """For every comparison, and several of them at once."""
    counts, truth = held(drawn)

    def within(count):
        return all(getattr(count, f"__{op}__")(b) for op, b in bounds.items())

    found = counts.having(**bounds)

    pairs = list(zip(counts, truth, strict=True))
    true = {each for each, own in pairs if within(own)}
    assert set(found.certain) <= true <= set(found.possible)
    assert list(found.rows) == [each for each in counts if within(each.count)]
    for each in counts:
        box = range(each.box[0], each.box[1] + 1)
        assert (each in found.certain) == all(map(within, box))
        assert (each in found.possible) == any(map(within, box))


def test_where_nothing_is_in_doubt_all_three_are_the_same():
    """Intervals that do not meet."""
    counts = table([10, 40, 30, 5], half=2)

    for found in (counts.top(2), counts.having(gt=20)):
        assert set(found.rows) == set(found.certain) == set(found.possible)
        assert {each.count for each in found.rows} == {40, 30}


def test_each_says_what_its_interval_covers():
    """Joint intervals, all rows together."""
    counts = table([10, 40, 30, 5])

    said = {counts.covers, counts.top(1).covers, counts.having(ge=3).covers}
    said |= {counts.median().covers, *(share.covers for share in counts.shares())}

    assert said == {"all rows together, 95 %"}


def test_a_median_is_a_bin_with_bounds():
    """Missing values are left out, wherever their row stands."""
    counts = table([10, 40, 30, 5, 999], half=9, levels=[*BINS, None])

    found = counts.median()

    assert (found.bin, found.interval) == ("20-39", ("20-39", "40-59"))


def test_a_fraction_is_taken_as_it_is_written():
    """A tenth of ten rows is one row, not a little more of one."""
    assert table([1, 4, 4, 1], half=0).quantile(0.1).bin == "<20"


def attribute(outside):
    """The ages of the table as a catalog has them."""
    edges = (20, 40, 60) if outside == "bins" else (0, 20, 40, 60, 80)
    return SchemaAttribute("age", "integer", BINS, edges, outside, nullable=True)


@pytest.mark.parametrize(
    ("counts", "outer", "inner"),
    [
        ([0, 90, 0, 0], (20, 40), (20, 40)),
        ([10, 9, 0, 0], (None, 40), (0, 40)),
        ([0, 0, 9, 10], (40, None), (40, 80)),
    ],
)
def test_a_quantile_lies_between_edges(counts, outer, inner):
    """Those of the declaration; a bin without end has none."""
    found = table(counts, half=2).median()

    assert found.edges(attribute("bins")) == outer
    assert found.edges(attribute("error")) == inner


def test_edges_are_those_of_the_attribute_that_was_asked():
    """Another attribute's, or labels, have none to offer."""
    found = table([0, 90, 0, 0], half=2).median()

    with pytest.raises(ValueError, match="no bins 20-39"):
        found.edges(SchemaAttribute("sex", "categorical", ("F", "M")))
    with pytest.raises(ValueError, match="labels, not bins"):
        found.edges(SchemaAttribute("band", "categorical", BINS))


@pytest.mark.parametrize("q", [0, 1, -0.5, 50])
def test_a_quantile_is_between_zero_and_one(q):
    """A percentage is not taken for one."""
    with pytest.raises(ValueError, match="between 0 and 1"):
        table([1, 2, 3, 4]).quantile(q)


def test_a_quantile_is_of_one_attribute():
    """The bins of two have no order."""
    pair = CountTable(
        ("age", "sex"), (Row(("<20", "F"), 3, 1.0, (1, 5), (0, 6)),), 1, 0.95
    )

    with pytest.raises(ValueError, match="age, sex"):
        pair.median()


@pytest.mark.parametrize(
    "what",
    [
        CountTable.shares,
        CountTable.median,
        lambda t: t.top(2),
        lambda t: t.having(ge=3),
    ],
)
def test_rows_that_were_left_out_are_missed(what):
    """They count in a share, and may be among the largest; asking again is free."""
    part = CountTable(("age",), (row("<20", 3, 1),), 4, 0.95)

    with pytest.raises(PartialTable, match=r"without HAVING or LIMIT.*nothing more"):
        what(part)


@pytest.mark.parametrize(
    ("question", "declared"),
    [
        (Question(by="age"), True),
        (Question(by="age", order_by="age"), True),
        (Question(by="age", order_by="-count"), False),
        (Question("SELECT age, COUNT(*) FROM t GROUP BY age Order  by 2"), False),
        (Question("SELECT age, COUNT(*) FROM t GROUP BY age"), True),
    ],
)
def test_a_quantile_needs_the_declared_order(question, declared):
    """What was asked for says whether the rows stand in it."""
    wire = answer_with(["age"], [cell([each], 4) for each in BINS])
    answer = Answer.of(wire, declared=question.declared)

    if declared:
        assert answer.table.median().bin == "20-39"
    else:
        with pytest.raises(PartialTable, match="without ORDER BY"):
            answer.table.median()
