"""Options that many verbs share, spelled and explained once."""

from __future__ import annotations

import getpass
import os
from typing import Annotated

import typer

KafkaOption = Annotated[
    str | None,
    typer.Option(
        "--kafka",
        metavar="HOST:PORT",
        help="The broker; else SIGMA_KAFKA_BOOTSTRAP.",
        show_default=False,
    ),
]
PrefixOption = Annotated[
    str | None,
    typer.Option(
        "--prefix",
        help="Start of the topics' names; else SIGMA_KAFKA_PREFIX.",
        show_default=False,
    ),
]
RedisOption = Annotated[
    str | None,
    typer.Option(
        "--redis",
        metavar="URL",
        help="The store; else SIGMA_REDIS_URL (and _USER, _PASSWORD).",
        show_default=False,
    ),
]
DatasetOption = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        "-d",
        metavar="NAME",
        help="A shipped dataset, or the path of a TOML file; else SIGMA_DATASET.",
        show_default=False,
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON, for programs, not tables.")
]
TimeoutOption = Annotated[
    float, typer.Option(metavar="SECONDS", min=0.1, help="How long to wait.")
]
WAIT_SECONDS = 30.0  # for an answer: a few epochs

ChosenSettings = dict[str, dict[str, object]]  # group of settings → setting → value


def overrides(
    *,
    dataset: str | None = None,
    kafka: str | None = None,
    prefix: str | None = None,
    redis: str | None = None,
) -> ChosenSettings:
    """Options that were given, as the settings take them; the rest stays unset."""
    given: ChosenSettings = {
        "general": {"dataset": dataset},
        "kafka": {"bootstrap": kafka, "prefix": prefix},
        "redis": {"url": redis},
    }
    chosen = {
        group: {name: value for name, value in settings.items() if value is not None}
        for group, settings in given.items()
    }
    return {group: settings for group, settings in chosen.items() if settings}


def user_name() -> str:
    """Who runs the command line: a name, or a number where no user table has one."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return f"uid-{os.getuid()}"
