"""The client's build backend: the one of the checkout that it lies in.

A backend must stand inside the folder it builds, so this one hands on. The archive
that `build_sdist` makes holds all it needs and is built by setuptools alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools.build_meta import (
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from wheels import backend
from wheels.stage import CLIENT

__all__ = [
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_wheel",
]


def build_wheel(
    wheel_directory: str,
    config_settings: backend.Settings = None,
    metadata_directory: str | None = None,  # noqa: ARG001  (made again, the same)
) -> str:
    """The name of the client's wheel, which is in ``wheel_directory`` now."""
    return backend.wheel(CLIENT, wheel_directory, config_settings)


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: backend.Settings = None
) -> str:
    """The name of the folder of metadata that the wheel will hold."""
    return backend.metadata(CLIENT, metadata_directory, config_settings)


def build_sdist(sdist_directory: str, config_settings: backend.Settings = None) -> str:
    """The name of the client's source archive, in ``sdist_directory`` now."""
    return backend.sdist(CLIENT, sdist_directory, config_settings)
