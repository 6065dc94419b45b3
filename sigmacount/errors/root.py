"""The root of every error raised on purpose."""

from __future__ import annotations

from typing import ClassVar


class SigmaError(Exception):
    """The root: ``except SigmaError`` catches all that is raised on purpose.

    Attributes:
        code: stable machine word of the class, for messages on the wire.
        retriable: True when the same act may succeed later, unchanged.
    """

    code: ClassVar[str] = "error"
    retriable: ClassVar[bool] = False
