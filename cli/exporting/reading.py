"""The served epoch read as a whole, as the store's user `dashboard` may."""

from __future__ import annotations

from cli.options import ChosenSettings
from sigmacount.errors import SigmaError, StoreUnavailable
from sigmacount.release import CONFIDENCE, Plan
from views.release import ReleaseView
from workers import clients
from workers.answering.ages import aged_as

TRIES = 20  # epochs that may follow each other while one is read


class NothingReleased(SigmaError):
    """No epoch is released yet: there is nothing to export."""

    code = "nothing_released"

    def __str__(self) -> str:
        return (
            "nothing is released yet: the curator publishes the first epoch; `sigma"
            " doctor` says what it waits for"
        )


async def released(given: ChosenSettings) -> ReleaseView:
    """Every algebra's counts, all of one epoch.

    Raises:
        NothingReleased: there is no epoch yet; the caller tries later.
        StoreUnavailable: epochs came faster than they are read; likewise.
    """
    settings = clients.load_settings(**given)
    schema = clients.load_dataset(settings).schema
    async with clients.open_stores(settings, "sigma-export") as stores:
        for _ in range(TRIES):
            head = await stores.released.head()
            if head is None:
                raise NothingReleased
            counts = await stores.released.arrays(head, "counts")
            noisy = await stores.released.arrays(head, "noisy")
            if counts is not None and noisy is not None:
                plan = aged_as(Plan.from_wire(schema, head.plan), head)
                privacy = settings.privacy
                confidence = privacy.confidence if privacy else CONFIDENCE
                return ReleaseView(schema, plan, head, counts, noisy, confidence)
    msg = "epochs follow each other faster than they are read"
    raise StoreUnavailable(msg)
