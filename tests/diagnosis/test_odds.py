"""One way to write how sure an answer is."""

import pytest

from apps.diagnosis.odds import odds_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.947, "0.95"),
        (0.8, "0.80"),
        (0.7996, "0.79"),
        (0.4999, "0.49"),
        (0.5, "0.50"),
        (0.01, "0.01"),
        (0.0099, "<0.01"),
        (0.0, "<0.01"),
        (1.0, "1.00"),
    ],
)
def test_two_digits_that_never_pass_a_gate_which_the_value_did_not(value: float, text: str) -> None:
    assert odds_text(value) == text
