"""A topic of rows that another keeps: read, never made or changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from embedded.deployment import Deployment
from sigmacount.domain import NULL_NOT_ALLOWED, OUTSIDE_LEVELS, WRONG_TYPE
from sigmacount.domain.coder import MISSING_ATTRIBUTE
from streams.admin.topic_facts import Facts
from streams.admin.topic_notes import foreign_notes
from streams.admin.topics_admin import Admin
from streams.formats.choice import Reading
from streams.formats.refusals.diagnosis import Reason
from streams.formats.refusals.reasons import FormReason
from streams.wire.topics import TOMBSTONE_MS, Topics
from tests.fixtures.cli import sigma
from tests.fixtures.row_events import SCHEMA
from workers import clients

NAMED = Topics.named("s.").with_rows("shop.public.people")


def notes(partitions=12, **configs):
    """What is said of a topic."""
    settings = {name.replace("_", "."): value for name, value in configs.items()}
    facts = Facts("t", partitions, 1, settings)
    return [note.words for note in foreign_notes(NAMED.rows, facts)]


def test_rows_may_come_from_any_topic():
    """The others keep their names, and are the ones that we make."""
    assert NAMED.rows.name == "shop.public.people"
    assert NAMED.rows.foreign
    assert NAMED.rows not in NAMED.ours()
    assert len(NAMED.all()) == len(NAMED.ours()) + 1
    assert "shop" not in "".join(topic.name for topic in NAMED.ours())


@pytest.mark.parametrize("name", [None, "s.rows"])
def test_our_own_topic_stays_ours(name):
    """Named or not."""
    named = Topics.named("s.").with_rows(name)

    assert named == Topics.named("s.")
    assert named.ours() == named.all()


@pytest.mark.parametrize(
    ("configs", "said"),
    [
        ({"cleanup_policy": "delete"}, None),  # a broker that reports no limits
        ({"cleanup_policy": "delete", "retention_ms": "-1"}, None),
        ({"cleanup_policy": "delete", "retention_ms": "86400000"}, "by retention.ms:"),
        (
            {"cleanup_policy": "compact,delete", "retention_bytes": "9"},
            "by retention.bytes:",
        ),
        ({"cleanup_policy": "compact", "retention_ms": "86400000"}, None),
        (
            {"cleanup_policy": "compact", "delete_retention_ms": "86400000"},
            "keeps deletes for 24 h",
        ),
        (
            {"cleanup_policy": "compact", "delete_retention_ms": str(TOMBSTONE_MS)},
            None,
        ),
        ({"cleanup_policy": "delete", "delete_retention_ms": "86400000"}, None),
        ({}, None),
    ],
)
def test_what_could_lose_rows_is_said(configs, said):
    """And nothing of what could not, or of what the broker does not report."""
    found = notes(**configs)

    assert len(found) == (said is not None)
    assert said is None or said in found[0]


def test_a_single_partition_is_said():
    """It cannot become more later."""
    (words,) = notes(partitions=1)

    assert "one partition" in words


@pytest.mark.kafka
def test_it_is_neither_made_nor_compared(kafka, dataset):
    """`create` makes the others and says who makes it; `check` asks nothing of it."""
    name = f"{dataset}.public.people"
    env = {
        "kafka_bootstrap": kafka.bootstrap,
        "kafka_prefix": f"{dataset}.",
        "rows_topic": name,
    }

    created = sigma("topics", "create", **env)
    with Admin(kafka.bootstrap) as admin:
        there = admin.facts(name)
        admin.create([NAMED.rows.__class__(name, None, "key", 1, "delete")])
    checked = sigma("topics", "check", **env)

    assert there is None
    assert f"{name} is missing; SIGMA_ROWS_TOPIC names it" in created.out
    assert f"made {dataset}.rows" not in created.out
    assert (created.code, checked.code) == (1, 0), checked.out
    assert "has one partition" in checked.out


def test_ingest_refuses_what_nobody_would_count(tmp_path):
    """It writes native rows; nothing is sent, no broker is asked."""
    file = tmp_path / "people.csv"
    file.write_text("age\n1\n")

    told = sigma("ingest", file, dataset="people", rows_format="debezium")

    assert told.code == 2
    assert "`sigma ingest` writes native rows alone" in told.err
    assert "Nothing was sent" in told.err


def test_servers_of_our_own_have_native_rows(monkeypatch):
    """`sigma demo` and `sigma up` write native rows, whatever this shell says."""
    monkeypatch.setenv("SIGMA_ROWS_FORMAT", "debezium")
    place = Deployment("b:1", "s.", "people", {"admin": "redis://r"}, embedded=True)

    settings = clients.load_settings(**place.overrides())

    assert clients.rows_reading(settings) == Reading()
    assert clients.rows_topic(settings) == clients.topics(settings.kafka).rows
    assert place.environment("counter")["SIGMA_ROWS_FORMAT"] == "native"


def test_counts_belong_to_a_format():
    """Ids of another format are others; native ones keep the fingerprint they had."""
    assert Reading().fingerprint(SCHEMA) == SCHEMA.fingerprint
    assert Reading("debezium").fingerprint(SCHEMA) == f"{SCHEMA.fingerprint}+debezium"


def test_the_page_says_what_each_reason_means():
    """The word in a metric or a letter is looked up there."""
    page = Path(__file__).parents[2] / "docs" / "rows.md"
    tables = page.read_text(encoding="utf-8").rsplit("\n## ", 1)[1]

    values = MISSING_ATTRIBUTE, NULL_NOT_ALLOWED, OUTSIDE_LEVELS, WRONG_TYPE
    unsaid = [r for r in (*values, *Reason, *FormReason) if f"`{r}`" not in tables]

    assert unsaid == []
