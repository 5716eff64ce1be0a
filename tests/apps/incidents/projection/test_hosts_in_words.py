"""Words of a change take time in proportion to them, whatever is written in them."""

from unittest.mock import Mock

import pytest

from apps.incidents.projection.shared.hosts_in_words import without_hosts
from tests.diagnosis.signatures.linearity import is_linear


@pytest.mark.parametrize(
    "piece",
    [
        "1, ",
        "nodes 1 ",
        "1번과 ",
        "1번, ",
        "r071, 1 ",
        "rack a1, ",
        "r 71 ",
        "node id ",
        "r[71, ",
        "node-",
        "rack4b, ",
    ],
)
def test_long_words_of_numbers_take_time_in_proportion(piece: str) -> None:
    text = "node 1, " + piece * 2_000
    redactor = Mock(host=lambda name, level: name)
    said = without_hosts([text], hidden=["r071"], redactor=redactor)

    assert is_linear(look=said, text=text)


def test_thousands_of_hidden_hosts_cost_a_change_that_names_none_little() -> None:
    """Their names make no pattern where no word of them is said."""
    hidden = [f"{'abcdefghij'[n % 10] * 50}{n}" for n in range(2_000)]
    redactor = Mock(host=lambda name, level: name)
    without_hosts(["drivers of node 3"], hidden=hidden, redactor=redactor)
    with_one = [f"drivers of {hidden[0]}"]
    sizes = [
        len(without_hosts(texts, hidden=hidden, redactor=redactor).__self__._numbered.pattern)  # type: ignore[attr-defined]
        for texts in (["drivers of node 3"], with_one)
    ]
    assert sizes[1] - sizes[0] <= 60
