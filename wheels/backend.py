"""The build backend: setuptools on a staged folder; on the checkout, when editable.

The hooks are PEP 517's and PEP 660's. `pip install -e .` is the checkout as it is, both
distributions in one, under the names that its sources use.
"""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
)

from wheels.stage import SERVICE, staged

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, str | list[str] | None] | None


def build_wheel(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: str | None = None,  # noqa: ARG001  (made again, the same)
) -> str:
    """The name of the service's wheel, which is in ``wheel_directory`` now."""
    return wheel(SERVICE, wheel_directory, config_settings)


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: Settings = None
) -> str:
    """The name of the folder of metadata that the wheel will hold."""
    return metadata(SERVICE, metadata_directory, config_settings)


def wheel(distribution: str, folder: str, settings: Settings) -> str:
    """Build ``distribution`` into ``folder``; the name of the file."""
    target = str(Path(folder).resolve())
    with staged(distribution) as stage, chdir(stage):
        return build_meta.build_wheel(target, settings)


def sdist(distribution: str, folder: str, settings: Settings) -> str:
    """A source archive that setuptools alone can build; the name of the file."""
    target = str(Path(folder).resolve())
    with staged(distribution) as stage, chdir(stage):
        return build_meta.build_sdist(target, settings)


def metadata(distribution: str, folder: str, settings: Settings) -> str:
    """Write the metadata alone into ``folder``; the name of what was written."""
    target = str(Path(folder).resolve())
    with staged(distribution) as stage, chdir(stage):
        return build_meta.prepare_metadata_for_build_wheel(target, settings)
