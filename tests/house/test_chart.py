"""The chart for Kubernetes says what the code, the image and compose say."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from functools import cache

import pytest

from config.gateway import GatewaySettings
from config.servers import Web
from config.settings import variables
from embedded.deployment import USERS
from store.server.acl import ROLES as STORE_USERS
from streams.wire.topics import Topics
from tests.house import tree
from workers.roles.process import MAKERS

CHART = tree.ROOT / "config/helm"
VALUES = (CHART / "values.yaml").read_text(encoding="utf-8")
TEMPLATES = {
    path.name: path.read_text(encoding="utf-8") for path in CHART.glob("templates/*")
}
ROLES = tuple(MAKERS)
LED = ("curator", "reclusterer")
WEB, GATEWAY = (group.model_fields["port"].default for group in (Web, GatewaySettings))
KUBERNETES = "1.33.0"  # one that was built from source believes in an old one
EVERYTHING = (
    *("promise.SIGMA_PRIVACY_BUDGET=4000000", "keda.enabled=true"),
    *("serviceMonitor.enabled=true", "dataset.toml=name = 'census'"),
    *("secrets.tls=certificate", "secrets.kafka=sasl"),
    *("secrets.kafkaCa=kafka-ca", "secrets.kafkaOauth=oauth"),
    *("secrets.kafkaTls=all", "roles.counter.secrets.kafkaTls=counters"),
    *("secrets.redisTls=ours", "setup.secrets.redisTls=admins"),
    *("secrets.redisTlsPassword=key", "secrets.sentinel=sentinels"),
    *("secrets.redisCa=store-ca", "secrets.kafkaTlsPassword=key"),
    "secrets.kafkaOauthCa=oauth-ca",
)


def role_values(role):
    """The lines of a role among the values."""
    block = re.search(rf"^  {role}:\n((?:    .*\n)+)", VALUES, re.MULTILINE)
    assert block, role
    return block[1]


def test_every_variable_is_a_setting():
    """A worker refuses a misspelt one, in a pod that starts again for ever."""
    text = "".join((VALUES, *TEMPLATES.values()))
    named = set(re.findall(r"\bSIGMA_[A-Z_]*[A-Z]\b(?!_…)", text)) - {"SIGMA_PRIVACY"}

    assert named <= variables()


def test_there_is_each_role_once_with_its_user():
    """And only who plans and who pays are told what is promised."""
    part = VALUES[VALUES.index("\nroles:") : VALUES.index("\nnodeSelector:")]

    assert re.findall(r"^  (\w+):$", part, re.MULTILINE) == list(ROLES)
    for role in ROLES:
        assert f"user: {USERS.get(role, role)}\n" in role_values(role)
        assert ("promise: true" in role_values(role)) is (role in LED)


def test_ports_and_the_user_are_those_of_the_image():
    """Kubernetes judges by the number."""
    image = (tree.ROOT / "Dockerfile").read_text(encoding="utf-8")
    [number] = set(re.findall(r"runAsUser: (\d+)", TEMPLATES["_helpers.tpl"]))
    text = TEMPLATES["workers.yaml"] + TEMPLATES["services.yaml"]

    assert f"USER {number}:{number}\n" in image
    assert set(map(int, re.findall(r"[pP]ort: (\d+)", text))) == {WEB, GATEWAY}
    assert f'SIGMA_WEB_PORT\n              value: "{WEB}"' in text
    assert f'SIGMA_GATEWAY_PORT: "{GATEWAY}"' in role_values("gateway")


def test_its_version_is_that_of_the_service():
    """The image's tag follows from it."""
    text = (tree.ROOT / "pyproject.toml").read_text(encoding="utf-8")
    version = tomllib.loads(text)["project"]["version"]
    chart = (CHART / "Chart.yaml").read_text(encoding="utf-8")

    assert f"\nversion: {version}\n" in chart
    assert f'\nappVersion: "{version}"\n' in chart


def test_each_user_of_the_store_has_a_key_of_the_secret():
    """As its comment lists them, for whoever makes it."""
    listed = re.search(r"# Passwords of the store: keys ([^.]*)\.", VALUES)[1]

    assert set(re.findall(r"\w+", listed)) - {"and"} == set(STORE_USERS)


