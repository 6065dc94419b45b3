"""Sending: what goes to the broker, for no longer than somebody waits."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine


async def sent_within(sending: Coroutine[object, object, None], seconds: float) -> bool:
    """Whether all of it was taken in time; one that is silent is waited for no longer.

    What waits for it goes on by itself: half a flush would harm others' events.

    Raises:
        StreamUnavailable, Mismatch: as the publisher does, if it does so in time.
    """
    task = asyncio.create_task(sending)
    task.add_done_callback(lambda task: task.cancelled() or task.exception())
    done, _ = await asyncio.wait([task], timeout=seconds)
    if done:
        task.result()
    return bool(done)
