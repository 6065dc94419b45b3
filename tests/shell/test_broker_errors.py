"""The errors of both Kafka libraries mean the same to us."""

from __future__ import annotations

import aiokafka.errors
import kafka.errors
import pytest

from sigmacount.errors import EventTooLarge, Mismatch, StreamUnavailable
from streams.clients import broker_errors, kafka_python_errors


@pytest.mark.parametrize(
    ("translated", "theirs"),
    [
        (broker_errors.translated, aiokafka.errors),
        (kafka_python_errors.translated, kafka.errors),
    ],
)
@pytest.mark.parametrize(
    ("kind", "ours"),
    [
        ("UnknownTopicOrPartitionError", Mismatch),
        ("TopicAuthorizationFailedError", Mismatch),
        ("GroupAuthorizationFailedError", Mismatch),
        ("MessageSizeTooLargeError", EventTooLarge),
        ("KafkaError", StreamUnavailable),
        ("KafkaConnectionError", StreamUnavailable),
    ],
)
def test_an_error_of_a_broker_becomes_ours(translated, theirs, kind, ours):
    """The one that says what the caller does then; the cause is kept."""
    cause = getattr(theirs, kind)()

    with pytest.raises(ours) as raised, translated(["rows"]):
        raise cause

    assert raised.value.__cause__ is cause


@pytest.mark.parametrize(
    "translated", [broker_errors.translated, kafka_python_errors.translated]
)
def test_an_error_of_the_caller_passes(translated):
    """Only what a broker or the network did is translated."""
    with pytest.raises(KeyError), translated():
        raise KeyError
