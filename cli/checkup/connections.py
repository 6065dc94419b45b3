"""Checks of the connections: what protects them, and how long that is good for."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit

from cli.checkup.check import Check, fail, ok, warn
from config.protection import LOOPBACK, addresses
from config.servers import Kafka, Redis
from store.server.connection import master_of
from workers import clients
from workers.clients import DatasetStores

DAY_S = 86_400.0
SOON_DAYS = 21  # a certificate that ends within them should be renewed now


def of_broker(kafka: Kafka) -> Iterator[Check]:
    """Whether it is plain text; whose certificate it is, and the token, else."""
    brokers = addresses(kafka.bootstrap)
    if "SSL" in kafka.security_protocol:
        ends = clients.certificate_end(brokers[0], clients.kafka_tls(kafka).context())
        yield _until("the broker", ends)
    elif any(address.rpartition(":")[0] not in LOOPBACK for address in brokers):
        yield warn(
            "wire",
            "Kafka is spoken to in plain text: who listens reads rows and answers",
            "SIGMA_KAFKA_SECURITY_PROTOCOL=SSL or SASL_SSL",
        )
    if kafka.sasl_mechanism == "OAUTHBEARER" and "SASL" in kafka.security_protocol:
        yield _token(clients.token_end(kafka))


async def of_store(stores: DatasetStores, redis: Redis) -> AsyncIterator[Check]:
    """The same of the store, and who says which server it is."""
    url = urlsplit(redis.url.get_secret_value())
    host, port = url.hostname or "", url.port or 6379
    if (master := await master_of(stores.redis)) is not None:
        host, port = master
        yield ok("sentinels", f"they name {host}:{port} as {redis.sentinel_master}")
        if redis.replicas == 0:
            yield warn(
                "failover",
                "may forget the last charges and noises; curators notice, and end",
                "SIGMA_REDIS_REPLICAS=1, with two replicas or more",
            )
    if url.scheme == "rediss":
        ends = clients.certificate_end(
            f"{host}:{port}", clients.redis_tls(redis).context()
        )
        yield _until("the store", ends)
    elif url.scheme == "redis" and host not in LOOPBACK:
        yield warn(
            "wire",
            "Redis is spoken to in plain text: who listens reads the truth",
            "a rediss:// URL",
        )


def _until(whose: str, ends: float) -> Check:
    days = (ends - time.time()) / DAY_S
    words = f"the certificate of {whose} is good for {days:,.0f} days"
    if days < SOON_DAYS:
        return warn("wire", words, "renew it")
    return ok("wire", words)


def _token(ends: float | None) -> Check:
    if ends is None:
        return ok("token", "there is one; it does not say when it ends")
    minutes = (ends - time.time()) / 60
    if minutes < 0:
        return fail("token", "it has ended", "see to whatever renews it")
    return ok("token", f"good for {minutes:,.0f} minutes")
