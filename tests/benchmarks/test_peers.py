"""The peers of the counter: how they start, what they tell, why one is left out."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from benchmarks import bench_counter, bench_peers
from benchmarks.figures import Figure, Skipped
from benchmarks.peers import jars
from benchmarks.peers.environments import HERE, Unavailable
from benchmarks.peers.running import Found, found_by

PROGRAMS = {
    "flink_heap": "jvm/flink/FlinkCount.java",
    "flink_rocksdb": "jvm/flink/FlinkCount.java",
    "kafka_streams": "jvm/kafka_streams/KafkaStreamsCount.java",
    "quix": "quix_app.py",
    "bytewax": "bytewax_flow.py",
}
KINDS = {  # an argument's name in a program's usage → what it must look like
    "BOOTSTRAP": r"127\.0\.0\.1:9092",
    "TOPIC": r"some\.rows",
    "EVENTS": r"1000",
    "THREADS": r"\d",
    "PARALLELISM": r"\d",
    "PARTITIONS": r"\d",
    "hashmap|rocksdb": r"hashmap|rocksdb",
    "STATE_DIR": r".*state",
    "CHECKPOINT_DIR": r".*state",
    "FOLDER": r".*state",
}


def usage(program: str) -> list[str]:
    """The arguments that a program says it takes."""
    text = (HERE / program).read_text(encoding="utf-8")
    line = re.search(r"Run: +(?:java|python)(?: -m)? \S+ ([^.\n]+)", text)
    assert line is not None, f"{program} does not say how it is run"
    return line[1].split()


def fits(given: list[str], program: str) -> bool:
    """What is given is what the program's usage names, one by one."""
    kinds = [KINDS[name] for name in usage(program)]
    return len(given) == len(kinds) and all(map(re.fullmatch, kinds, given))


@pytest.mark.parametrize("peer", bench_peers.PEERS)
def test_a_peer_is_given_what_its_usage_names(peer, monkeypatch):
    """A command line and the program that reads it were written apart."""
    monkeypatch.setattr(bench_peers, "java", lambda name, program: [name, program])
    monkeypatch.setattr(bench_peers, "python_of", Path)
    start, _, _ = bench_peers.PEERS[peer]

    command = start("127.0.0.1:9092", "some.rows", "1000", "a/state")

    assert fits(command[2:], PROGRAMS[peer])


def test_the_plain_agent_is_given_what_its_usage_names():
    """The same for the one that needs no environment of its own."""
    command = bench_counter.agent_command("127.0.0.1:9092", "some.rows", 1000)

    assert fits(command[3:], "faust_agent.py")


def python(*lines: str) -> list[str]:
    """A peer of so many lines."""
    return [sys.executable, "-c", "\n".join(lines)]


def test_a_peer_tells_its_rate_and_live_rows_among_other_things():
    """Frameworks write to the same output."""
    found = found_by(python("print('Hello 1 2')", "print('50000 389')", "print(7)"))

    assert found == Found(50_000.0, 389)


@pytest.mark.parametrize(
    ("program", "why", "seconds"),
    [
        (["raise SystemExit('no broker')"], "no broker", 60),
        (
            ["print('1 2')", "raise SystemExit('and then it fell')"],
            "and then it fell",
            60,
        ),
        (["print('nothing of use')"], "it told no rate", 60),
        (["import time", "time.sleep(30)"], "TimeoutExpired", 0.3),
    ],
)
def test_a_peer_without_a_result_is_unavailable(program, why, seconds):
    """A rate that was told before a failure is no rate."""
    with pytest.raises(Unavailable, match=why):
        found_by(python(*program), seconds)


def test_a_skipped_peer_is_a_line_with_its_reason():
    """It has no bar to miss, and those beside it keep theirs."""
    found = {
        "kafka_streams": Unavailable("there is\n no mvn"),
        "flink_heap": Found(100.0, 7),
    }

    lines = list(bench_peers.figures(119.0, 500.0, found))

    skipped = next(line for line in lines if isinstance(line, Skipped))
    assert str(skipped) == "peers.over_kafka_streams - - - skipped: there is no mvn"
    assert skipped.passed
    assert Figure("peers.over_flink_heap", 1.19, "ratio", 1.2) in lines


def test_without_maven_the_reason_says_what_is_missing(monkeypatch, tmp_path):
    """Nobody has to guess why a peer was left out."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(Unavailable, match="needs Java 17 and Maven, and there is no"):
        jars.java("flink", "FlinkCount")


@pytest.fixture
def tools(monkeypatch, tmp_path):
    """Stand-ins of java, javac and mvn; each takes down that it was called."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def tool(name: str, code: int) -> None:
        path = tmp_path / name
        path.write_text(
            f'#!/bin/sh\necho "$@" >> {tmp_path}/{name}.calls\n'
            f'for word; do case "$word" in -DoutputDirectory=*)\n'
            f'mkdir -p "${{word#*=}}";; esac; done\necho broken >&2; exit {code}\n'
        )
        path.chmod(0o755)

    for name in jars.TOOLS:
        tool(name, 0)
    return tool


def test_jars_are_fetched_once(tools, tmp_path):
    """The second start finds them where the first has put them."""
    first = jars.java("flink", "FlinkCount")
    second = jars.java("flink", "FlinkCount")

    assert first == second
    assert first[-1] == "FlinkCount"
    assert len((tmp_path / "mvn.calls").read_text().splitlines()) == 1
    assert len((tmp_path / "javac.calls").read_text().splitlines()) == 1


def test_half_fetched_jars_are_never_used(tools, tmp_path):
    """A program that did not compile is compiled again, and not started."""
    tools("javac", 1)
    with pytest.raises(Unavailable, match="broken"):
        jars.java("flink", "FlinkCount")

    tools("javac", 0)
    jars.java("flink", "FlinkCount")

    assert len((tmp_path / "javac.calls").read_text().splitlines()) == 2
