"""Who runs the command line: a process need not have a name."""

from __future__ import annotations

import getpass
import os


def name() -> str:
    """The user's name, or its number, as in an image without a user table."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return f"uid-{os.getuid()}"
