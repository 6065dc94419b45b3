"""Ask: what may be clicked, and what was, so that a page comes back as it was left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dashboard.asking.clicked import FROM, LEVEL, MISSING, TO, FormFields, ranged
from streams.wire.messages.catalog import Catalog, CatalogAttribute
from streams.wire.messages.standing import StandingQuestion


@dataclass(frozen=True, slots=True)
class LevelBox:
    """A level that may be clicked: what is sent for it, and whether it was."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class AskedAttribute:
    """An attribute as the form has it.

    Attributes:
        field: of its boxes; of a stretch, without ``from`` or ``to``.
        boxes: its levels; of a stretch, those that it may begin with.
        ends: the levels that a stretch may end with; None: it is no stretch.
        hidden: levels that are not shown, because they are too many.
    """

    name: str
    about: str
    field: str
    boxes: tuple[LevelBox, ...]
    ends: tuple[LevelBox, ...] | None
    grouped: bool
    hidden: int


@dataclass(frozen=True, slots=True)
class AskPage:
    """What may be asked of a dataset.

    Attributes:
        shown: the template of what the last press of a button brought, and its
            values; None: nothing was pressed.
    """

    dataset: str
    about: str
    attributes: tuple[AskedAttribute, ...]
    where: str
    error: str
    shown: tuple[str, object] | None = None


@dataclass(frozen=True, slots=True)
class KeptPage:
    """What is said of a question that stands now: its name, and when it is asked."""

    name: str
    when: str


def kept_page(question: StandingQuestion) -> KeptPage:
    """From here on until it is ended."""
    every = question.every
    when = "in every epoch" if every == 1 else f"in each {every:,} epochs once"
    return KeptPage(question.name, when)


def ask_page(
    catalog: Catalog, fields: FormFields, shown: tuple[str, object] | None = None
) -> AskPage:
    """The form of a catalog, as it was sent."""
    attributes = tuple(
        _attribute(place, each, fields) for place, each in enumerate(catalog.attributes)
    )
    where, error = (next(iter(fields.get(n, ())), "") for n in ("where", "error"))
    return AskPage(catalog.dataset, catalog.about, attributes, where, error, shown)


def _attribute(
    place: int, attribute: CatalogAttribute, fields: FormFields
) -> AskedAttribute:
    ends = None
    if ranged(attribute):
        last = str(len(attribute.levels) - 1)
        boxes = tuple(_ends(attribute, fields.get(f"{FROM}.{place}", ("0",))))
        ends = tuple(_ends(attribute, fields.get(f"{TO}.{place}", (last,))))
    else:
        boxes = tuple(_boxes(attribute, fields.get(f"{LEVEL}.{place}", ())))
    return AskedAttribute(
        attribute.name,
        attribute.about,
        str(place),
        boxes,
        ends,
        attribute.name in fields.get("by", ()),
        attribute.left_out,
    )


def _boxes(attribute: CatalogAttribute, chosen: tuple[str, ...]) -> Iterator[LevelBox]:
    places = frozenset(chosen)
    for place, label in enumerate(attribute.levels):
        said = f"{label} (all others)" if label == attribute.other else label
        yield LevelBox(str(place), said, str(place) in places)
    if attribute.nullable:
        yield LevelBox(MISSING, "missing", MISSING in places)


def _ends(attribute: CatalogAttribute, chosen: tuple[str, ...]) -> Iterator[LevelBox]:
    for place, label in enumerate(attribute.levels):
        yield LevelBox(str(place), label, str(place) in chosen)
