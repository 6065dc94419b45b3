"""The chart mounts what connections to broker and store need, for each role its own."""

from __future__ import annotations

import re

from config.servers import Kafka, Redis
from tests.house.test_chart import EVERYTHING, ROLES, TEMPLATES, VALUES, rendered

# Settings of a file that is no secret of yours: the store's password is each user's
# own, its address stands in the values, and a token in a file is renewed by others.
MOUNTED_OTHERWISE = {
    *("SIGMA_REDIS_PASSWORD", "SIGMA_REDIS_URL", "SIGMA_KAFKA_OAUTH_TOKEN_FILE"),
}


def file_settings():
    """Variables of broker and store that name a file, or a secret's file."""
    for group in (Kafka, Redis):
        for name, field in group.model_fields.items():
            variable = f"{group.model_config['env_prefix']}{name.upper()}"
            kind = str(field.annotation)
            if variable not in MOUNTED_OTHERWISE and (
                "Path" in kind or "Secret" in kind
            ):
                yield variable if "Path" in kind else f"{variable}_FILE"


def mounted():
    """Name of a value → the settings that it makes, and their keys."""
    table = TEMPLATES["_helpers.tpl"].split('define "sigma.files" -}}\n')[1]
    lines = table[: table.index("{{-")].splitlines()
    named = (line.partition(": {") for line in lines)
    return {
        name: dict(re.findall(r"(SIGMA_\w+): ([\w.]+)", said))
        for name, _, said in named
    }


def test_every_secret_of_broker_and_store_can_be_mounted():
    """As a file, from a secret that is named among the values."""
    found = mounted()

    assert {v for files in found.values() for v in files} == set(file_settings())
    for name in found:
        assert re.search(rf'^  {name}: ""$', VALUES, re.MULTILINE), name


def test_a_pod_sees_the_secrets_of_its_own_role():
    """Under one name for all, or another for a role and for the Jobs."""
    found = rendered(*EVERYTHING)

    for kind, name in [*(("Deployment", role) for role in ROLES), ("Job", "topics")]:
        pod = found[kind, name]
        shown = "counters" if name == "counter" else "all"
        own = "admins" if kind == "Job" else "ours"
        for files in mounted().values():
            for variable, key in files.items():
                [at] = re.findall(rf"name: {variable}\n +value: (\S+)", pod)
                folder, _, file = at.rpartition("/")
                assert file == key
                assert f"mountPath: {folder}, readOnly: true" in pod
        assert re.search(rf"name: kafka-tls\n +secret:\n +secretName: {shown}\n", pod)
        assert re.search(rf"name: redis-tls\n +secret:\n +secretName: {own}\n", pod)
    few = rendered(EVERYTHING[0])
    assert "_CA_FILE" not in "".join(few.values())
