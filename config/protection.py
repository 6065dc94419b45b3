"""Which settings of a protected connection go together, for Kafka and for Redis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar
from urllib.parse import urlsplit

from config.setting_types import SettingsGroup

G = TypeVar("G", bound=SettingsGroup)
LOOPBACK = {"127.0.0.1", "::1", "localhost"}


def without_faults(group: G, faults: Iterable[str]) -> G:
    """The group itself.

    Raises:
        ValueError: there are faults; the operator mends all of them.
    """
    if found := " ".join(faults):
        raise ValueError(found)
    return group


def faults_of_kafka(kafka: Any) -> Iterator[str]:  # noqa: ANN401 - it imports us
    """One sentence for each thing that is missing, or that nothing would read."""
    protocol, name = kafka.security_protocol, kafka.variable
    yield from _faults_of_pair(kafka)
    if kafka.certificate_file is not None and "SSL" not in protocol:
        yield f"{name('certificate_file')} is shown under SSL and SASL_SSL alone."
    if not protocol.startswith("SASL"):
        return
    if kafka.sasl_mechanism == "OAUTHBEARER":
        yield from _faults_of_tokens(kafka)
    elif kafka.user is None or kafka.password is None:
        yield f"{name('user')} and {name('password')} are needed for SASL."


def faults_of_redis(redis: Any) -> Iterator[str]:  # noqa: ANN401 - it imports us
    """The same, of the store."""
    yield from _faults_of_pair(redis)
    scheme = urlsplit(redis.url.get_secret_value()).scheme
    if redis.certificate_file is not None and scheme != "rediss":
        yield f"{redis.variable('certificate_file')} is shown under rediss:// alone."
    for address in addresses(redis.sentinels or ""):
        if not address.rpartition(":")[2].isdigit():
            yield f"{redis.variable('sentinels')} lists HOST:PORT, comma-separated."
            return


def addresses(listed: str) -> list[str]:
    """HOST:PORT, of a list with commas or blanks."""
    return listed.replace(",", " ").split()


def _faults_of_pair(group: Any) -> Iterator[str]:  # noqa: ANN401
    if (group.certificate_file is None) is not (group.key_file is None):
        name = group.variable
        yield f"{name('certificate_file')} goes with {name('key_file')}."


def _faults_of_tokens(kafka: Any) -> Iterator[str]:  # noqa: ANN401
    name, url = kafka.variable, kafka.oauth_token_url
    if (kafka.oauth_token_file is None) is (url is None):
        yield (
            f"OAUTHBEARER takes its token from {name('oauth_token_file')}"
            f" or from {name('oauth_token_url')}."
        )
    if url is None:
        return
    if kafka.oauth_client_id is None or kafka.oauth_client_secret is None:
        wanted = f"{name('oauth_client_id')} and {name('oauth_client_secret')}"
        yield f"{wanted} go with {name('oauth_token_url')}."
    parts = urlsplit(url)
    near = parts.scheme == "http" and parts.hostname in LOOPBACK
    if not (parts.hostname and (parts.scheme == "https" or near)):
        yield f"{name('oauth_token_url')} is https, or http on this machine."
