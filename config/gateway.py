"""Settings of the gateway: where it listens, whom it lets in, how much it takes."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from config.servers import File
from config.setting_types import (
    Bytes,
    Count,
    Port,
    Seconds,
    SettingsGroup,
    ShortText,
    Unit,
)


class GatewaySettings(SettingsGroup):
    """HTTP → questions."""

    model_config = SettingsConfigDict(env_prefix="SIGMA_GATEWAY_")

    host: ShortText = "127.0.0.1"
    """Address to listen on. Any other than loopback should have TLS, here or before it:
    tokens travel in each request."""
    port: Port = 8440
    """Port to listen on."""
    tokens: File | None = None
    """File of hashed tokens, made by `sigma token new`; a gateway needs one."""
    certificate_file: File | None = None
    """Certificate chain (PEM) for TLS; unset, plain HTTP."""
    key_file: File | None = None
    """Private key (PEM) of that certificate."""
    body_bytes: Bytes = 2**18
    """Longest body of a request; a question has at most 16 KiB of condition."""
    rate: Annotated[float, Field(gt=0, le=10**6), Unit("questions/s")] = 20.0
    """Questions a second that one client may ask for long; a page counts as one."""
    burst: Annotated[Count, Unit("questions")] = 200
    """Questions that one client may ask at once, after it was silent."""
    batch: Annotated[Count, Field(le=10_000), Unit("questions")] = 100
    """Most questions of one request; within the burst."""
    in_flight: Annotated[Count, Unit("questions")] = 2_000
    """Most questions that wait for their answer, of all clients: bounds memory."""
    listeners: Annotated[Count, Unit("listeners")] = 200
    """Most who listen to answers as they come, of all clients; one who reads slowly
    holds 1 MiB of them and is let go."""
    answer_seconds: Annotated[Seconds, Field(le=600)] = 30.0
    """Time after which a request is told that no answer came."""
    origins: ShortText | None = None
    """Sites, comma-separated, whose pages may call it from a browser (CORS), such as
    ``https://charts.example.org``. Unset: none."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if (self.certificate_file is None) is not (self.key_file is None):
            msg = "SIGMA_GATEWAY_CERTIFICATE_FILE goes with SIGMA_GATEWAY_KEY_FILE."
            raise ValueError(msg)
        if self.batch > min(self.burst, self.in_flight):
            msg = "SIGMA_GATEWAY_BATCH exceeds the burst, or what may be in flight."
            raise ValueError(msg)
        return self
