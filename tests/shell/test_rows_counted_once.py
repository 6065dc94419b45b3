"""`sigma verify` and `sigma doctor`: ids that count twice, partitions that do not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.checkup import rows
from cli.recounting.duplicate_ids import DuplicateIds
from tests.fixtures.deployment import Deployment, person

PEOPLE = 60
servers = [pytest.mark.kafka, pytest.mark.redis]


def on_servers(test):
    """It needs a broker and a store."""
    for mark in servers:
        test = mark(test)
    return test


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """Servers, topics and a dataset of this test alone."""
    return Deployment.of(kafka, redis_server, dataset, tmp_path)


@pytest.fixture
def doubled(deployment):
    """People by their keys; then ten of them once more, all in one partition."""
    deployment.send(person(n, age=20) for n in range(PEOPLE))
    deployment.send((person(n, age=30) for n in range(10)), partition=0)
    deployment.count(PEOPLE + 10)
    return deployment


def twice(deployment):
    """The people of ``doubled`` who do not belong in partition 0."""
    told = deployment.sigma("verify", "--json", rows_partitioner="any")
    return json.loads(told.out)["in_two_partitions"]["store"]["ids"]


@on_servers
def test_ids_in_two_partitions_fail_although_each_partition_agrees(doubled):
    """Both from the topic and from the store; which ids is not told."""
    told = doubled.sigma("verify", rows_partitioner="any")

    assert told.code == 1
    assert "agree in 3 partitions" in told.out
    assert "in the topic" in told.out
    assert "in the store" in told.out
    assert "SIGMA_ROWS_PARTITIONER=murmur2" in told.out
    assert "sigma rebuild" in told.out
    assert "p1" not in told.out.split()


@on_servers
def test_they_are_told_as_json_by_number_and_partitions(doubled):
    """Every pair is one of partition 0 with another."""
    told = doubled.sigma("verify", "--json", rows_partitioner="any")

    report = json.loads(told.out)
    assert report["equal"] is True
    for where in ("topic", "store"):
        found = report["in_two_partitions"][where]
        assert 0 < found["ids"] <= 10
        assert {0} < {p for pair in found["between"] for p in pair} <= {0, 1, 2}
        assert all(0 in pair for pair in found["between"])


@on_servers
def test_counts_of_a_counter_that_did_not_look_differ_from_what_is_right(doubled):
    """With murmur2 the rows astray are no rows: a rebuild mends the store."""
    told = doubled.sigma("verify")

    assert told.code == 1
    assert "counts and rows topic differ" in told.out
    assert "records of ids that belong to another" in told.out


@on_servers
def test_doctor_finds_ids_in_two_partitions(doubled):
    """As many as verify, for it looks at all where there are few."""
    told = doubled.sigma("doctor", "--json")

    checks = {check["name"]: check for check in map(json.loads, told.out.splitlines())}
    assert checks["ids"]["mark"] == "fail"
    assert f"{twice(doubled)} ids stand in two partitions" in checks["ids"]["words"]
    assert "murmur2" in checks["ids"]["remedy"]


@on_servers
def test_doctor_draws_a_sample_where_there_are_many(doubled, monkeypatch):
    """A few ids of each partition; it says how many it looked at."""
    monkeypatch.setattr(rows, "SAMPLE", 5)

    told = doubled.sigma("doctor")

    assert "15 looked at" in told.out


@on_servers
def test_partitions_that_nobody_counts_are_named(deployment):
    """Rows in them are missing from every answer, whatever the others agree on."""
    deployment.send(person(n, age=20) for n in range(PEOPLE))
    deployment.count(PEOPLE, only=[0])

    verified, looked = deployment.sigma("verify"), deployment.sigma("doctor")

    assert verified.code == 1
    assert "no counter has counted partition 1, 2" in verified.out
    assert "no counter has counted partition 1, 2" in looked.out
    assert json.loads(deployment.sigma("verify", "--json").out)["not_counted"] == [1, 2]


@on_servers
def test_partitions_that_nobody_counts_do_not_agree(deployment):
    """What is said to agree are the others."""
    deployment.count(0, only=[2])

    assert "agree in 1 partitions" in deployment.sigma("verify").out


@on_servers
def test_another_topic_than_the_one_counted_is_named(deployment):
    """Of the same name and length, so that nothing but its id tells."""
    deployment.send(person(n, age=20) for n in range(PEOPLE))
    deployment.count(PEOPLE)

    async def renamed(redis, keys):
        for p in range(3):
            await redis.hset(keys.partition(p)[0], "topic_id", "the old one")

    deployment.in_store(renamed)
    verified, looked = deployment.sigma("verify"), deployment.sigma("doctor")

    assert verified.code == 1
    assert "made anew since" in verified.err
    assert "sigma rebuild" in verified.err
    assert "made anew since" in looked.out


ids = st.sets(st.text(max_size=2), max_size=6)


@given(st.dictionaries(st.integers(0, 5), ids, max_size=4))
def test_doubles_are_those_of_a_plain_count(held):
    """Each id in more than one partition is one, however many hold it."""
    doubles = DuplicateIds()
    for partition, here in held.items():
        doubles.put(partition, ["forgotten"])
        doubles.put(partition, here)

    found = doubles.found()

    shared = {i for here in held.values() for i in here}
    shared = {i for i in shared if sum(i in here for here in held.values()) > 1}
    assert found.ids == len(shared)
    sharing = {p for p, here in held.items() if here & shared}
    assert {p for pair in found.between for p in pair} == sharing
