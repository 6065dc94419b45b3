"""Send row events: what an application that owns the data does.

    python row_producer.py --bootstrap localhost:9092 --rows 1000

A row event says what a row *is now*, not what changed. The record key is the row's
id, so all events of a row keep their order; sending one twice changes nothing. The
values must be those of the dataset's declaration (here: config/datasets/people.toml
in miniature: an age in years, a sex, a city); anything else is put among the dead
letters with its reason, and the rest of the stream goes on.
"""

import argparse
import json
import random
import time

from kafka import KafkaProducer


def event(row_id: str, op: str, row: dict | None) -> bytes:
    """The JSON text of one event; ``ts_ms`` is for people and tools to read."""
    now = int(time.time() * 1000)
    return json.dumps({"op": op, "id": row_id, "row": row, "ts_ms": now}).encode()


def main() -> None:
    """Insert, then update some rows, then delete some."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--bootstrap", default="localhost:9092")
    options.add_argument("--topic", default="sigma.rows")
    options.add_argument("--rows", type=int, default=1000)
    args = options.parse_args()

    producer = KafkaProducer(bootstrap_servers=args.bootstrap, linger_ms=20)
    for n in range(args.rows):
        row_id = f"person-{n}"
        person = {"age": random.randrange(100), "sex": "F", "city": "Lyon"}
        producer.send(args.topic, event(row_id, "insert", person), row_id.encode())
        if n % 10 == 0:  # a birthday: the whole row again, with its new value
            person["age"] += 1
            producer.send(args.topic, event(row_id, "update", person), row_id.encode())
        if n % 50 == 0:  # gone; a null value under the same key says the same
            producer.send(args.topic, event(row_id, "delete", None), row_id.encode())
    producer.close()  # waits until the brokers have acknowledged everything
    print(f"sent {args.rows} rows to {args.topic}")


if __name__ == "__main__":
    main()
