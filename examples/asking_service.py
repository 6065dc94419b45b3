"""Ask private counts from a service that knows nothing but Kafka.

    python asking_service.py --bootstrap localhost:9092 "age >= 60" "sex = 'F'"

A question is a record on `queries`, keyed by the client; its answer is a record on
`results`, keyed by the request id. Know the end of `results` *before* asking, and take
it from a fetch (`highwater`): some brokers understate end_offsets.
"""

import argparse
import json
import time
import uuid
from itertools import chain

from kafka import KafkaConsumer, KafkaProducer, TopicPartition


def from_now(bootstrap: str, topic: str) -> KafkaConsumer:
    """A consumer of what is appended to the topic after this call."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, group_id=None)
    here = [TopicPartition(topic, p) for p in consumer.partitions_for_topic(topic)]
    consumer.assign(here)
    consumer.seek_to_beginning(*here)
    while any(consumer.highwater(partition) is None for partition in here):
        consumer.poll(timeout_ms=100, max_records=1)
    for partition in here:
        consumer.seek(partition, consumer.highwater(partition))
    return consumer


options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--bootstrap", default="localhost:9092")
options.add_argument("--prefix", default="sigma.", help="of the topics' names")
options.add_argument("where", nargs="*", default=[""], help="SQL; empty = all rows")
args = options.parse_args()

answers = from_now(args.bootstrap, args.prefix + "results")
producer = KafkaProducer(bootstrap_servers=args.bootstrap)
waiting = {uuid.uuid4().hex: where for where in args.where}
for request, where in waiting.items():
    asked = {"request_id": request, "client": "example", "where": where}
    producer.send(args.prefix + "queries", json.dumps(asked).encode(), b"example")
producer.flush()
give_up = time.monotonic() + 30
while waiting and time.monotonic() < give_up:
    for record in chain.from_iterable(answers.poll(timeout_ms=200).values()):
        if record.key.decode() in waiting:  # most answers are others'
            print(waiting.pop(record.key.decode()), record.value.decode(), sep=" → ")
