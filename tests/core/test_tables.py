"""A table is its rows: each the answer of its set, and the total is their sum."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from sigmacount.release import NoisyCount, NormalError, answered_table, tabulated
from sigmacount.release.answers.tables import joint
from sigmacount.sets import GroupedQuery, Query
from tests.core.priced import laplace
from tests.core.test_answerer import released
from tests.core.test_grouped import tables
from tests.core.tiny import SCHEMA

drawn = NoisyCount.drawn
noises = st.sampled_from([laplace(200_000), laplace(900_000)])
counts = st.lists(
    st.builds(
        drawn,
        st.integers(0, 90),
        st.integers(-90, 90),
        noises,
        st.integers(1, 9),
        st.sampled_from(["g", "h", "t-1"]),
    ),
    max_size=12,
)


def table_of(rows, confidence=0.9):
    """The table of these counts."""
    return tabulated([(k,) for k in range(len(rows))], rows, confidence)


@settings(max_examples=40)
@given(release=released(), table=tables)
def test_it_is_held_exactly_when_each_of_its_rows_is(release, table):
    """One row that needs noise makes the table fresh."""
    _, _, answerer = release

    found = answered_table(answerer, table, 0.9)

    held = [answerer.noisy_count(cell.query) for cell in table.cells()]
    assert (None in held) is (found is None)
    if found is not None:
        assert found.sources == tuple(dict.fromkeys(each.source for each in held))


@given(rows=counts)
def test_joint_intervals_are_wider_by_bonferroni(rows):
    """Each of n holds with 1 − (1 − c)/n, so all hold with c."""
    table = table_of(rows)

    for row, each in zip(table.rows, rows, strict=True):
        expected = each.estimate(joint(0.9, len(rows)))
        assert row.joint == expected.interval
        assert row.joint[0] <= row.estimate.interval[0]
        assert row.joint[1] >= row.estimate.interval[1]


@given(
    st.floats(0, 1, exclude_min=True, exclude_max=True),
    st.integers(2, 4_096),
)
def test_however_sure_and_many_a_joint_interval_has_a_confidence(confidence, parts):
    """Below 1, and no row may miss more often than its share, rounding included."""
    each = joint(confidence, parts)

    assert 0 < each < 1
    if confidence <= 1 - 1e-9:
        missed = parts * (1 - Fraction(each))
        assert missed <= 1 - Fraction(confidence)
        assert missed >= (1 - Fraction(confidence)) * Fraction(0.99)


@given(rows=counts)
def test_the_totals_error_is_that_of_all_draws(rows):
    """Variances add; of one source, so do the draws under its quantile."""
    total = table_of(rows).total

    variance = sum(each.error.terms * each.error.law.variance for each in rows)
    assert abs(total.stderr**2 - variance) < 1e-6 * (1 + variance)
    assert total.count == sum(each.count for each in rows)
    assert total.atoms == sum(each.atoms for each in rows)
    assert total.interval[0] <= total.count <= total.interval[1]


def test_draws_of_one_source_are_taken_together_and_sources_apart():
    """Of one, the quantile of the sum; of two, both quantiles at half the risk."""
    quiet, loud = laplace(900_000), laplace(200_000)
    one = [drawn(50, 50, quiet, 3, "g"), drawn(30, 30, quiet, 2, "g")]
    two = [*one, drawn(900, 900, loud, 1, "t-1")]

    (low, high), (least, most) = (table_of(r).total.interval for r in (one, two))

    half = quiet.quantile(5, 0.9)
    assert (low, high) == (80 - half, 80 + half)
    apart = quiet.quantile(5, 0.95) + loud.quantile(1, 0.95)
    assert (least, most) == (980 - apart, 980 + apart)


def test_errors_that_may_share_their_noise_add_up_as_deviations():
    """Normal parts of one source are taken together, and no independence is assumed."""
    rows = [NoisyCount(n, n, NormalError(n**2), 2, "plan") for n in (30, 50)]

    total = table_of(rows).total

    assert total.stderr == 80
    assert total.half == NormalError(80**2).quantile(0.9)


def test_a_total_that_is_released_itself_is_taken_as_it_is():
    """It has an error of its own, below that of the rows added up."""
    rows = [NoisyCount(n, n, NormalError(n**2), 2, "plan") for n in (30, 50)]
    whole = NoisyCount(81, 79, NormalError(40**2), 4, "plan")

    table = tabulated([(0,), (1,)], rows, 0.9, whole)

    assert table.total == whole.estimate(0.9)
    assert [row.estimate.count for row in table.rows] == [30, 50]


def test_a_table_without_rows_counts_nothing():
    """Exactly, as the empty query does; and so does a row of no atoms."""
    nothing = table_of([])
    known = table_of([NoisyCount(0, 0, None, 0, None)])

    assert (nothing.total.count, nothing.total.interval, nothing.sources) == (
        0,
        (0, 0),
        (),
    )
    assert known.rows[0].joint == (0, 0)
    assert GroupedQuery.of(Query.nothing(SCHEMA), ["a"]).size == 0
