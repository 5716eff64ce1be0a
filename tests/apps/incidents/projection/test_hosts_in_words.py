"""Words of a change take time in proportion to them, whatever is written in them."""

from unittest.mock import Mock

import pytest

from apps.incidents.projection.shared.hosts_in_words import without_hosts
from tests.diagnosis.signatures.linearity import is_linear


@pytest.mark.parametrize("piece", ["1, ", "nodes 1 ", "1번과 ", "1번, ", "r071, 1 "])
def test_long_words_of_numbers_take_time_in_proportion(piece: str) -> None:
    text = "node 1, " + piece * 2_000
    redactor = Mock(host=lambda name, level: name)
    said = without_hosts([text], hidden=["r071"], redactor=redactor)

    assert is_linear(look=said, text=text)
