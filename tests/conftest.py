"""Fixtures every kind of test may ask for: real servers, started on demand."""

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "tests.fixtures.figures",
    "tests.fixtures.kafka_server",
    "tests.fixtures.redis_server",
]

# No deadline: a busy machine is no fault of the code.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")
