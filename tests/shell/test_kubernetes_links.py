"""What Kubernetes sets for a Service named like ours is no setting, and no slip."""

from __future__ import annotations

import pytest

from config.settings import InvalidSettings, Settings


def service(name, port=6379):
    """The variables that every pod of a namespace gets for one Service."""
    prefix = name.upper().replace("-", "_")
    address = f"tcp://10.0.0.7:{port}"
    one = f"{prefix}_PORT_{port}_TCP"
    return {
        f"{prefix}_SERVICE_HOST": "10.0.0.7",
        f"{prefix}_SERVICE_PORT": str(port),
        f"{prefix}_SERVICE_PORT_MAIN": str(port),
        f"{prefix}_PORT": address,
        one: address,
        f"{one}_PROTO": "tcp",
        f"{one}_PORT": str(port),
        f"{one}_ADDR": "10.0.0.7",
        f"{prefix}_PORT_53_UDP": "udp://10.0.0.7:53",
    }


@pytest.fixture
def environ(monkeypatch):
    """A dataset is named."""
    monkeypatch.setenv("SIGMA_DATASET", "adult")
    return monkeypatch


@pytest.mark.parametrize(
    "name", ["sigma", "sigma-redis", "sigma-kafka", "sigma-counting-curator"]
)
def test_the_variables_of_a_service_are_let_be(environ, name):
    """A worker starts beside any Service of the namespace."""
    for variable, value in service(name).items():
        environ.setenv(variable, value)

    assert Settings.load().general.dataset == "adult"


def test_a_service_that_hides_a_setting_is_told_apart(environ):
    """SIGMA_WEB_PORT is a setting of ours and a link of a Service called sigma-web."""
    for variable, value in service("sigma-web", 80).items():
        environ.setenv(variable, value)

    with pytest.raises(InvalidSettings) as refusal:
        Settings.load()

    [complaint] = refusal.value.complaints
    assert "SIGMA_WEB_PORT holds the address of a Kubernetes Service" in complaint
    assert "enableServiceLinks: false" in complaint


@pytest.mark.parametrize("name", ["SIGMA_REDIS_SERVICE", "SIGMA_RADIS_PORT"])
def test_a_slip_that_only_looks_like_a_link_is_refused(environ, name):
    """Its value is no address, or its name no link's."""
    environ.setenv(name, "6379")

    with pytest.raises(InvalidSettings, match=name):
        Settings.load()
