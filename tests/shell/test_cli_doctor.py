"""`sigma doctor`: every fault has a line, every line a remedy."""

import asyncio
import json
import threading

import pytest

from cli.checkup.checkup import outside
from embedded.redis_server import EmbeddedRedis
from store import connect
from store.releases.released import Head, Released
from tests.fixtures.batches import consumer_of
from tests.fixtures.deployment import Deployment, person
from tests.fixtures.until import CEILING

pytestmark = [pytest.mark.kafka, pytest.mark.redis]


@pytest.fixture
def deployment(kafka, redis_server, dataset, tmp_path):
    """Servers, topics and a dataset of this test alone."""
    return Deployment.of(kafka, redis_server, dataset, tmp_path)


@pytest.fixture
def attended(deployment):
    """Somebody is there in each role that answers need, as the broker sees it."""
    prefix = deployment.topics.rows.name.removesuffix("rows")
    topic, loop = deployment.topics.queries.name, asyncio.new_event_loop()
    beating = threading.Thread(target=loop.run_forever, daemon=True)
    beating.start()

    async def join(role):
        group = f"{prefix}{role}-process"
        return await consumer_of(deployment.broker, topic, group=group).start()

    async def all_of(acts):
        return await asyncio.gather(*acts)

    def wait_for(acts):
        return asyncio.run_coroutine_threadsafe(all_of(acts), loop).result(CEILING)

    here = wait_for(join(role) for role in ("counter", "curator", "responder"))
    yield deployment
    wait_for(each.stop() for each in here)
    loop.call_soon_threadsafe(loop.stop)
    beating.join()
    loop.close()


def checks(told):
    """Name → [(mark, words)] of the JSON lines."""
    found = {}
    for line in told.out.splitlines():
        check = json.loads(line)
        found.setdefault(check["name"], []).append((check["mark"], check["words"]))
    return found


def test_a_sound_deployment_has_nothing_to_mend(attended):
    """Exit code 0; what is only missing yet is a warning."""
    told = attended.sigma("doctor")

    assert told.code == 0, told.out
    assert "0 to mend" in told.out
    for words in ("cluster ", "Valkey", "WAITAOF", "no user can read truth"):
        assert words in told.out


def test_a_program_reads_one_object_a_check(deployment):
    """Name, mark, words and remedy."""
    found = checks(deployment.sigma("doctor", "--json"))

    assert found["releases"] == [("warn", "none yet")]
    assert found["counting"] == [("warn", "no counter has begun")]
    assert found["wall"][0][0] == "ok"


def test_who_is_there_is_known_and_nobody_is_a_fault(attended):
    """Exit code 1 when nobody answers; a plan can wait."""
    found = checks(attended.sigma("doctor", "--json"))
    told = attended.sigma("doctor", "--json", kafka_prefix="nobody.")
    nobody = checks(told)

    assert found["responder"] == found["counter"] == [("ok", "1 at work")]
    assert found["curator"] == [("warn", "1 at work, and none leads")]
    assert {found[role][0][0] for role in ("reclusterer", "gateway")} == {"warn"}
    assert told.code == 1
    assert nobody["responder"] == [
        ("fail", "nobody is at work: no question is answered")
    ]
    assert {nobody[role][0][0] for role in ("counter", "curator")} == {"fail"}


def test_functions_that_are_missing_fail_with_the_verb_that_loads_them(deployment):
    """Twice is as good as once."""
    with EmbeddedRedis() as server:

        async def forget():
            async with connect(server.url) as client:
                await client.function_flush()

        asyncio.run(forget())
        missing = deployment.sigma("doctor", "--json", redis_url=server.url)
        loaded = deployment.sigma("functions", "load", redis_url=server.url)
        again = deployment.sigma("functions", "load", "--redis", server.url)
        found = checks(deployment.sigma("doctor", "--json", redis_url=server.url))

    assert checks(missing)["functions"][0][0] == "fail"
    assert "sigma functions load" in missing.out
    assert loaded.out.strip().endswith("loaded")
    assert again.out.strip().endswith("were there already")
    assert found["functions"][0][0] == "ok"


