"""The wire: topics, messages and records; where bytes get a meaning."""
