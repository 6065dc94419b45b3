"""The settings: complete, bounded, and refused with words that teach."""

from __future__ import annotations

import pytest

from config.settings import InvalidSettings, Settings, declared, variables
from sigmacount.mechanisms import Amount, micro_epsilon_of

COMPLETE = {"budget": 4_000_000, "churn_probability": 0.001}
ZCDP = COMPLETE | {"budget": 1_000_000, "measure": "zcdp", "delta": 1e-9}


@pytest.fixture(autouse=True)
def environ(monkeypatch):
    """An environment that names a dataset and nothing else of ours."""
    for variable in variables():
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("SIGMA_DATASET", "adult")
    return monkeypatch


def test_everything_but_dataset_and_budget_has_a_default():
    """Exactly the two decisions of a person are asked for."""
    required = {setting.variable for setting in declared() if setting.default is None}

    assert required == {"SIGMA_DATASET", "SIGMA_PRIVACY_BUDGET"}


def test_no_two_knobs_share_a_variable():
    """A variable sets one thing."""
    variables = [setting.variable for setting in declared()]

    assert len(variables) == len(set(variables))


def test_the_environment_is_read(environ):
    """A variable reaches its setting, typed."""
    environ.setenv("SIGMA_CURATOR_EPOCH_SECONDS", "2.5")

    assert Settings.load().curator.epoch_seconds == 2.5


def test_an_override_wins_over_the_environment(environ):
    """What the command line says comes last."""
    environ.setenv("SIGMA_KAFKA_BOOTSTRAP", "a:1")

    settings = Settings.load(kafka={"bootstrap": "b:2"})

    assert settings.kafka.bootstrap == "b:2"


def test_an_empty_variable_counts_as_unset(environ):
    """Compose files pass on variables that nobody set as empty ones."""
    environ.setenv("SIGMA_REDIS_USER", "")

    assert Settings.load().redis.user is None


def test_a_secret_may_stand_in_a_file(environ, tmp_path):
    """The end of its line is no part of it; an empty variable beside it is none."""
    path = tmp_path / "password"
    path.write_text(" of the store\n")
    environ.setenv("SIGMA_REDIS_PASSWORD_FILE", str(path))
    environ.setenv("SIGMA_REDIS_PASSWORD", "")

    redis = Settings.load().redis

    assert redis.password.get_secret_value() == " of the store"
    assert Settings.load(redis={"password": "said"}).redis.password != redis.password


@pytest.mark.parametrize("text", [None, "\n", b"\xff"])
def test_a_file_without_a_secret_is_refused(environ, tmp_path, text):
    """By the name of its variable; a worker would begin without a password."""
    path = tmp_path / "password"
    if text is not None:
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    environ.setenv("SIGMA_REDIS_PASSWORD_FILE", str(path))

    with pytest.raises(InvalidSettings, match="SIGMA_REDIS_PASSWORD_FILE names a file"):
        Settings.load()


def test_a_secret_and_a_file_of_it_are_one_too_many(environ, tmp_path):
    """Who changes one would wonder about the other. No text of either is told."""
    path = tmp_path / "password"
    path.write_text("rosebud")
    environ.setenv("SIGMA_REDIS_PASSWORD_FILE", str(path))
    environ.setenv("SIGMA_REDIS_PASSWORD", "tulip")

    with pytest.raises(InvalidSettings, match="are both set: name one") as refused:
        Settings.load()

    assert not {"rosebud", "tulip"} & set(str(refused.value).replace(".", " ").split())


def test_only_secrets_have_files(environ):
    """Another variable with that end is misspelt."""
    environ.setenv("SIGMA_REDIS_USER_FILE", "/dev/null")

    with pytest.raises(InvalidSettings, match="SIGMA_REDIS_USER_FILE is no setting"):
        Settings.load()


def test_without_a_budget_there_is_nothing_to_spend():
    """A counter runs without a budget; a curator is told what to name."""
    settings = Settings.load()

    with pytest.raises(InvalidSettings, match="SIGMA_PRIVACY_BUDGET"):
        settings.spending()


def test_limits_follow_the_budget():
    """Defaults of the parts are shares of the whole, in whole µε."""
    privacy = Settings.load(privacy=COMPLETE).spending()

    assert (privacy.plan_budget, privacy.fresh) == (400_000, 4_000)
    assert (privacy.fresh_budget, privacy.client_quota) == (1_000_000, 250_000)


