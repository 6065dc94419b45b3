"""What the errors of a broker mean, and what a caller does then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from aiokafka.errors import (
    GroupAuthorizationFailedError,
    KafkaError,
    MessageSizeTooLargeError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)
from kafka import errors as sync

from sigmacount.errors import EventTooLarge, Mismatch, StreamUnavailable

MISSING = (UnknownTopicOrPartitionError, sync.UnknownTopicOrPartitionError)
TOO_LARGE = (MessageSizeTooLargeError, sync.MessageSizeTooLargeError)
FORBIDDEN = (
    GroupAuthorizationFailedError,
    TopicAuthorizationFailedError,
    sync.GroupAuthorizationFailedError,
    sync.TopicAuthorizationFailedError,
)


@contextmanager
def translated(topics: Iterable[str] = ()) -> Iterator[None]:
    """The broker's errors, of either client, become ours; those of the caller pass.

    Raises:
        Mismatch: the topic is not there, not ours to use, or does not hold the
            position; only an operator can mend that.
        StreamUnavailable: the broker did not answer; try again.
    """
    named = ", ".join(topics) or "something"
    try:
        yield
    except OffsetOutOfRangeError as error:
        raise _out_of_range(error) from error
    except MISSING as error:
        msg = f"a topic is missing ({named}); `sigma topics create` makes it."
        raise Mismatch(msg) from error
    except FORBIDDEN as error:
        msg = f"the broker forbids us to use {named}; grant this user its topics."
        raise Mismatch(msg) from error
    except TOO_LARGE as error:
        raise EventTooLarge(named) from error
    except (KafkaError, sync.KafkaError, OSError) as error:
        raise StreamUnavailable(type(error).__name__) from error


def _out_of_range(error: OffsetOutOfRangeError) -> Mismatch:
    asked = ", ".join(f"{tp.topic}-{tp.partition}" for tp in error.args[0])
    return Mismatch(
        f"the position stored for {asked} is outside the topic: records were"
        " removed, or it is another topic. Nothing was applied; `sigma rebuild`"
        " reads the topic from its beginning."
    )
