"""Logs of several zones beside each other, days of old faults before, hours of talk after."""

import pytest

from tests.scenarios.stories import Story
from tests.scenarios.zoned_logs import DECIDED, PAIRS, STYLES, assert_same


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("story", DECIDED, ids=lambda story: story.name)
def test_no_pair_of_zones_changes_the_verdict(
    story: Story, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each story meets each pair in one style, and each style each pair in some story.

    All of them meet each other in `make chaos`.
    """
    turn = STYLES.index(style) + DECIDED.index(story)
    pairs = PAIRS[turn % len(STYLES) :: len(STYLES)]
    assert_same(story=story, style=style, pairs=pairs, monkeypatch=monkeypatch)
