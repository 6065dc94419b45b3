"""Values as TOML spells them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Final

_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_LITERAL: Final = re.compile(r"[^'\x00-\x1f\x7f]*")
WIDE: Final = 88  # columns of a line


def text(words: str) -> str:
    """A text in double quotes; JSON's escapes are TOML's too."""
    return json.dumps(words, ensure_ascii=False).replace("\x7f", "\\u007f")


def literal(words: str) -> str:
    """A text that may hold double quotes, which single ones leave as they are."""
    return f"'{words}'" if _LITERAL.fullmatch(words) else text(words)


def key(name: str) -> str:
    """The name of a key or of a table."""
    return name if _BARE.fullmatch(name) else text(name)


def texts(name: str, values: Sequence[str]) -> str:
    """``name = ["a", "b"]``, on as many lines as it takes."""
    spelled = [text(value) for value in values]
    line = f"{name} = [{', '.join(spelled)}]"
    if len(line) <= WIDE:
        return line
    return "\n".join((f"{name} = [", *(f"  {each}," for each in spelled), "]"))
