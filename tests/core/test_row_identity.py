"""Identity of rows: what a fingerprint says of their schema, and of their owners."""

import pytest

from sigmacount.models import RowIdentity


@pytest.mark.parametrize(
    ("fingerprint", "most"),
    [
        ("abc", None),
        ("abc+debezium", None),
        ("abc+owner-rows=3", 3),
        ("abc+debezium+owner-rows=12", 12),
    ],
)
def test_a_fingerprint_says_how_many_rows_an_owner_may_have(fingerprint, most):
    """Behind the schema's own, which stays what it is."""
    identity = RowIdentity("t", "c", 1, fingerprint)

    assert identity.owner_rows == most
    assert identity.schema == "abc"


def test_rows_of_owners_are_strange_to_those_with_another_bound():
    """Their ids mean something else."""
    two, three = (RowIdentity("t", "c", 1, f"abc+owner-rows={n}") for n in (2, 3))

    assert two.strange(three) == "fingerprint"
    assert two.strange(two) is None
