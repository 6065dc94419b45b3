"""What the errors of the synchronous Kafka client, kafka-python, mean to us."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

from kafka import errors

from streams.clients import broker_errors

KAFKA_PYTHON = broker_errors.Kinds(
    missing=(errors.UnknownTopicOrPartitionError,),
    forbidden=(
        errors.GroupAuthorizationFailedError,
        errors.TopicAuthorizationFailedError,
    ),
    too_large=(errors.MessageSizeTooLargeError,),
    any=errors.KafkaError,
)


def translated(topics: Iterable[str] = ()) -> AbstractContextManager[None]:
    """Its errors become ours, as `broker_errors.translated` says."""
    return broker_errors.translated(topics, KAFKA_PYTHON)
