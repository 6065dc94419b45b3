"""Settings of protected connections: what goes together, and files that are none."""

from __future__ import annotations

import pytest

from config.settings import InvalidSettings, Settings, declared
from workers import clients

URL = {"oauth_token_url": "https://id.example.org/token"}
TOKENS = {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER"}
CLIENT = {"oauth_client_id": "sigma", "oauth_client_secret": "hush"}


@pytest.fixture(autouse=True)
def environ(monkeypatch):
    """An environment that names a dataset and nothing else of ours."""
    for setting in declared():
        monkeypatch.delenv(setting.variable, raising=False)
    monkeypatch.setenv("SIGMA_DATASET", "adult")


@pytest.mark.parametrize(
    ("group", "given", "said"),
    [
        ("kafka", {"certificate_file": "c"}, "goes with SIGMA_KAFKA_KEY_FILE"),
        ("kafka", {"key_file": "k", "certificate_file": "c"}, "under SSL and SASL_SSL"),
        ("kafka", {"security_protocol": "SASL_SSL"}, "SIGMA_KAFKA_PASSWORD are needed"),
        ("kafka", TOKENS, "SIGMA_KAFKA_OAUTH_TOKEN_FILE or from"),
        ("kafka", TOKENS | URL, "SIGMA_KAFKA_OAUTH_CLIENT_SECRET go with"),
        ("kafka", TOKENS | URL | CLIENT | {"oauth_token_file": "t"}, "takes its token"),
        (
            "kafka",
            TOKENS | CLIENT | {"oauth_token_url": "http://id.example.org/token"},
            "is https, or http on this machine",
        ),
        ("redis", {"key_file": "k"}, "goes with SIGMA_REDIS_KEY_FILE"),
        ("redis", {"key_file": "k", "certificate_file": "c"}, "under rediss:// alone"),
        ("redis", {"sentinels": "one:26379, two"}, "SIGMA_REDIS_SENTINELS lists"),
    ],
)
def test_half_of_a_connection_is_refused_with_the_other_half(group, given, said):
    """A certificate that nothing shows would be a false comfort."""
    with pytest.raises(InvalidSettings, match=said) as refused:
        Settings.load(**{group: given})

    assert "hush" not in str(refused.value)


def test_whole_ones_are_taken():
    """A token endpoint on this machine needs no TLS."""
    near = {"oauth_token_url": "http://127.0.0.1:8080/token"}

    assert Settings.load(kafka=TOKENS | URL | CLIENT).kafka.oauth_client_id == "sigma"
    assert Settings.load(kafka=TOKENS | near | CLIENT)
    assert Settings.load(kafka=TOKENS | {"oauth_token_file": "t"})


CONNECTED = {
    "KAFKA": ({"security_protocol": "SSL"}, clients.aiokafka_settings),
    "REDIS": ({"url": "rediss://store:6379/0"}, clients.connect_store),
}


@pytest.mark.parametrize("group", CONNECTED)
def test_a_file_that_is_no_certificate_is_named_by_its_variable(tmp_path, group):
    """Before anything is connected, and nothing of the file is quoted."""
    path = tmp_path / "ca.pem"
    path.write_text("canary")
    given, connected = CONNECTED[group]
    name = group.lower()
    settings = Settings.load(**{name: given | {"ca_file": path}})

    with pytest.raises(InvalidSettings, match=f"SIGMA_{group}_CA_FILE") as said:
        connected(getattr(settings, name))

    assert "canary" not in str(said.value)
