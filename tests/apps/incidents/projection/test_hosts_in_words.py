"""Words of a change are read in a moment, whatever is written in them."""

from time import process_time
from unittest.mock import Mock

import pytest

from apps.incidents.projection.shared.hosts_in_words import without_hosts


@pytest.mark.parametrize("piece", ["1, ", "nodes 1 ", "1번과 ", "1번, ", "r071, 1 "])
def test_long_words_of_numbers_are_read_in_a_moment(piece: str) -> None:
    text = "node 1, " + piece * 20_000
    redactor = Mock(host=lambda name, level: name)
    said = without_hosts([text], hidden=["r071"], redactor=redactor)
    begun = process_time()
    said(text)
    assert process_time() - begun < 5
