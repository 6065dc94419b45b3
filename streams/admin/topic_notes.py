"""What to know of a topic that another keeps, before its rows are counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from streams.admin.topic_facts import Facts
from streams.wire.topics import FOR_EVER, TOMBSTONE_MS, Topic

HOUR_MS: Final = 3_600_000
LIMITS: Final = ("retention.ms", "retention.bytes")


class Note(NamedTuple):
    """Something that is no fault, and that an operator decides about."""

    words: str
    remedy: str


def foreign_notes(topic: Topic, facts: Facts) -> Iterator[Note]:
    """Whether all rows stay in it, and deletes for long enough."""
    if "delete" in facts.configs.get("cleanup.policy", ""):
        limits = [n for n in LIMITS if facts.configs.get(n, "-1") != str(FOR_EVER)]
        if limits:
            yield Note(
                f"{topic.name} drops records by {' and '.join(limits)}: rows that have"
                " not changed since are not in it any more, so `sigma rebuild` and"
                " `sigma verify` would not find them",
                "set cleanup.policy=compact, or retention.ms=-1 and retention.bytes=-1",
            )
    kept = facts.tombstone_ms
    if facts.compacted and kept is not None and kept < TOMBSTONE_MS:
        yield Note(
            f"{topic.name} keeps deletes for {kept / HOUR_MS:.0f} h: a counter that"
            " was away for longer must count it anew",
            f"set delete.retention.ms={TOMBSTONE_MS}, which is a week",
        )
    if facts.partitions == 1:
        yield Note(
            f"{topic.name} has one partition, so one counter counts it alone",
            "more are chosen before its first record (topic.creation.default.partitions"
            " of a connector), for the number must stay",
        )
