"""Whether code asks what a text says, as its bytecode tells."""

import pytest

from sparsetrace.user_code.text_tests import asks_what_text_says


def number_compared(v, k):
    if k == 0 or v != 0.5 or k % 2 == 1:
        print(f"turn {v}")


def text_compared(v, k):
    if f"{v}" == k:
        print("turn")


def text_compared_with_one_of_two(v, k):
    if f"{v}" == ("turn" if k else 0):
        print("turn")


def constant_compared(v, k):
    if f"{v}" == "1.5" and k == 0:
        print("turn")


def member(v, k):
    if f"{v}" in ("1.5", "2.5") and k == 0:
        print("turn")


@pytest.mark.parametrize(
    ("f", "asks"),
    [
        (number_compared, False),
        (text_compared, True),
        (text_compared_with_one_of_two, True),
        (constant_compared, True),
        (member, True),
    ],
)
def test_comparisons_with_numbers_ask_nothing(f, asks):
    assert asks_what_text_says(f.__code__) is asks
