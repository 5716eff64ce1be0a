"""Every pair of zones with every style of kernel logs, for every story."""

import pytest

from tests.scenarios.stories import Story
from tests.scenarios.zoned_logs import DECIDED, PAIRS, STYLES, assert_same


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("story", DECIDED, ids=lambda story: story.name)
def test_no_pair_of_zones_changes_the_verdict_in_any_style(
    story: Story, style: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_same(story=story, style=style, pairs=PAIRS, monkeypatch=monkeypatch)
