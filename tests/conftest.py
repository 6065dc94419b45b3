"""Fixtures every kind of test may ask for: real servers, started on demand."""

pytest_plugins = ["tests.fixtures.redis_server", "tests.fixtures.kafka_server"]
