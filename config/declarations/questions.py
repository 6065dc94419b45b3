"""Open questions: what a draft leaves to a person, and what no loader takes."""

from __future__ import annotations

from typing import Final

# No kind, level list, edge, flag or name of a dataset begins so.
MARK: Final = "?"
KEYS: Final = ("name", "kind", "nullable", "levels", "edges", "outside")


def open_question(key: object, value: object) -> str | None:
    """The question that stands in the place of a key's value, or None."""
    if key not in KEYS or not isinstance(value, str) or not value.startswith(MARK):
        return None
    return value.removeprefix(MARK).strip() or "what is it?"
