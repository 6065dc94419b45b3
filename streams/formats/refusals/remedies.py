"""What an operator does about a reason that is a fault of the deployment, not a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from streams.formats.refusals.diagnosis import Reason
from streams.formats.refusals.reasons import FormReason, LimitReason

REMEDIES: Final[Mapping[str, str]] = {
    Reason.WRONG_PARTITION: (
        "Its id belongs to another partition of the topic and would be counted twice."
        " Let every producer choose partitions by murmur2 of the key, as Java's do"
        " (librdkafka: partitioner=murmur2_random) and send the row again; only where"
        " all producers share another rule, set SIGMA_ROWS_PARTITIONER=any."
    ),
    Reason.LOOKS_LIKE_DEBEZIUM: (
        "It looks like a change event of Debezium: SIGMA_ROWS_FORMAT=debezium reads"
        " those (docs/rows.md)."
    ),
    Reason.LOOKS_LIKE_CLOUDEVENTS: (
        "It looks like a CloudEvent: SIGMA_ROWS_FORMAT=cloudevents reads those"
        " (docs/rows.md)."
    ),
    Reason.LOOKS_LIKE_CONFLUENT: (
        "It begins as messages do whose schema is in a registry: set"
        " SIGMA_ROWS_ENCODING and SIGMA_ROWS_REGISTRY (docs/rows.md)."
    ),
    FormReason.MISSING_KEY: (
        "A row is known by its key: give the table a primary key, or name its columns"
        " in the connector's message.key.columns."
    ),
    FormReason.KEY_NOT_CANONICAL: (
        "Its key is not spelled as Kafka Connect's JsonConverter spells one: an object"
        " of plain values without spaces, or one value, and none is null. Set"
        " key.converter of the connector to"
        " org.apache.kafka.connect.json.JsonConverter."
    ),
    FormReason.KEY_SPELLED_OTHERWISE: (
        "Keys of this topic were spelled in another way before (key.converter, its"
        " schemas.enable or the key's columns were changed), so a row could stand in"
        " the topic under two keys and count twice. Put the connector's settings back;"
        " or let it take a new snapshot into a new topic, and run `sigma rebuild`."
    ),
    FormReason.TRUNCATED: (
        "The table was emptied by TRUNCATE, which names no row: the rows that were"
        " counted before are still counted. Take a new snapshot into a new topic and"
        " run `sigma rebuild`; or delete the rows, which is sent row by row."
    ),
    FormReason.UNAVAILABLE_VALUE: (
        "The database did not send this value because it had not changed. ALTER TABLE"
        " … REPLICA IDENTITY FULL makes it send the row as it was before, from which"
        " the value is taken; then write the row once more."
    ),
    FormReason.UNKNOWN_ENCODING: (
        "Without its schema this value could mean several things. Let the connector"
        " send it (value.converter.schemas.enable=true), or set"
        " time.precision.mode=isostring and decimal.handling.mode=double."
    ),
    FormReason.NOT_FRAMED: (
        "It does not begin with a zero and the number of a schema, as Confluent's"
        " serializers write: see SIGMA_ROWS_ENCODING."
    ),
    FormReason.UNKNOWN_SCHEMA: (
        "The registry has no schema of that number: SIGMA_ROWS_REGISTRY is another one"
        " than its producer's, or the schema was deleted there."
    ),
    FormReason.UNUSABLE_SCHEMA: (
        "Its schema is of another kind than SIGMA_ROWS_ENCODING, refers to others, or"
        " could make a short message endless: a type within itself, a list of nothing."
    ),
    FormReason.SEVERAL_EVENTS: (
        "It is a batch of CloudEvents; send each in a record of its own, under the key"
        " of its row."
    ),
    FormReason.UNKNOWN_CONTENT_TYPE: "The data of a CloudEvent must be JSON.",
    LimitReason.TOO_MANY_CHANGES: (
        "Its row has changed as often as SIGMA_PRIVACY_CHANGES_LIMIT lets a row; it is"
        " counted as it was before. The limit may be raised, which promises everybody"
        " less; then send the row's last state once more."
    ),
    LimitReason.NO_OWNER: (
        "Under SIGMA_PRIVACY_OWNER_ROWS an id is the row's owner, a slash and a number"
        " from 1, such as ada/2; a table of Debezium has both in its key, the number"
        " as the last column (docs/rows.md)."
    ),
    LimitReason.TOO_MANY_ROWS_OF_OWNER: (
        "Its number is beyond SIGMA_PRIVACY_OWNER_ROWS. A number whose row was deleted"
        " may be used again, and goes on counting changes."
    ),
}
