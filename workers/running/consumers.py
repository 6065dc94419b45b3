"""Consumers that share a topic's partitions: how one is made, and how far it lags."""

from __future__ import annotations

from collections.abc import Callable

from config.metrics import LAG, Metrics
from streams.clients.batch_consumer import BatchConsumer, OnAssigned, OnRevoked

MakeConsumer = Callable[[OnAssigned, OnRevoked], BatchConsumer]


def show_lag(consumer: BatchConsumer, metrics: Metrics) -> None:
    """The metric says how many records of each partition of ours are still unread."""
    for tp, lag in consumer.lag().items():
        if lag is not None:
            metrics.set(LAG, lag, topic=tp.topic, partition=str(tp.partition))
