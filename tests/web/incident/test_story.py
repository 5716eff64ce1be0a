"""The timeline as one list: silence between what happened is a line of its own."""

from datetime import datetime, timedelta

from apps.web.incident.timeline.story import LONG, SHOWN, SILENCE, shown_of, story_of
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


def test_of_a_long_story_the_list_shows_less_at_first() -> None:
    told = [entry(AT + timedelta(seconds=n)) for n in range(LONG + 1)]
    limit = shown_of(len(told))

    assert shown_of(LONG) == SHOWN > limit
    assert len(story_of(entries=told, zone=None, limit=limit)) == limit
