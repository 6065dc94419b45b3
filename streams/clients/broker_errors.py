"""What the errors of a broker mean, and what a caller does then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from aiokafka.errors import (
    GroupAuthorizationFailedError,
    KafkaError,
    MessageSizeTooLargeError,
    OffsetOutOfRangeError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)

from sigmacount.errors import EventTooLarge, Mismatch, StreamUnavailable


class Kinds(NamedTuple):
    """The errors of one Kafka library, by what they mean to us."""

    missing: tuple[type[Exception], ...]
    forbidden: tuple[type[Exception], ...]
    too_large: tuple[type[Exception], ...]
    any: type[Exception]


TOO_LARGE = (MessageSizeTooLargeError,)
AIOKAFKA = Kinds(
    missing=(UnknownTopicOrPartitionError,),
    forbidden=(GroupAuthorizationFailedError, TopicAuthorizationFailedError),
    too_large=TOO_LARGE,
    any=KafkaError,
)


@contextmanager
def translated(topics: Iterable[str] = (), kinds: Kinds = AIOKAFKA) -> Iterator[None]:
    """The broker's errors, of one library, become ours; those of the caller pass.

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
    except kinds.missing as error:
        msg = f"a topic is missing ({named}); `sigma topics create` makes it."
        raise Mismatch(msg) from error
    except kinds.forbidden as error:
        msg = f"the broker forbids us to use {named}; grant this user its topics."
        raise Mismatch(msg) from error
    except kinds.too_large as error:
        raise EventTooLarge(named) from error
    except (kinds.any, OSError) as error:
        raise StreamUnavailable(type(error).__name__) from error


def _out_of_range(error: OffsetOutOfRangeError) -> Mismatch:
    asked = ", ".join(f"{tp.topic}-{tp.partition}" for tp in error.args[0])
    return Mismatch(
        f"the position stored for {asked} is outside the topic: records were"
        " removed, or it is another topic. Nothing was applied; `sigma rebuild`"
        " reads the topic from its beginning."
    )
