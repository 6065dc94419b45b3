"""Ask: what may be clicked, what a question costs, and its answer."""

from __future__ import annotations

from dataclasses import dataclass

from streams.wire.messages.catalog import Catalog


@dataclass(frozen=True, slots=True)
class AskPage:
    """What may be asked of a dataset."""

    dataset: str
    about: str


def ask_page(catalog: Catalog) -> AskPage:
    """The form of a catalog."""
    return AskPage(catalog.dataset, catalog.about)
