"""What is no list has no entries: whoever reads it says what is wrong with it."""

import pytest

from apps.telemetry.submissions import pieces


@pytest.mark.parametrize("nonsense", [7, True, 1.5, "mounts", None])
def test_what_is_no_list_weighs_nothing(nonsense: object) -> None:
    said = dict.fromkeys(("nodes", "links", "mounts", "projects", "events"), nonsense)
    assert pieces.weight(said=said) == 0
    pieces.require_size(said=said)
    assert list(pieces.parts_of_inventory(said=said)) == []
