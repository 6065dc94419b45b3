"""Libraries of the extra ``notebook``, imported when they are first used."""

from __future__ import annotations

import importlib
from typing import Any

from sigmaclient.errors import ExtraMissing


def library(name: str) -> Any:  # noqa: ANN401  (a module that may be absent)
    """The module ``name``.

    Raises:
        ExtraMissing: it is not installed; the error says what installs it.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name.partition(".")[0]:
            raise  # it is there; something that it needs is not
        raise ExtraMissing(error.name) from None
