"""What this command line is called: its distribution, and how to run it once more."""

from __future__ import annotations

import sys
from importlib import metadata

DISTRIBUTION = "sigma-counting"
# This very package, whatever it is installed as.
SIGMA = (sys.executable, "-m", f"{__package__}.main")


def version() -> str:
    """The release that is installed, or words for a checkout that is not."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return "unknown: it runs from files that were not installed"