def test_a_frozen_release_has_a_remedy(deployment):
    """And what it means."""

    async def freeze(redis, keys):
        released = Released(redis, keys)
        await released.publish(1, Head(1, 1, 0, ()), {"counts": {}})
        await released.freeze(1, 1, "budget_exhausted")

    deployment.in_store(freeze)

    [line] = [
        line
        for line in deployment.sigma("doctor", "--json").out.splitlines()
        if "frozen at epoch 1: budget_exhausted, the budget does not pay" in line
    ]

    assert "SIGMA_PRIVACY_BUDGET" in json.loads(line)["remedy"]


def test_counting_to_the_end_is_ok_and_less_is_a_warning(deployment):
    """Whether Redis stands where the topic ends."""
    deployment.send([person(n, age=n) for n in range(30)])
    deployment.count(30)
    done = checks(deployment.sigma("doctor", "--json"))
    deployment.send([person(n, age=n) for n in range(30, 60)])
    more = checks(deployment.sigma("doctor", "--json"))

    assert done["counting"] == [("ok", "all 3 partitions are counted to their end")]
    assert more["counting"][0][0] == "warn"


def test_missing_topics_fail_with_the_verb_that_makes_them(deployment):
    """Exit code 1."""
    told = deployment.sigma("doctor", kafka_prefix="elsewhere.")

    assert told.code == 1
    assert "elsewhere.rows is missing; `sigma topics create` makes it" in told.out


def test_an_unsafe_store_fails_with_the_setting(deployment):
    """A server that may forget is refused by name of its remedy."""

    async def weaken(value):
        client = connect(deployment.redis.url)
        await client.config_set("maxmemory-policy", value)
        await client.aclose()

    asyncio.run(weaken("allkeys-lru"))
    try:
        told = deployment.sigma("doctor")
    finally:
        asyncio.run(weaken("noeviction"))

    assert told.code == 1
    assert "maxmemory-policy noeviction" in told.out


def test_servers_that_are_away_are_told_apart(deployment):
    """Broker and store fail each on its own line; no traceback."""
    told = deployment.sigma(
        "doctor",
        "--json",
        kafka_bootstrap="127.0.0.1:1",
        redis_url="redis://127.0.0.1:1",
    )

    found = checks(told)
    assert told.code == 1
    assert found["broker"][0][0] == "fail"
    assert found["store"][0][0] == "fail"
    assert told.err == ""


def test_another_user_is_told_what_it_may_not_see(deployment):
    """Not allowed to look is a warning, not a fault of the service."""
    found = checks(deployment.sigma("doctor", "--json", user="responder"))

    assert ("warn", "this user of the store may not look") in found["store"]


def test_a_hole_in_the_wall_fails(deployment, tmp_path):
    """A responder that could read true counts is found by trying."""
    with EmbeddedRedis() as server:

        async def break_the_wall():
            client = connect(server.url)
            await client.execute_command("ACL", "SETUSER", "responder", "~*", "+@read")
            await client.aclose()

        asyncio.run(break_the_wall())
        told = deployment.sigma("doctor", "--json", redis_url=server.url)

    found = checks(told)
    assert told.code == 1
    assert ("fail", "responder can read true counts") in found["wall"]


def test_a_wrong_dataset_is_the_last_check(deployment):
    """Nothing else can be told without it."""
    told = deployment.sigma("doctor", "--dataset", "nosuch")

    assert told.code == 1
    assert "there is no dataset 'nosuch'" in told.out


@pytest.mark.parametrize(
    ("requirement", "fault"),
    [
        ("pytest>=2,<100", None),
        ("pytest<3", "is not <3"),
        ("pytest>=900.1", "is not >=900.1"),
        ("nosuchlibrary>=1", "nosuchlibrary is not installed"),
        ("pytest~=3.0", "is not ~=3.0"),
        ('nosuchlibrary>=1; extra == "dev"', None),
        ('nosuchlibrary>=1; python_version < "3"', None),
        ('nosuchlibrary; python_version > "3"', "nosuchlibrary is not installed"),
        ("redis[hiredis]>=8.1,<9", None),
    ],
)
def test_libraries_are_held_to_their_bounds(requirement, fault):
    """Too old, too new and absent, each by name."""
    found = outside(requirement)

    assert found is None if fault is None else fault in found
