"""Consumers that share a topic's partitions: how one is made, and how far it lags."""

from __future__ import annotations

from collections.abc import Callable

from config.metrics import LAG, Dials
from streams.clients.batches import BatchConsumer, OnAssigned, OnRevoked

MakeConsumer = Callable[[OnAssigned, OnRevoked], BatchConsumer]


def show_lag(consumer: BatchConsumer, dials: Dials) -> None:
    """The metric says how many records of each partition of ours are still unread."""
    for tp, lag in consumer.lag().items():
        if lag is not None:
            dials.set(LAG, lag, topic=tp.topic, partition=str(tp.partition))