def test_no_part_exceeds_the_whole():
    """A part larger than the budget is a slip of the pen."""
    with pytest.raises(InvalidSettings, match="may exceed the whole"):
        Settings.load(privacy=COMPLETE | {"plan_budget": 5_000_000})


def test_under_zcdp_the_ledger_holds_the_most_rho_that_keeps_the_budget():
    """ε = 1 at δ = 1e-9 is ρ 0.014973; the parts follow, in pρ."""
    privacy = Settings.load(privacy=ZCDP).spending()

    total = privacy.total
    assert (total.measure, round(total.units / 1e6)) == ("rho", 14_973)
    assert micro_epsilon_of(total.units, 1e-9) == 1_000_000
    assert micro_epsilon_of(total.units + 1, 1e-9) > 1_000_000
    assert privacy.plan_budget == total.units // 10
    assert privacy.fresh_budget == total.units // 4
    assert privacy.amount(privacy.fresh) == Amount.zcdp(total.units // 1_000)


@pytest.mark.parametrize(
    ("change", "purse"),
    [
        ({}, Amount.pure(500_000)),
        ({"surcharge_budget": 7}, Amount.pure(7)),
        ({"rule": "renew"}, None),
        ({"measure": "epsilon", "delta": None}, None),
    ],
)
def test_only_fixed_noise_under_zcdp_has_a_purse_for_showing_again(change, purse):
    """Everywhere else what it costs is in the one budget."""
    assert Settings.load(privacy=ZCDP | change).spending().surcharges == purse


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"delta": None}, "DELTA is required by measure zcdp"),
        ({"measure": "epsilon"}, "DELTA has no meaning for measure epsilon"),
        ({"rule": "renew", "surcharge_budget": 7}, "for rule fixed-noise under"),
        ({"fresh": 10**12}, "parts are in pρ"),
        ({"delta": 0.01}, "SIGMA_PRIVACY_DELTA"),
        ({"delta": 0.0}, "SIGMA_PRIVACY_DELTA"),
        ({"measure": "rho"}, "SIGMA_PRIVACY_MEASURE"),
    ],
)
def test_a_half_chosen_measure_is_refused_with_what_is_lacking(change, words):
    """A δ that nobody reads, or that nobody chose, would be a false promise."""
    with pytest.raises(InvalidSettings, match=words):
        Settings.load(privacy=ZCDP | change)


def test_pure_epsilon_needs_no_word_of_a_measure():
    """As every dataset was declared before there was another."""
    privacy = Settings.load(privacy=COMPLETE).spending()

    assert privacy.total == Amount.pure(4_000_000)
    assert (privacy.delta, privacy.surcharges) == (None, None)


def test_a_misspelt_variable_is_refused_with_the_right_one(environ):
    """A setting that silently does nothing could be the budget."""
    environ.setenv("SIGMA_PRIVACY_BUGDET", "1")

    with pytest.raises(InvalidSettings, match="SIGMA_PRIVACY_BUDGET is"):
        Settings.load()


def test_all_faults_are_named_at_once(environ):
    """An operator mends the environment once, not once a variable."""
    environ.setenv("SIGMA_KAFKA_PARTITIONS", "0")
    environ.setenv("SIGMA_WEB_PORT", "70000")

    with pytest.raises(InvalidSettings) as refusal:
        Settings.load()

    assert len(refusal.value.complaints) == 2


def test_the_window_fits_into_the_log(environ):
    """Nobody can look at a query that the topic has dropped."""
    environ.setenv("SIGMA_RECLUSTER_WINDOW_DAYS", "60")

    with pytest.raises(InvalidSettings, match="WINDOW_DAYS exceeds"):
        Settings.load()


def test_a_password_shows_nowhere(environ):
    """Neither the settings nor a refusal prints a secret."""
    environ.setenv("SIGMA_REDIS_PASSWORD", "sesame")
    environ.setenv("SIGMA_REDIS_URL", "redis://x:sesame@host")

    shown = repr(Settings.load())

    assert "sesame" not in shown


def test_a_refused_value_is_not_repeated(environ):
    """The faulty value may be a secret put into the wrong variable."""
    environ.setenv("SIGMA_KAFKA_PARTITIONS", "sesame")

    with pytest.raises(InvalidSettings) as refusal:
        Settings.load()

    assert "sesame" not in str(refusal.value)


def test_the_remedy_for_a_flood_of_dead_letters_can_be_taken():
    """The worker that halted advises a start with a ratio of 1."""
    taken = Settings.load(privacy=COMPLETE, counter={"dead_letter_ratio": 1})

    assert taken.counter.dead_letter_ratio == 1
