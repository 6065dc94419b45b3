"""SyncSession: the same session for code without an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, Self, TypeVar, Unpack

from sigmaclient.answer import Answer
from sigmaclient.question import Options, Question
from sigmaclient.schema import DatasetSchema
from sigmaclient.sessions.session import ANSWER_SECONDS, Session
from sigmaclient.sessions.standing import NamedQuestion, StandingAnswers
from streams.wire.messages.events import Where

T = TypeVar("T")


class SyncSession:
    """A `Session` on a thread of its own; safe to use from many threads at once.

    >>> with SyncSession("localhost:9092", client="planning") as session:
    ...     print(session.ask("age >= 60").count)
    """

    def __init__(
        self,
        bootstrap: str,
        *,
        client: str,
        prefix: str = "sigma.",
        timeout: float = ANSWER_SECONDS,
        **kafka: Any,  # noqa: ANN401  (aiokafka's own settings, passed on)
    ) -> None:
        """Nothing is opened before ``with``; parameters are those of `Session`."""
        self.client = client
        self._session = Session(
            bootstrap, client=client, prefix=prefix, timeout=timeout, **kafka
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def open(self) -> Self:
        """Open both ways; a notebook, which has no ``with``, calls this and `close`.

        Raises:
            StreamUnavailable: no broker there; nothing was left open.
            Mismatch: a broker without our topics, likewise.
        """
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name=f"session {self.client}", daemon=True
        )
        self._thread.start()
        try:
            self._run(self._session.__aenter__()).result()
        except BaseException:
            self._stop()
            raise
        return self

    def close(self) -> None:
        """Close both ways; questions still in flight are cancelled. Twice is once."""
        if self._loop is None:
            return
        try:
            self._run(self._session.close()).result()
        finally:
            self._stop()

    def ask(
        self,
        where: Where | Question = "",
        *,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Answer:
        """How many rows satisfy ``where``; takes and raises what `Session.ask` does."""
        return self.submit(where, timeout=timeout, **options).result()

    def ask_all(
        self, questions: Iterable[Where | Question], *, timeout: float | None = None
    ) -> list[Answer]:
        """The answers in the order of ``questions``, all in flight at once."""
        pending = [self.submit(where, timeout=timeout) for where in questions]
        return [future.result() for future in pending]

    def submit(
        self,
        where: Where | Question = "",
        *,
        timeout: float | None = None,
        **options: Unpack[Options],
    ) -> Future[Answer]:
        """Ask without waiting: ``.result()`` is the answer, or raises as `ask`."""
        return self._run(self._session.ask(where, timeout=timeout, **options))

    def schema(self, dataset: str | None = None) -> DatasetSchema:
        """What may be asked; raises as `Session.schema`."""
        return self._run(self._session.schema(dataset)).result()

    def stand(
        self,
        name: str,
        where: Where | Question = "",
        *,
        every: int = 1,
        **options: Unpack[Options],
    ) -> Iterator[Answer]:
        """Have a question answered in its epochs; takes what `Session.stand` does."""
        asked = self._session.stand(name, where, every=every, **options)
        return self._each(self._run(asked).result())

    def end_standing(self, name: str) -> None:
        """This question is answered no more."""
        self._run(self._session.end_standing(name)).result()

    def standing(self, name: str | None = None) -> Iterator[Answer]:
        """Answers from now on to this client's question ``name``, or to all."""

        async def begun() -> StandingAnswers:
            return self._session.standing(name)

        return self._each(self._run(begun()).result())

    def standing_questions(self) -> tuple[NamedQuestion, ...]:
        """What this client has standing now."""
        return self._run(self._session.standing_questions()).result()

    def _each(self, answers: StandingAnswers) -> Iterator[Answer]:
        async def following() -> Answer | None:
            return await anext(answers, None)

        while (answer := self._run(following()).result()) is not None:
            yield answer

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        if self._loop is None:
            work.close()
            msg = "the session is not open: use `with SyncSession(...)`, or `.open()`"
            raise RuntimeError(msg)
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _stop(self) -> None:
        loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
