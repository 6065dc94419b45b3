"""The tables of bits are what docs/mathematics.md (section 4) reads into the paper."""

import numpy as np
import pytest

from experiments.measuring.data import COLUMNS, ROWS, Bits, adult, simulated

CLERK = {
    "marital_status": "Never-married",
    "native_country": "United-States",
    "capital_gain": "2174",
    "capital_loss": "0",
    "sex": "Male",
    "race": "White",
    "occupation": "Adm-clerical",
    "education": "Bachelors",
    "income": "<=50K",
}
FARMER = {
    "marital_status": "Widowed",
    "native_country": None,
    "capital_gain": "0",
    "capital_loss": "1902",
    "sex": "Female",
    "race": "Asian-Pac-Islander",
    "occupation": "Farming-fishing",
    "education": "Assoc-voc",
    "income": ">50K",
}
COOK = {**CLERK, "race": "Black", "occupation": None, "education": "11th"}


def told(person):
    """The bits of one person, a digit each."""
    return "".join(map(str, adult([person]).values[0].astype(int).tolist()))


@pytest.mark.parametrize(
    ("person", "bits"),
    [
        (CLERK, "000010011011001000010"),
        (FARMER, "000000100100010100101"),
        (COOK, "000010011010100011000"),
    ],
    ids=["clerk", "farmer", "cook"],
)
def test_a_person_becomes_21_bits(person, bits):
    """Marital status, country, gain, loss, sex; race, job, school, income."""
    assert told(person) == bits


def test_one_level_of_each_variable_is_taken():
    """Whatever a variable says, one of its columns is 1, missing values included."""
    people = [
        {**FARMER, "occupation": job, "education": school, "race": race}
        for job in (None, "Sales", "Craft-repair", "Armed-Forces")
        for school in ("Preschool", "Some-college", "Doctorate", "HS-grad")
        for race in ("White", "Black", "Other", "Amer-Indian-Eskimo")
    ]

    values = adult(people).values

    for first, last in ((0, 7), (11, 14), (14, 17), (17, 20)):
        assert (values[:, first:last].sum(axis=1) == 1).all()


def test_simulated_rows_are_fair_coins_and_the_same_each_time():
    """10^5 by 21; a column further than 6 deviations from half has odds of 10^-8."""
    bits = simulated()

    assert bits.values.shape == (ROWS, COLUMNS)
    assert np.abs(bits.values.mean(axis=0) - 0.5).max() < 6 * 0.5 / ROWS**0.5
    assert np.array_equal(bits.values, simulated().values)


def test_cells_count_the_rows_of_a_code():
    """Codes are the schema's; every row is in one cell."""
    values = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 1], [0, 0, 0]], np.bool_)
    bits = Bits("tiny", values)

    codes, counts = bits.cells

    assert dict(zip(codes.tolist(), counts.tolist(), strict=True)) == {0: 1, 3: 2, 4: 1}
    assert bits.counts.tolist() == [1, 0, 0, 2, 1, 0, 0, 0]
    assert bits.first(2).cells[0].tolist() == [0, 1, 2]
