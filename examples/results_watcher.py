"""Watch every answer the service gives, as a dashboard or an audit would.

    python results_watcher.py --bootstrap localhost:9092 --group audit

Watchers of one group share the answers among them; groups do not disturb each other.
Progress is committed *after* the records were handled, so a watcher that dies repeats
a few answers and loses none. Answers are private already: reading this topic tells
nothing about a single row beyond the guarantee that each answer names.
"""

import argparse
import json

from kafka import KafkaConsumer


def line(answer: dict) -> str:
    """One answer in one line: count and interval, or why there is none."""
    who = f"{answer['client']:12} {answer['status']:8}"
    if answer["status"] != "ok":
        return f"{who} {answer.get('error', {}).get('message', '')}"
    low, high = answer["interval"]
    return f"{who} {answer['count']:>10,} [{low:,} … {high:,}] by {answer['route']}"


options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--bootstrap", default="localhost:9092")
options.add_argument("--topic", default="sigma.results")
options.add_argument("--group", default="watchers")
options.add_argument("--most", type=int, default=0, help="answers; 0 = for ever")
args = options.parse_args()

consumer = KafkaConsumer(
    args.topic,
    bootstrap_servers=args.bootstrap,
    group_id=args.group,
    session_timeout_ms=6000,  # the others take over from a dead watcher this soon
    enable_auto_commit=False,
    auto_offset_reset="earliest",  # of a new group; later, where it stopped
)
seen = 0
while not args.most or seen < args.most:
    for records in consumer.poll(timeout_ms=500).values():
        for record in records:
            print(line(json.loads(record.value)), flush=True)
            seen += 1
    consumer.commit()
consumer.close()
