"""Secrets from files: a variable with _FILE behind it names what holds the secret.

Kubernetes, Docker and systemd hand secrets over as files: an environment is inherited
by children, and shown by whoever describes a process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo
from pydantic_settings import PydanticBaseSettingsSource

SUFFIX = "_FILE"


class SecretFiles(PydanticBaseSettingsSource):
    """The texts of those secrets of a group that files hold.

    What cannot be read is left out here; ``faults`` says so, before anything starts.
    """

    def __init__(self, group: Any, variables: Mapping[str, str]) -> None:  # noqa: ANN401 - a class of settings
        """``variables`` are those of the group's secrets, by the name of the field."""
        super().__init__(group)
        self._variables = variables

    def get_field_value(
        self, field: FieldInfo, field_name: str
    ) -> tuple[str | None, str, bool]:
        """Text, name, and that it is no JSON."""
        del field
        path = os.environ.get(f"{self._variables[field_name]}{SUFFIX}")
        return (text_of(path) if path else None), field_name, False

    def __call__(self) -> dict[str, Any]:
        """Field → text."""
        fields = self.settings_cls.model_fields
        texts = {
            name: self.get_field_value(fields[name], name)[0]
            for name in self._variables
        }
        return {name: text for name, text in texts.items() if text}


def text_of(path: str) -> str | None:
    """What a file holds, without the end of its line; None where it cannot be read."""
    try:
        return Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError, ValueError):
        return None


def faults(variables: Mapping[str, str]) -> Iterator[str]:
    """A sentence for each secret of a group whose file cannot be what it should."""
    for variable in variables.values():
        named = f"{variable}{SUFFIX}"
        path = os.environ.get(named)
        if not path:
            continue
        if os.environ.get(variable):
            yield f"{variable} and {named} are both set: name one."
        elif not text_of(path):
            yield f"{named} names a file that is empty or cannot be read."
