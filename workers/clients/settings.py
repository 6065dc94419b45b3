"""The settings of this environment and the dataset they name, read when asked for."""

from __future__ import annotations

import os

from config.declarations import datasets
from config.declarations.datasets import Dataset
from config.servers import Kafka
from config.settings import InvalidSettings, Overrides, Settings
from store.server.acl import ROLES


def load_settings(**overrides: Overrides) -> Settings:
    """The settings of this environment; ``overrides`` win, by group and setting.

    Raises:
        InvalidSettings: names every variable at fault; the operator mends them.
    """
    return Settings.load(**overrides)


def load_kafka(**settings: object) -> Kafka:
    """How to reach the broker: all that an analyst needs to know.

    Raises:
        InvalidSettings: names every variable at fault; the caller mends them.
    """
    return without_dataset(kafka=settings).kafka


def load_passwords() -> dict[str, str]:
    """The password of each user of the store.

    Raises:
        InvalidSettings: one has none; the operator decides on it.
    """
    passwords = without_dataset().passwords
    words = {role: getattr(passwords, role) for role in ROLES}
    if lacking := [role for role, word in words.items() if word is None]:
        raise InvalidSettings(
            tuple(f"{passwords.variable(role)} is not set." for role in lacking)
        )
    return {role: word.get_secret_value() for role, word in words.items()}


def without_dataset(**overrides: Overrides) -> Settings:
    """The settings for an act that counts nothing, so it needs no dataset."""
    named = os.environ.get("SIGMA_DATASET") or "unnamed"
    return load_settings(general={"dataset": named}, **overrides)


def load_dataset(settings: Settings) -> Dataset:
    """The declared dataset: attributes, levels, and how its files look.

    Raises:
        InvalidSchema: there is none, or it contradicts itself; the operator mends it.
    """
    return datasets.load(settings.general.dataset)
