"""Times without a step: between stretches and behind the last, unless a save took them."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.model import PointKind, ProgressPoint
from apps.training.runs.story import RunStory, run_story
from apps.web.session.run_silences import silences

BEGAN = datetime(2026, 3, 12, 2, 0, tzinfo=UTC)


def _story(*, saved: bool) -> RunStory:
    """Return 40 steps of ten seconds, a pause of ten minutes, and 40 more."""
    at = [BEGAN + timedelta(seconds=10 * each + (600 if each > 40 else 0)) for each in range(80)]
    steps = [
        ProgressPoint(kind=PointKind.STEP, step=number, at=each, number=number, seconds=10.0)
        for number, each in enumerate(at)
    ]
    saves = [
        ProgressPoint(kind=PointKind.SAVE_BEGINS, at=at[40] + timedelta(seconds=1), number=100),
        ProgressPoint(kind=PointKind.SAVE_ENDS, at=at[41] - timedelta(seconds=5), number=101),
    ]
    return run_story(steps=steps, others=saves if saved else [])


@pytest.mark.parametrize(("saved", "count"), [(False, 1), (True, 0)])
def test_a_pause_is_a_silence_unless_a_save_explains_it(*, saved: bool, count: int) -> None:
    story = _story(saved=saved)
    assert story.ends_at is not None
    found = silences(story, until=story.ends_at)
    assert len(found) == count
    assert all(last - first > timedelta(minutes=9) for first, last in found)


def test_what_follows_the_last_step_for_long_is_a_silence() -> None:
    story = _story(saved=True)
    assert story.ends_at is not None
    until = story.ends_at + timedelta(minutes=17)
    assert silences(story, until=until)[-1][1] == until
    assert not silences(story, until=story.ends_at + timedelta(seconds=30))
