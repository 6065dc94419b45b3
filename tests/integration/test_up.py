"""`sigma up`: heard of, refused and stopped at once; what it writes is its owner's."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from cli.running.local_service import exports
from config.gateway import GatewaySettings
from embedded.local_gateway import LocalGateway
from embedded.ports import free_port
from tests.fixtures.until import CEILING
from tests.fixtures.worker_processes import PEOPLE
from workers.gateway.entrance.tokens import ClientTokens

pytestmark = [pytest.mark.integration]

ROOT = Path(__file__).parents[2]
RHO = {"SIGMA_PRIVACY_MEASURE": "zcdp", "SIGMA_PRIVACY_DELTA": "1e-9"}


@pytest.fixture
def up(tmp_path):
    """``up("--dataset", …)``: the command, started in an empty folder; ended after."""
    started = []
    quiet = {n: v for n, v in os.environ.items() if not n.startswith("SIGMA_")}

    def start(*arguments, **environment):
        process = subprocess.Popen(
            [sys.executable, "-m", "cli.main", "up", *arguments],
            cwd=tmp_path,
            env=quiet
            | {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
            | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            umask=0o022,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)


def said(process, words):
    """All that it said until it said so."""
    heard = ""
    while words not in heard:
        line = process.stdout.readline()
        assert line, heard
        heard += line
    return heard


def declared(folder):
    """A dataset of the test's own; its path from the folder."""
    (folder / "people.toml").write_text(PEOPLE.format(name="people"))
    return "people.toml"


def test_a_bad_declaration_is_read_before_any_server_starts(up, tmp_path):
    """Exit code 2, with the place of the fault; nothing is left behind."""
    (tmp_path / "bad.toml").write_text('name = "bad"\n[attributes.x]\nkind = "odd"\n')

    process = up("--dataset", "bad.toml", "--data", "kept")
    out, _ = process.communicate(timeout=CEILING)

    assert process.returncode == 2
    assert "bad.toml" in out
    assert "starting" not in out
    assert not (tmp_path / "kept").exists()


def test_wrong_settings_are_told_before_any_server_starts(up, tmp_path):
    """Once, not by each worker: here a measure whose δ nobody named."""
    process = up("--dataset", declared(tmp_path), SIGMA_PRIVACY_MEASURE="zcdp")
    out, _ = process.communicate(timeout=CEILING)

    assert process.returncode == 2
    assert out.count("SIGMA_PRIVACY_DELTA is required") == 1
    assert "starting" not in out


def test_a_worker_that_says_a_setting_is_wrong_is_not_started_again(up, tmp_path):
    """Its own last words are told, and the code is that of a wrong setting."""
    process = up(
        "--dataset", declared(tmp_path), **RHO, SIGMA_RECLUSTER_STRATEGY="greedy"
    )
    out, _ = process.communicate(timeout=90)

    assert process.returncode == 2
    assert "error: reclusterer-1 cannot start" in out
    assert "SIGMA_RECLUSTER_STRATEGY" in out
    assert "defect" not in out


def test_it_stops_while_it_starts(up, tmp_path):
    """SIGTERM is heeded before the workers are ready."""
    process = up("--dataset", declared(tmp_path))
    said(process, "starting 7 workers")

    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=CEILING)

    assert process.returncode == 0
    assert "everything is up" not in out


def test_what_it_writes_is_for_its_owner_and_can_be_sourced(up, tmp_path):
    """Whatever the umask; from any folder; each worker is told when it is ready."""
    began = time.monotonic()
    process = up("--dataset", declared(tmp_path), "--data", "kept", **RHO)
    said(process, "dataset people")
    first = time.monotonic() - began
    heard = said(process, "logs: ")
    all_of_it = time.monotonic() - began
    kept = tmp_path / "kept"
    command = f"source {kept / 'env'} && env"
    seen = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, cwd="/"
    )
    ledger = subprocess.run(
        ["bash", "-c", f"source {kept / 'env'} && {sys.executable} -m cli.main ledger"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )

    open_ = [p for p in (kept, *kept.rglob("*")) if p.stat().st_mode & 0o077]
    assert open_ == []
    assert first < all_of_it / 2, "it was not told as it happened"
    assert heard.count("is ready after") == 7
    assert f"source {kept / 'env'}" in heard
    assert f"SIGMA_DATASET={tmp_path / 'people.toml'}\n" in seen.stdout
    assert "SIGMA_PRIVACY_DELTA=1e-9\n" in seen.stdout  # for `sigma plan propose`
    assert "8 ε at δ = 1e-09, which is 0.732833287382 ρ" in " ".join(heard.split())
    assert "0.183208321845 ρ" in ledger.stdout  # of fresh questions: a quarter of it
    log = (kept / "logs" / "curator-1.log").read_text()
    for event in ("event=started", "event=ready", "event=leading_began"):
        assert event in log
    assert "dataset=people" in log
    assert ":@" not in log
    signed_in(heard, kept)


def signed_in(heard, kept):
    """Its gateway lets in who has the token of this session, and nobody else."""
    [url] = re.findall(r"dashboard: (http://127\.0\.0\.1:\d+/) ", heard)
    token = (kept / "gateway" / "token").read_text().strip()
    assert f"cat {kept / 'gateway' / 'token'}" in heard
    assert token not in heard

    bearer = {"Authorization": f"Bearer {token}"}
    assert json.loads(got(url, bearer)[1])["dataset"] == "people"
    assert got(url, {})[0] == 401


def got(url, headers):
    """Status and text of its schema."""
    with closing(HTTPConnection(urlsplit(url).netloc, timeout=CEILING)) as connection:
        connection.request("GET", "/v1/schema", headers=headers)
        reply = connection.getresponse()
        return reply.status, reply.read()


def test_a_port_that_is_taken_is_left_to_whoever_has_it(tmp_path):
    """And an earlier session's token lets nobody in."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        wanted = GatewaySettings(port=other.getsockname()[1])
        first = LocalGateway.of(wanted, tmp_path)
        early = first.token_file.read_text()
        second = LocalGateway.of(wanted, tmp_path)

    assert second.port != wanted.port
    assert second.token_file.read_text() != early
    assert ClientTokens(second.hashes).client_of(early.strip()) is None
    assert LocalGateway.of(wanted, tmp_path).port == wanted.port


def test_a_port_is_one_services_though_its_gateway_does_not_listen_yet(tmp_path):
    """Two that start together; the gateway itself may listen there."""
    wanted = GatewaySettings(port=free_port())
    first = LocalGateway.of(wanted, tmp_path)
    program = """if True:
        import sys
        from pathlib import Path
        from config.gateway import GatewaySettings
        from embedded.local_gateway import LocalGateway
        port = int(sys.argv[1])
        made = LocalGateway.of(GatewaySettings(port=port), Path(sys.argv[2]))
        sys.exit(made.port == port)
    """
    beside = tmp_path / "beside"
    beside.mkdir()

    subprocess.run(
        [sys.executable, "-c", program, str(first.port), str(beside)],
        check=True,
        cwd=ROOT,
    )

    assert first.port == wanted.port
    socket.create_server(("127.0.0.1", first.port)).close()


def test_exports_are_whole_lines_whatever_they_hold():
    """A shell takes each as it is."""
    told = exports({"SIGMA_DATASET": "/a b/it's.toml", "SIGMA_REDIS_URL": "r" * 300})

    assert told.count("\n") == 2
    assert "'/a b/it'\"'\"'s.toml'" in told
