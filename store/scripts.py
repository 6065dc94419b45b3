"""Lua scripts by name: loaded once, called by digest, reloaded when forgotten."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import NoScriptError

from store.connection import translated

type_of_argument = bytes | str | int


@cache
def source(name: str) -> tuple[str, str]:
    """(text, sha1) of ``store/lua/<name>.lua``."""
    text = files("store").joinpath("lua", f"{name}.lua").read_text(encoding="utf-8")
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class Scripts:
    """Runs scripts on one client; a script is one step for everybody else."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def run(
        self,
        name: str,
        keys: Sequence[str],
        args: Sequence[type_of_argument],
    ) -> list[Any]:
        """The script's reply; byte strings inside.

        Raises:
            StoreUnavailable: no reply; the caller repeats the act unchanged.
        """
        text, digest = source(name)
        with translated():
            try:
                reply = await self._redis.evalsha(digest, len(keys), *keys, *args)
            except NoScriptError:  # restarted or flushed: EVAL also loads it again
                reply = await self._redis.eval(text, len(keys), *keys, *args)
        return list(reply)
