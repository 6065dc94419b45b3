"""Settings of the rules: each has its own, and refuses what another one reads."""

from __future__ import annotations

import pytest

from config.settings import InvalidSettings, Settings
from tests.shell.test_settings import COMPLETE, ZCDP, environ
from workers import clients

__all__ = ["environ"]  # an environment that names a dataset and nothing else of ours


def test_fixed_noise_demands_a_churn_probability():
    """ρ of Theorem 5 is an assumption, and nobody else can make it."""
    with pytest.raises(InvalidSettings, match="CHURN_PROBABILITY is required"):
        Settings.load(privacy={"budget": 1_000_000})


def test_renewed_noise_needs_no_churn_probability():
    """Only Theorem 5 assumes how often people leave."""
    settings = Settings.load(privacy={"budget": 1_000_000, "rule": "renew"})

    assert settings.spending().churn_probability is None


@pytest.mark.parametrize(
    ("seconds", "change", "rated"),
    [
        (10, ZCDP, 524_288),
        (60, ZCDP, 524_288),
        (3_600, ZCDP, 8_192),
        (86_400, ZCDP, 1_024),  # a year of days is nearer to it than to 128
        (10**9, ZCDP, 128),
        (1e-9, ZCDP, 524_288),
        (10, ZCDP | {"horizon": 700}, 1_024),
        (10, ZCDP | {"horizon": 3_155_760}, 4_194_304),
        (3_600, COMPLETE, 16_384),
        (86_400, COMPLETE, 256),
        (10, COMPLETE | {"horizon": 2**26}, 4_194_304),
    ],
)
def test_counters_are_rated_for_a_year_unless_told_otherwise(seconds, change, rated):
    """The nearest that has constants: of counters under zcdp, of trees in pure ε."""
    privacy = Settings.load(privacy=change | {"rule": "continual"}).spending()

    assert privacy.rated_epochs(seconds) == rated


def test_a_row_changes_as_often_as_it_likes_unless_a_limit_is_set():
    """Counters read it in the group of the budget; without that there is none."""
    privacy = {"budget": 10**6, "rule": "continual"}

    limits = [
        clients.changes_limit(Settings.load(privacy=privacy | change))
        for change in ({}, {"changes_limit": 4})
    ]

    assert [*limits, clients.changes_limit(Settings.load())] == [None, 4, None]


def test_continual_assumes_nothing_and_has_one_purse():
    """Nothing is shown again, so no probability and no surcharge has a meaning."""
    privacy = Settings.load(
        privacy={"budget": 10**6, "measure": "zcdp", "delta": 1e-9, "rule": "continual"}
    ).spending()

    assert (privacy.churn_probability, privacy.surcharges) == (None, None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"horizon": 128}, "for rule continual alone: under fixed-noise"),
        ({"rule": "renew", "horizon": 128}, "for rule continual alone: under renew"),
        ({"rule": "continual", "horizon": 0}, "SIGMA_PRIVACY_HORIZON"),
        ({"rule": "continual", "horizon": 2**26 + 1}, "SIGMA_PRIVACY_HORIZON"),
        ({"rule": "continual", "surcharge_budget": 7}, "for rule fixed-noise under"),
        ({"changes_limit": 4}, "CHANGES_LIMIT is for rule continual alone"),
        ({"rule": "renew", "changes_limit": 4}, "for rule continual alone"),
        ({"rule": "continual", "changes_limit": 0}, "SIGMA_PRIVACY_CHANGES_LIMIT"),
        ({"rule": "continual", "owner_rows": 3}, "needs SIGMA_PRIVACY_CHANGES_LIMIT"),
        (
            {"rule": "continual", "changes_limit": 4, "owner_rows": 0},
            "SIGMA_PRIVACY_OWNER_ROWS",
        ),
        ({"changes_limit": 4, "owner_rows": 3}, "for rule continual alone"),
        ({"rule": "forever"}, "SIGMA_PRIVACY_RULE"),
    ],
)
def test_a_setting_that_the_rule_does_not_read_is_refused(change, words):
    """Whoever sets it believes that it does something."""
    with pytest.raises(InvalidSettings, match=words):
        Settings.load(privacy=ZCDP | change)
