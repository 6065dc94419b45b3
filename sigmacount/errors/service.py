"""Errors of the service: owners, positions, stores and streams."""

from __future__ import annotations

from sigmacount.errors.root import SigmaError

MEND = "Mend the dataset's declaration, or the events' producer."


class Fenced(SigmaError):
    """A newer owner holds the fencing token; this write changed nothing."""

    code = "fenced"


class WorkEnded(SigmaError):
    """A long act was left before its end; nothing came of it.

    The process stops, or another took over: who works on begins the act anew.
    """

    code = "work_ended"
    retriable = True


class PositionMismatch(SigmaError):
    """A batch does not begin at the stored position; nothing was applied.

    Attributes:
        stored: the position the store expects next.
        offered: the position the batch begins at.
    """

    code = "position_mismatch"

    def __init__(self, stored: int, offered: int) -> None:
        super().__init__(stored, offered)
        self.stored, self.offered = stored, offered

    def __str__(self) -> str:
        return (
            f"the store expects position {self.stored}, the batch begins at"
            f" {self.offered}; nothing was applied. Seek to the stored position."
        )


class Superseded(SigmaError):
    """What was to be published belongs to an epoch that is over; nothing changed.

    Attributes:
        epoch: the one offered.
        head: the one that is served, or None before the first.
    """

    code = "superseded"

    def __init__(self, epoch: int, head: int | None) -> None:
        super().__init__(epoch, head)
        self.epoch, self.head = epoch, head

    def __str__(self) -> str:
        served = "no epoch" if self.head is None else f"epoch {self.head}"
        return (
            f"{served} is served, epoch {self.epoch} does not fit it; nothing changed."
            " Read the head again."
        )


class UnsafeStore(SigmaError):
    """The Redis server is set up so that it may lose what it must keep."""

    code = "unsafe_store"


class StoreWentBack(SigmaError):
    """The store is behind what was already charged or shown; nothing was written.

    Attributes:
        what: which figure is behind, and by how much.
    """

    code = "store_went_back"

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return (
            f"the store went back: {self.what}. Noise could be drawn a second time for"
            " what was shown before, so nothing was charged, drawn or shown. Stop the"
            " curators; `sigma ledger restore` brings the missing charges back from"
            " the topic `ledger` and marks noise that was lost."
        )


class OldKeys(SigmaError):
    """The store holds the dataset under the key names of an older release.

    Attributes:
        dataset: whose keys.
        found: the name of one of them.
    """

    code = "old_keys"

    def __init__(self, dataset: str, found: str) -> None:
        super().__init__(dataset, found)
        self.dataset, self.found = dataset, found

    def __str__(self) -> str:
        return (
            f"the store holds dataset {self.dataset!r} under the key names of an older"
            f" release ({self.found}); nothing was read or changed. Stop all its"
            " workers, then `sigma migrate-keys`, as the user admin, renames them."
        )


class KeysClash(SigmaError):
    """Keys exist under their old and their new names; none of them was changed.

    Attributes:
        dataset: whose keys.
        keys: how many, as far as was looked.
        one: the old name of the first.
    """

    code = "keys_clash"

    def __init__(self, dataset: str, keys: int, one: str) -> None:
        super().__init__(dataset, keys, one)
        self.dataset, self.keys, self.one = dataset, keys, one

    def __str__(self) -> str:
        return (
            f"dataset {self.dataset!r} has {self.keys} keys under old and new names"
            f" alike ({self.one}); none of these was changed. Two stores were mixed:"
            " put back the copy that is right, or remove the keys of the other, and"
            " run `sigma migrate-keys` again."
        )


class Mismatch(SigmaError):
    """What the stream holds and what the store remembers do not belong together."""

    code = "mismatch"


class EventTooLarge(Mismatch):
    """An event has more bytes than its topic takes; nothing of it was sent.

    Attributes:
        topic: where it should go.
    """

    code = "event_too_large"

    def __init__(self, topic: str) -> None:
        super().__init__(topic)
        self.topic = topic

    def __str__(self) -> str:
        return (
            f"what there is to say is too large for the topic {self.topic}; nothing of"
            " it was sent. Ask for less at once, or have an operator raise the topic's"
            " max.message.bytes."
        )


class TooManyDeadLetters(SigmaError):
    """So many events are refused that the worker halts; all wait in their topic.

    Attributes:
        bad: events refused in the window.
        seen: events seen in the window.
        worst: the most frequent reason among them.
        remedy: what to do about that reason, where it is known.
    """

    code = "too_many_dead_letters"

    def __init__(self, bad: int, seen: int, worst: str, remedy: str = MEND) -> None:
        super().__init__(bad, seen, worst, remedy)
        self.bad, self.seen, self.worst, self.remedy = bad, seen, worst, remedy

    def __str__(self) -> str:
        return (
            f"{self.bad} of the last {self.seen} events mean nothing, most often"
            f" because of {self.worst!r}; the worker halts so that a bad deploy"
            f" cannot drain the topic, and the last batch waits in it. {self.remedy}"
            " Then start again; or, when the events themselves are wrong, start once"
            " with SIGMA_COUNTER_DEAD_LETTER_RATIO=0.999, and they go to the dead"
            " letters."
        )


class UnreadableBatch(SigmaError):
    """A batch of a topic is broken: no reader can tell what is in it.

    Where a record may be missed the caller steps over it, with a dead letter; where
    none may, it stops, and an operator mends the topic.

    Attributes:
        topic: that it is in, with its ``partition``.
        first: offset of the first record in it.
        last: offset of the last one.
        why: the kind of failure; never what was read.
    """

    code = "unreadable_batch"

    def __init__(
        self, topic: str, partition: int, first: int, last: int, why: str
    ) -> None:
        super().__init__(topic, partition, first, last, why)
        self.topic, self.partition = topic, partition
        self.first, self.last, self.why = first, last, why

    def __str__(self) -> str:
        return (
            f"offsets {self.first} to {self.last} of partition {self.partition} of"
            f" {self.topic} cannot be read ({self.why}); nothing of them was applied."
            " A topic of rows may not miss any: bring the batch back from a replica"
            " or a backup of the broker and start again; or make the topic anew, have"
            " every row sent again, and run `sigma rebuild`."
        )


class StreamUnavailable(SigmaError):
    """The broker did not answer or acknowledge; whether it has the event is unknown.

    Every event may be sent again, so the caller repeats from its position.
    """

    code = "stream_unavailable"
    retriable = True


class StoreUnavailable(SigmaError):
    """Redis did not answer in time; whether it applied the act is unknown.

    Every act is fenced or idempotent, so the caller repeats it unchanged.
    """

    code = "store_unavailable"
    retriable = True
