"""Change events of Debezium connectors: whole envelopes, or flattened to the row."""