def test_responders_are_scaled_by_the_lag_of_their_own_group():
    """Its name, and that of its topic, are made as the worker makes them."""
    text, topics = TEMPLATES["availability.yaml"], Topics.named()
    prefix = re.search(r'SIGMA_KAFKA_PREFIX \| default "([^"]+)"', text)[1]

    assert prefix + re.search(r"topic: {{ \$prefix }}(\S+)", text)[1] == (
        topics.queries.name
    )
    assert re.search(r"consumerGroup: {{ \$prefix }}responder\n", text)
    [most] = re.findall(r"maxReplicas: (\d+)", VALUES)
    assert int(most) == topics.queries.partitions


@cache
def helm(verb, *given):
    """What Helm says of the chart with these values; skipped where there is none."""
    program = shutil.which("helm")
    if program is None:
        pytest.skip("helm is not installed")
    values = [word for each in given for word in ("--set", each)]
    name = ["sigma", f"--kube-version={KUBERNETES}"] if verb == "template" else []
    return subprocess.run(
        [program, verb, *name, CHART, *values],
        capture_output=True,
        text=True,
        check=False,
    )


def rendered(*given):
    """Every object, by kind and name."""
    run = helm("template", *given)
    assert run.returncode == 0, run.stderr
    found = {}
    for text in run.stdout.split("\n---\n"):
        kind = re.search(r"^kind: (\w+)$", text, re.MULTILINE)
        if kind:
            name = re.search(r"^  name: (\S+)$", text, re.MULTILINE)[1]
            found[kind[1], name.removeprefix("sigma-sigma-counting-")] = text
    return found


def test_helm_takes_it():
    """Linted, with everything on, as strictly as it can."""
    run = helm("lint", *EVERYTHING)

    assert run.returncode == 0, run.stdout + run.stderr
    assert "[WARNING]" not in run.stdout
    assert "[ERROR]" not in run.stdout


def test_a_release_without_a_budget_is_refused():
    """A person answers for it."""
    run = helm("template")

    assert run.returncode != 0
    assert "SIGMA_PRIVACY_BUDGET has no default" in run.stderr


def test_every_pod_is_nobody_special_and_sees_its_own_password():
    """On a root that nobody can write, with probes of its own pages."""
    found = rendered(*EVERYTHING)

    for role in ROLES:
        pod = found["Deployment", role]
        for line in (
            *("runAsNonRoot: true", "readOnlyRootFilesystem: true", "drop: [ALL]"),
            *("path: /live, port: web", "path: /ready, port: web"),
            f"- {{key: {USERS.get(role, role)}, path: password}}",
            *("enableServiceLinks: false", "automountServiceAccountToken: false"),
        ):
            assert line in pod, role
        assert not re.findall(r"name: SIGMA_\w*PASSWORD\n", pod)
        assert ("SIGMA_PRIVACY_BUDGET" in pod) is (role in LED)
        assert ("sigma-tokens" in pod) is (role == "gateway")


def test_there_is_what_was_asked_for():
    """What is optional is there when it is asked for, and not before."""
    few = rendered(EVERYTHING[0])
    many = rendered(*EVERYTHING)

    kinds = {kind for kind, _ in many} - {kind for kind, _ in few}
    assert kinds == {"ConfigMap", "ScaledObject", "ServiceMonitor"}
    assert "replicas: 2" in few["Deployment", "responder"]
    assert "replicas:" not in many["Deployment", "responder"]
    assert {name for kind, name in few if kind == "PodDisruptionBudget"} == set(ROLES)
    assert {name for kind, name in few if kind == "Job"} == {"topics", "functions"}


def test_what_runs_before_a_release_needs_nothing_of_it():
    """A Job that waits for the ConfigMap of its own release would wait for ever."""
    found = rendered(*EVERYTHING)

    for name in ("topics", "functions"):
        job = found["Job", name]
        assert "configMap" not in job
        assert "- {key: admin, path: password}" in job
    assert all("configMap" in found["Deployment", role] for role in ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_each_variable_of_a_pod_is_set_once(role):
    """The last of two would win, which nobody sees."""
    named = re.findall(
        r"- name: (SIGMA_\w+)", rendered(*EVERYTHING)["Deployment", role]
    )

    assert len(named) == len(set(named)) > 0
