"""Schemas from files, for tests and where no registry is to be reached."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sigmacount.errors import StreamUnavailable
from streams.formats.registry.schemas import SCHEMA_BYTES, RegisteredSchema

KINDS: Final = {".avsc": "AVRO", ".json": "JSON"}


class Folder:
    """``<number>.avsc`` or ``<number>.json`` in one directory."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def fetch(self, number: int) -> RegisteredSchema | None:
        """The schema of that number, or None: there is no such file.

        Raises:
            StreamUnavailable: the directory cannot be read; the operator mends that.
        """
        for ending, kind in KINDS.items():
            file = self._path / f"{number}{ending}"
            try:
                with file.open("rb") as opened:
                    return RegisteredSchema(kind, opened.read(SCHEMA_BYTES + 1))
            except FileNotFoundError:
                continue
            except OSError as error:
                msg = f"schema {number} cannot be read: {type(error).__name__}"
                raise StreamUnavailable(msg) from None
        if not self._path.is_dir():
            msg = "SIGMA_ROWS_REGISTRY is no directory and no http(s) URL"
            raise StreamUnavailable(msg)
        return None
