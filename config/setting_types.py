"""How a setting is declared: by a type with its unit, its bounds and a reason.

The unit is part of the type, so the table in ``docs/settings.md`` is generated and a
test can demand that it is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from config.secret_files import SecretFiles


@dataclass(frozen=True, slots=True)
class Unit:
    """What a number counts, for people; carried by the setting's type."""

    name: str


MicroEps = Annotated[int, Field(ge=1, le=10**12), Unit("µε")]
LedgerUnits = Annotated[int, Field(ge=1, le=2**53 - 1), Unit("µε, or pρ of zcdp")]
Seconds = Annotated[float, Field(gt=0, le=10**9), Unit("s")]
Millis = Annotated[int, Field(ge=1, le=10**9), Unit("ms")]
Days = Annotated[int, Field(ge=1, le=3650), Unit("days")]
Bytes = Annotated[int, Field(ge=1024, le=2**30), Unit("bytes")]
Count = Annotated[int, Field(ge=1, le=2**31 - 1)]  # each setting says of what
Share = Annotated[float, Field(gt=0, lt=1), Unit("share of 1")]
Port = Annotated[int, Field(ge=0, le=65535), Unit("port, 0 = any free one")]
ShortText = Annotated[str, Field(min_length=1, max_length=1000), Unit("text")]
OF_SECRETS = Unit("secret text")
Secret = Annotated[SecretStr, OF_SECRETS]
Flag = Annotated[bool, Unit("yes or no")]


@dataclass(frozen=True, slots=True)
class SettingRow:
    """One row of the table of settings.

    Attributes:
        variable: name of the environment variable.
        unit: what its value counts.
        default: the default in words, or None where a person must decide.
        bounds: the accepted range or choices in words; empty for free text.
        reason: what it does and why its default is what it is.
    """

    variable: str
    unit: str
    default: str | None
    bounds: str
    reason: str


class SettingsGroup(BaseSettings):
    """A frozen group of settings that share the prefix of their variables.

    Inputs never appear in error texts: one of them may be a password. A secret may
    stand in a file instead, which its variable with ``_FILE`` behind it names.
    """

    model_config: ClassVar[SettingsConfigDict] = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        hide_input_in_errors=True,
        env_ignore_empty=True,
        use_attribute_docstrings=True,
    )

    @classmethod
    def title(cls) -> str:
        """The word for the group: ``Counter`` of ``CounterSettings``."""
        return cls.__name__.removesuffix("Settings")

    @classmethod
    def variable(cls, field: str) -> str:
        """The environment variable that sets ``field``."""
        return f"{cls.model_config.get('env_prefix', '')}{field}".upper()

    @classmethod
    def secrets(cls) -> dict[str, str]:
        """The variable of each secret, by the name of its field."""
        return {
            name: cls.variable(name)
            for name, field in cls.model_fields.items()
            if _unit(field) == OF_SECRETS.name
        }

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What the caller says, then the environment, then files that it names."""
        del dotenv_settings, file_secret_settings
        return init_settings, env_settings, SecretFiles(settings_cls, cls.secrets())

    @classmethod
    def declared(cls) -> Iterator[SettingRow]:
        """The rows of this group, in the order of declaration."""
        for name, field in cls.model_fields.items():
            yield SettingRow(
                variable=cls.variable(name),
                unit=_unit(field),
                default=_default(field),
                bounds=_bounds(field),
                reason=" ".join((field.description or "").split()),
            )


def _parts(annotation: object) -> Iterator[object]:
    """Every constraint, unit and choice nested in a type, such as ``X | None``."""
    for part in (
        *getattr(annotation, "__metadata__", ()),
        *getattr(annotation, "__args__", ()),
    ):
        yield from part.metadata if isinstance(part, FieldInfo) else (part,)
        yield from _parts(part)


def _facts(field: FieldInfo) -> list[Any]:
    return [*field.metadata, *_parts(field.annotation)]


def _unit(field: FieldInfo) -> str:
    units = [fact.name for fact in _facts(field) if isinstance(fact, Unit)]
    choices = [fact for fact in _facts(field) if isinstance(fact, str)]
    return units[-1] if units else "choice" if choices else ""


def _bounds(field: FieldInfo) -> str:
    facts = _facts(field)
    choices = [fact for fact in facts if isinstance(fact, str)]
    if choices:
        return " · ".join(choices)
    lower = [(f.ge, "≥") for f in facts if hasattr(f, "ge")]
    lower += [(f.gt, ">") for f in facts if hasattr(f, "gt")]
    upper = [(f.le, "≤") for f in facts if hasattr(f, "le")]
    upper += [(f.lt, "<") for f in facts if hasattr(f, "lt")]
    tightest = [max(lower)] if lower else []
    tightest += [min(upper)] if upper else []
    return ", ".join(f"{sign} {bound:,}" for bound, sign in tightest)


def _default(field: FieldInfo) -> str | None:
    if field.is_required():
        return None
    if field.default_factory is not None:
        return (field.default_factory.__doc__ or "derived").strip()
    value = cast("object", field.default)
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return f"{value:,}" if isinstance(value, int | float) else str(value)
