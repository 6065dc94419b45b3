"""Every claim's test can fail: each named fault of the core turns it red."""

import pytest

from tests.theorems.mutate import GREEN, RED, ROOT, occurrences, sandbox
from tests.theorems.mutations import MUTATIONS

HERE = ROOT / "tests/theorems"
CLAIMS = sorted(HERE.glob("test_algorithm_*")) + sorted(HERE.glob("test_theorem_*"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the core and its tests; broken and mended again by each mutation."""
    with sandbox(tmp_path_factory.mktemp("mutants") / "copy") as copied:
        yield copied


@pytest.fixture(scope="module")
def green(copy):
    """The unbroken copy passes every test that a mutation must turn red."""
    code, output = copy.run(sorted({mutation.test for mutation in MUTATIONS}))
    assert code == GREEN, output


@pytest.mark.usefixtures("green")
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_fault_is_seen(copy, mutation):
    """A test fails; that none could be collected would be no proof."""
    code, output = copy.seen(mutation)

    assert code == RED, output


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_breaks_what_stands_there_today(mutation):
    """The list does not rot: the text to replace occurs once."""
    assert occurrences(mutation) == 1


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda path: path.stem)
def test_every_claim_has_a_mutation(claim):
    """One at least for each file of an algorithm or a theorem."""
    tests = {mutation.test for mutation in MUTATIONS}

    assert f"theorems/{claim.name}" in tests


def test_no_two_mutations_have_one_name():
    """A name stands for one fault."""
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)
