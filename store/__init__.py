"""Data at rest: Redis keys, scripts and the walls between them."""

from store.server.connection import connect

__all__ = ["connect"]
