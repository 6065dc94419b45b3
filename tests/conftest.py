"""Fixtures every kind of test may ask for: real servers, started on demand."""

import os
import signal

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "tests.fixtures.core_coverage",
    "tests.fixtures.figures",
    "tests.fixtures.kafka_server",
    "tests.fixtures.minutes",
    "tests.fixtures.order_of_files",
    "tests.fixtures.redis_server",
    "tests.fixtures.times",
]

# As `sigma` sets it for its processes, before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# No deadline: a busy machine is no fault of the code.
settings.register_profile(
    "house", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("fuzz", settings.get_profile("house"), max_examples=5_000)
settings.load_profile("house")


def pytest_configure() -> None:
    """Children can be interrupted, also where the run itself was started with ``&``.

    A shell without job control lets a background job ignore SIGINT, and what is
    ignored stays ignored in every process that it starts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
