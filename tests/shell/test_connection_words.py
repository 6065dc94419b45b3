"""What a person reads when there is no Redis to connect to."""

from config.exit_codes import Exit
from tests.fixtures.cli import sigma


def test_a_redis_that_is_away_is_not_said_to_have_done_half():
    """Nobody listens on port 1: nothing was sent, and the text names the setting."""
    said = sigma("ledger", redis_url="redis://127.0.0.1:1/0", dataset="people")

    assert said.code == Exit.AWAY, said.err
    assert "cannot be reached; this attempt changed nothing" in said.err
    assert "SIGMA_REDIS_URL" in said.err
    assert "unknown" not in said.err
