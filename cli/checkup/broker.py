"""Checks of the broker: it answers, and its topics are what they should be."""

from __future__ import annotations

from collections.abc import Iterator

from cli.checkup import connections
from cli.checkup.check import Check, fail, ok, warn
from config.servers import Kafka
from streams.admin.topic_facts import Difference
from streams.wire.topics import Topics
from workers import clients


def look(kafka: Kafka, named: Topics) -> Iterator[Check]:
    """What protects the connection, the cluster, then its topics."""
    yield from connections.of_broker(kafka)
    topics = named.all()
    with clients.kafka_admin(kafka) as admin:
        yield ok("broker", f"cluster {admin.cluster_id()} at {kafka.bootstrap}")
        found = admin.check(topics, kafka.replication_factor)
        notes = [note for topic in topics for note in admin.notes(topic)]
    unknown = [each for each in found if isinstance(each, Difference) and each.unknown]
    for each in found:
        if each not in unknown:
            yield fail("topics", str(each))
    yield from (warn("rows", note.words, note.remedy) for note in notes)
    if unknown:
        mute = sorted({each.setting for each in unknown})
        yield warn(
            "topics",
            f"this broker does not report {', '.join(mute)}",
            "fine for the embedded broker; else look with kafka-configs --describe",
        )
    if len(found) == len(unknown):
        yield ok("topics", f"{len(topics)} are there")
    yield from _copies(kafka)


def _copies(kafka: Kafka) -> Iterator[Check]:
    if kafka.replication_factor == 1:
        yield warn(
            "copies",
            "each topic has one copy: it is as safe as one disk",
            "SIGMA_KAFKA_REPLICATION_FACTOR=3 on a cluster, before the topics are made",
        )
