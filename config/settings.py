"""All settings of one process, read once from the environment.

``workers/clients`` reads them; nobody else sees the environment. The total privacy
budget has no default: a person answers for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Self, TypeVar, cast

from pydantic import ValidationError
from pydantic_settings import SettingsConfigDict

from config import kubernetes_links, secret_files
from config.gateway import GatewaySettings
from config.privacy import Privacy
from config.roles import (
    CounterSettings,
    CuratorSettings,
    ReclusterSettings,
    ResponderSettings,
    RowsSettings,
)
from config.servers import Kafka, Logs, Passwords, Redis, Web
from config.setting_types import SettingRow, SettingsGroup, ShortText
from sigmacount.errors import SigmaError

OTHERS = ("SIGMA_TEST_", "SIGMA_BENCH_")  # read by tests and benchmarks, not by us
G = TypeVar("G", bound=SettingsGroup)
Overrides = Mapping[str, object]


class InvalidSettings(SigmaError):
    """The environment does not describe a service; nothing was started.

    Attributes:
        complaints: one sentence for each variable at fault, never its value.
    """

    code = "invalid_settings"

    def __init__(self, complaints: tuple[str, ...]) -> None:
        super().__init__(complaints)
        self.complaints = complaints

    def __str__(self) -> str:
        return " ".join(
            (
                "The settings are incomplete or wrong; nothing was started.",
                *self.complaints,
                "All settings are listed in docs/settings.md.",
            )
        )


class General(SettingsGroup):
    """What is counted."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_")

    dataset: ShortText
    """Name of a shipped declaration, or path of a TOML file: the attributes and their
    levels. No default: the levels decide what can be asked."""


GROUPS: tuple[type[SettingsGroup], ...] = (
    General,
    Privacy,
    Kafka,
    Redis,
    RowsSettings,
    CounterSettings,
    CuratorSettings,
    ResponderSettings,
    ReclusterSettings,
    GatewaySettings,
    Passwords,
    Web,
    Logs,
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting, by group.

    Attributes:
        privacy: None where no variable of its group is set: such a process may count
            rows, answer from releases and ask, but has nothing to spend.
    """

    general: General
    kafka: Kafka
    redis: Redis
    rows: RowsSettings
    counter: CounterSettings
    curator: CuratorSettings
    responder: ResponderSettings
    recluster: ReclusterSettings
    gateway: GatewaySettings
    passwords: Passwords
    web: Web
    logs: Logs
    privacy: Privacy | None

    @classmethod
    def load(cls, **overrides: Overrides) -> Self:
        """The settings of this environment; ``overrides`` win, by group and setting.

        Raises:
            InvalidSettings: every variable at fault is named at once; the operator
                mends the environment.
        """
        complaints = list(_strangers(os.environ))

        def read(group: type[G]) -> G | None:
            complaints.extend(secret_files.faults(group.secrets()))
            try:
                return group(**cast("dict[str, Any]", overrides.get(_key(group), {})))
            except ValidationError as error:
                complaints.extend(_complaints(group, error))
                return None

        unnamed = Privacy if not _mentions(Privacy, overrides) else None
        groups = {_key(g): None if g is unnamed else read(g) for g in GROUPS}
        if complaints:
            raise InvalidSettings(tuple(complaints))
        settings = cls(**cast("dict[str, Any]", groups))
        if settings.recluster.window_days > settings.kafka.query_log_days:
            raise InvalidSettings(
                ("SIGMA_RECLUSTER_WINDOW_DAYS exceeds SIGMA_KAFKA_QUERY_LOG_DAYS.",)
            )
        return settings

    def spending(self) -> Privacy:
        """The settings of the budget, for a process that releases or plans.

        Raises:
            InvalidSettings: no budget is named; the operator decides on one.
        """
        if self.privacy is None:
            raise InvalidSettings(
                ("SIGMA_PRIVACY_BUDGET has no default: name the total budget in µε.",)
            )
        return self.privacy


def declared() -> Iterator[SettingRow]:
    """Every setting of the service, for the table of settings."""
    for group in GROUPS:
        yield from group.declared()


def variables() -> frozenset[str]:
    """Every variable that is heeded, those that name the files of secrets too."""
    files = (
        f"{variable}{secret_files.SUFFIX}"
        for group in GROUPS
        for variable in group.secrets().values()
    )
    return frozenset((*(setting.variable for setting in declared()), *files))


def _key(group: type[SettingsGroup]) -> str:
    return group.title().lower()


def _mentions(group: type[SettingsGroup], overrides: Mapping[str, Overrides]) -> bool:
    return bool(overrides.get(_key(group))) or any(
        group.variable(field) in os.environ for field in group.model_fields
    )


def _strangers(environ: Mapping[str, str]) -> Iterator[str]:
    """A misspelt variable would be a setting that silently does nothing."""
    known = variables()
    for name in sorted(environ):
        ours = name.startswith("SIGMA_") and not name.startswith(OTHERS)
        if (
            ours
            and name not in known
            and not kubernetes_links.is_link(name, environ[name])
        ):
            close = get_close_matches(name, known, n=1)
            instead = f", {close[0]} is." if close else "."
            yield f"{name} is no setting of ours{instead}"


def _complaints(group: type[SettingsGroup], error: ValidationError) -> Iterator[str]:
    for fault in error.errors(include_url=False, include_input=False):
        if fault["type"] == "default_factory_not_called":
            continue  # follows from a fault that is named already
        where = ".".join(map(str, fault["loc"]))
        name = group.variable(where) if where else ""
        if link := kubernetes_links.complaint(name, os.environ.get(name, "")):
            yield link
            continue
        named = f"{name}: " if where else ""
        yield named + fault["msg"].removeprefix("Value error, ").rstrip(".") + "."
