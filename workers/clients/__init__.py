"""Clients of Kafka and Redis as the settings describe them.

The one room that reads the settings of the environment, for workers and for the
command line alike. Whoever needs a topic's name, a sender, a reader, an admin or a
dataset's stores asks here, with the part of the settings that it was handed.
"""

from workers.clients.kafka import (
    aiokafka_settings,
    audit,
    from_the_beginning,
    kafka_admin,
    kafka_python_settings,
    kafka_tls,
    process_group,
    publisher,
    tail,
    token_end,
    topics,
)
from workers.clients.redis import (
    DatasetStores,
    connect_store,
    open_stores,
    reach_stores,
    redis_tls,
)
from workers.clients.rows import (
    changes_limit,
    owner_rows,
    rows_fingerprint,
    rows_identity,
    rows_reading,
    rows_topic,
)
from workers.clients.settings import (
    load_dataset,
    load_kafka,
    load_passwords,
    load_settings,
    without_dataset,
)
from workers.clients.tls import certificate_end

__all__ = [
    "DatasetStores",
    "aiokafka_settings",
    "audit",
    "certificate_end",
    "changes_limit",
    "connect_store",
    "from_the_beginning",
    "kafka_admin",
    "kafka_python_settings",
    "kafka_tls",
    "load_dataset",
    "load_kafka",
    "load_passwords",
    "load_settings",
    "open_stores",
    "owner_rows",
    "process_group",
    "publisher",
    "reach_stores",
    "redis_tls",
    "rows_fingerprint",
    "rows_identity",
    "rows_reading",
    "rows_topic",
    "tail",
    "token_end",
    "topics",
    "without_dataset",
]
