"""The timeline as one list: silence between what happened is a line of its own."""

from datetime import datetime, timedelta

from apps.web.incident.timeline.story import SILENCE, story_of
from apps.web.lanes.elements import Entry
from tests.cast.make import AT


def entry(at: datetime) -> Entry:
    """Return something that happened."""
    return Entry(key=at.isoformat(), lane="gpu", layer="gpu", role="cascade", title="x", at=at)


def test_silence_is_told_from_three_minutes_on() -> None:
    def gaps(length: timedelta) -> list[str]:
        told = story_of(entries=[entry(AT), entry(AT + length)], zone=None, limit=None)
        return [line.title for line in told if line.is_gap]

    assert len(gaps(SILENCE)) == 1
    assert "silence" in gaps(SILENCE)[0]
    assert gaps(SILENCE - timedelta(seconds=1)) == []
