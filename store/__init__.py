"""Data at rest: Redis keys, scripts and the walls between them."""

from store.connection import connect

__all__ = ["connect"]
