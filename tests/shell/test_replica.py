"""The replica: after any deltas it equals a dictionary, and so does every tally."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigmacount.domain import Attribute, Schema
from sigmacount.errors import Mismatch
from sigmacount.language import parse
from sigmacount.sets import GroupedQuery
from store.sensitive import CountedPosition, Deltas, PartitionSnapshot, Rows, Truth
from tests.fixtures.curator_steps import PARTITIONS, World, group
from workers.curator.epochs.replica import Replica
from workers.curator.epochs.snapshot import EpochSnapshot

SCHEMA = Schema(
    "people",
    (
        Attribute.categorical("sex", ["F", "M"]),
        Attribute.categorical("city", ["Oslo", "Paris", "Rome"]),
        Attribute.categorical("job", ["cook", "nurse"]),
    ),
)
GROUPS = (group(SCHEMA, "sex"), group(SCHEMA, "city", "job"))
TABLES = (
    ("sex IN ('F', 'M')", ("city",)),
    ("sex = 'F' OR job = 'cook'", ("job", "sex")),
    ("city <> 'Rome'", ("sex", "city", "job")),
)
codes = st.integers(0, SCHEMA.cells - 1)
counts = st.dictionaries(codes, st.integers(1, 9))
moves = st.lists(st.dictionaries(codes, st.integers(0, 9), max_size=6), max_size=6)


def cells(of: dict[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """Codes and counts, in the order of the dictionary."""
    return np.array(list(of), np.int64), np.array(list(of.values()), np.int64)


def held(replica: Replica) -> dict[int, int]:
    """Code → count of what is not zero."""
    pairs = zip(replica.codes.tolist(), replica.counts.tolist(), strict=True)
    return {code: count for code, count in pairs if count}


@given(st.lists(counts, min_size=1, max_size=3), moves)
def test_after_any_deltas_the_replica_equals_a_dictionary(parts, targets):
    """Cells come, change, empty and come back; codes stay ascending and distinct."""
    replica, expected = Replica(SCHEMA), Counter()
    replica.load(cells(part) for part in parts)
    for part in parts:
        expected.update(part)

    for wanted in targets:
        deltas = {code: count - expected[code] for code, count in wanted.items()}
        replica.apply(*cells(deltas))
        expected.update(deltas)

    assert held(replica) == {code: n for code, n in expected.items() if n}
    assert (np.diff(replica.codes) > 0).all()
    assert (replica.levels == SCHEMA.levels_of(replica.codes)).all()


@given(counts, moves)
def test_tallies_and_counts_follow(begin, targets):
    """N(ω) of each group and N(A) of a query, against a sum over the dictionary."""
    replica, expected = Replica(SCHEMA), Counter(begin)
    replica.load([cells(begin)])
    for wanted in targets:
        deltas = {code: count - expected[code] for code, count in wanted.items()}
        replica.apply(*cells(deltas))
        expected.update(deltas)
    query = parse(SCHEMA, "city = 'Oslo' OR job = 'cook'")

    at, n = cells(dict(expected))
    assert replica.count(query) == int(n[query.contains(at)].sum() if at.size else 0)
    for each in GROUPS:
        atoms = each.algebra.atom_of(at)
        wanted = np.bincount(atoms, weights=n, minlength=each.algebra.size)
        assert (replica.tally(each.algebra) == wanted).all()


class Script(Truth):
    """A truth of one partition that tells what a test wrote down."""

    def __init__(self, begin, deltas):
        self._begin, self._deltas = begin, list(deltas)

    async def snapshot(self, partition):
        """The counts at the beginning."""
        del partition
        return PartitionSnapshot(*cells(self._begin), CountedPosition(1), None)

    async def follow(self, partition, position):
        """The next deltas."""
        del partition
        return Deltas(*cells(self._deltas.pop(0)), position)


@given(counts, moves, st.lists(st.booleans(), min_size=6, max_size=6))
async def test_tallies_after_a_change_equal_a_full_tally(begin, targets, known):
    """Whether the group was tallied before (then only deltas are added) or not."""
    expected, steps = Counter(begin), []
    for wanted in targets:
        steps.append({code: n - expected[code] for code, n in wanted.items()})
        expected.update(steps[-1])
    snapshot = EpochSnapshot(Script(begin, steps), SCHEMA, [0])
    change = await snapshot.look()
    snapshot.move(change)

    for remembered in known[: len(steps)]:
        change = await snapshot.look()
        tallies = snapshot.tallies_after([each.algebra for each in GROUPS], change)
        snapshot.move(change)
        snapshot.remember(tallies if remembered else {})

        whole = Replica(SCHEMA)
        whole.load([(snapshot._replica.codes, snapshot._replica.counts)])  # noqa: SLF001
        for each in GROUPS:
            assert (tallies[each.algebra.id] == whole.tally(each.algebra)).all()


def test_a_cell_of_many_attributes_takes_at_most_200_bytes():
    """21 columns, 10^5 cells, after deltas that brought new ones."""
    wide = Schema(
        "wide",
        tuple(Attribute.categorical(f"a{i}", list("abcdef")) for i in range(21)),
    )
    dice = np.random.default_rng(1)
    replica = Replica(wide)
    replica.load([(dice.integers(0, wide.cells, 100_000), np.ones(100_000, np.int64))])

    replica.apply(np.unique(dice.integers(0, wide.cells, 10_000)), np.ones(10_000, int))

    held = replica.codes.nbytes + replica.counts.nbytes + replica.levels.nbytes
    assert held / replica.codes.size <= 200


@pytest.mark.redis
async def test_a_rebuilt_partition_is_read_anew(redis, keys):
    """Deltas across a rebuild would have a hole."""
    world = World.of(redis, keys)
    await world.change(ada=("F", "Oslo", "cook"), bob=("M", "Rome", "cook"))
    snapshot = EpochSnapshot(Truth(redis, keys), world.schema, range(PARTITIONS))
    snapshot.move(await snapshot.look())
    claim = await Rows(redis, keys).claim(
        0,
        topic_id="t",
        cluster_id="c",
        partitions=PARTITIONS,
        fingerprint=world.schema.fingerprint,
    )
    [kept] = [p for p in range(PARTITIONS) if p != 0]
    left = (await Truth(redis, keys).snapshot(kept)).counts.sum()

    await Rows(redis, keys).rebuild(0, claim.token, 0)
    change = await snapshot.look()
    snapshot.move(change)

    assert change.replica is not None
    assert snapshot.count(parse(world.schema, "")) == left


@pytest.mark.redis
@pytest.mark.parametrize(
    ("counted", "promised", "fits"),
    [(4, 4, True), (3, 4, True), (5, 4, False), (None, 4, False), (None, None, True)],
)
async def test_rows_may_not_change_more_often_than_answers_promise(
    redis, keys, counted, promised, fits
):
    """Of whatever counters let through; partitions that nobody counts let nothing."""
    schema, about = World.of(redis, keys).schema, {"topic_id": "t", "cluster_id": "c"}
    about |= {"partitions": 2, "fingerprint": schema.fingerprint}
    snapshot = EpochSnapshot(
        Truth(redis, keys), schema, range(2), changes_limit=promised
    )
    snapshot.move(await snapshot.look())
    await Rows(redis, keys, limit=counted).claim(0, **about)

    if fits:
        assert (await snapshot.look()).replica is not None
    else:
        with pytest.raises(Mismatch, match="SIGMA_PRIVACY_CHANGES_LIMIT"):
            await snapshot.look()


@pytest.mark.redis
async def test_a_limit_that_rises_under_a_curator_is_noticed(redis, keys):
    """Its answers promise the old one: it ends before another epoch."""
    schema, about = World.of(redis, keys).schema, {"topic_id": "t", "cluster_id": "c"}
    about |= {"partitions": 1, "fingerprint": schema.fingerprint}
    await Rows(redis, keys, limit=4).claim(0, **about)
    snapshot = EpochSnapshot(Truth(redis, keys), schema, range(1), changes_limit=4)
    snapshot.move(await snapshot.look())

    await Rows(redis, keys, limit=6).claim(0, **about)

    with pytest.raises(Mismatch, match="at most 4 times"):
        await snapshot.look()


@given(rows=counts)
def test_cells_of_a_table_are_counted_as_their_queries_are(rows):
    """All of them in one look at the rows."""
    replica = Replica(SCHEMA)
    replica.load([cells(rows)])

    for where, by in TABLES:
        grouped = GroupedQuery.of(parse(SCHEMA, where), by)
        counted = replica.count_cells(grouped).tolist()
        assert counted == [replica.count(cell.query) for cell in grouped.cells()]
