"""The store's own functions: one library, loaded by the admin, called by everybody.

A script that a client sends may run for ever and stop the server for all, so no role
but the admin may send one (no EVAL, no SCRIPT LOAD). A library survives restarts with
the data, which the cache of EVALSHA does not. Its name holds a digest of its text, so
that workers of two releases work side by side while one replaces the other.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from redis.asyncio import Redis
from redis.exceptions import NoPermissionError, ResponseError

from sigmacount.errors import FunctionsMissing
from store.server.connection import text, translated

PREFIX = "sigma_"

# Without the flag a function is refused whole when memory is out, before it has
# written half. A lease must be kept and given back even then.
ALLOWED_WHEN_FULL = {"lease_renew", "lease_release"}


@dataclass(frozen=True, slots=True)
class Library:
    """All scripts of ``store/lua`` as functions of one library.

    Attributes:
        name: of the library, and the beginning of its functions' names.
        code: what FUNCTION LOAD takes.
    """

    name: str
    code: str

    def function(self, script: str) -> str:
        """The name under which a script is called."""
        return f"{self.name}_{script}"


@cache
def library() -> Library:
    """The library of this release."""
    sources = {
        file.name.removesuffix(".lua"): file.read_text(encoding="utf-8")
        for file in files(__package__.rpartition(".")[0]).joinpath("lua").iterdir()
        if file.name.endswith(".lua")
    }
    parts = sorted(sources.items())
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
    name = PREFIX + digest
    functions = (_function(f"{name}_{script}", script, lua) for script, lua in parts)
    return Library(name, "\n".join([f"#!lua name={name}", *functions]))


def _function(name: str, script: str, lua: str) -> str:
    flags = "{ 'allow-oom' }" if script in ALLOWED_WHEN_FULL else "{}"
    return (
        f"redis.register_function{{ function_name = '{name}', flags = {flags},\n"
        f"callback = function(KEYS, ARGV)\n{lua}\nend }}"
    )


async def load(redis: Redis) -> bool:
    """Load the library unless it is there; whether it was new.

    Raises:
        FunctionsMissing: this user may not; the admin does, and the caller waits.
    """
    ours = library()
    try:
        with translated(but=ResponseError):
            await redis.function_load(ours.code)
    except NoPermissionError:
        raise FunctionsMissing(ours.name) from None
    except ResponseError as error:
        if "already exists" in str(error):
            return False
        with translated():
            raise
    return True


async def loaded(redis: Redis) -> list[str]:
    """The names of our libraries on this server, of any release.

    Raises:
        StoreForbids: this user may not look; the admin may.
    """
    with translated():
        found = await redis.execute_command(  # type: ignore[no-untyped-call]
            "FUNCTION", "LIST", "LIBRARYNAME", f"{PREFIX}*"
        )
    return sorted(text(each[each.index(b"library_name") + 1]) for each in found)


def missing(reply: object) -> bool:
    """Whether a reply says that the server does not know a function."""
    return isinstance(reply, ResponseError) and "Function not found" in str(reply)
