"""Step times as a drawing: a story in, positions of lines, bands and labels out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import Final

from django.utils.translation import gettext as _

from apps.incidents.projection.header_values import IncidentHeader
from apps.training.runs.checkpoints import CheckpointSpan
from apps.training.runs.story import RunStory
from apps.training.steps.level_changes import LevelChange
from apps.training.steps.strip import StripBucket
from apps.web import words
from apps.web.lanes.scale import Span, clock_text, ticks
from apps.web.session.run_page import Strip, StripBand, StripChange, StripStop
from apps.web.session.run_silences import silences, stretches
from apps.web.session.run_words import change_text, checkpoint_hint, seconds_text

LEFT: Final = 80
RIGHT: Final = 1360
TOP, BOTTOM = 40, 200
# What is slower than so many usual steps is drawn at the upper edge: else nobody sees the rest.
HIGHEST: Final = 2.5
AROUND: Final = 0.2
LABEL_WIDTH: Final = 190
BAND_LABEL_WIDTH: Final = 44
MOST_LABELS: Final = 4
LEVELS: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)


@dataclass(frozen=True, slots=True)
class _Heights:
    """Where a step time stands: between the lowest and highest that are drawn."""

    low: float
    high: float

    def y(self, seconds: float) -> float:
        share = (min(max(seconds, self.low), self.high) - self.low) / (self.high - self.low)
        return round(BOTTOM - share * (BOTTOM - TOP), 1)


def draw_strip(
    *, story: RunStory, ended_at: datetime | None, header: IncidentHeader | None
) -> Strip | None:
    """Return the strip of an attempt, None where no step has a time."""
    buckets = story.strip.buckets
    if not buckets:
        return None
    span = _span(story, ended_at)
    heights = _heights(buckets)
    usual = median(each.median_seconds for each in buckets)
    drawn = list(stretches(buckets))
    return Strip(
        lines=tuple(_line(some, span, heights) for some in drawn),
        ranges=tuple(_range(some, span, heights) for some in drawn),
        bands=(
            *_silences(story, span),
            *_saves(story.checkpoints, span),
        ),
        changes=tuple(_changes(story.changes, span)),
        levels=tuple(_levels(heights)),
        ticks=ticks(span=span, zone=None),
        stop=_stop(header, ended_at, span),
        hint=_("Step time from %(low)s to %(high)s, usually %(usual)s")
        % {
            "low": seconds_text(min(each.least_seconds for each in buckets)),
            "high": seconds_text(max(each.most_seconds for each in buckets)),
            "usual": seconds_text(usual),
        },
    )


def _span(story: RunStory, ended_at: datetime | None) -> Span:
    first, last = story.strip.buckets[0].starts_at, story.strip.buckets[-1].ends_at
    told = [at for at in (story.starts_at, story.ends_at, ended_at) if at is not None]
    starts_at, ends_at = min([first, *told]), max([last, *told])
    return Span(
        starts_at=starts_at,
        ends_at=max(ends_at, starts_at + timedelta(seconds=1)),
        left=LEFT,
        right=RIGHT,
    )


def _heights(buckets: Sequence[StripBucket]) -> _Heights:
    usual = median(each.median_seconds for each in buckets)
    # A little jitter must not look like much: the axis shows a fifth of a step at least.
    least = min(each.least_seconds for each in buckets)
    low = min(least, (1 - AROUND) * usual)
    high = min(max(each.most_seconds for each in buckets), HIGHEST * usual)
    high = max(high, (1 + AROUND) * usual)
    room = (high - low) * 0.05
    return _Heights(low=max(0.0, low - room), high=high + room)


def _middle(bucket: StripBucket) -> datetime:
    return bucket.starts_at + (bucket.ends_at - bucket.starts_at) / 2


def _line(buckets: Sequence[StripBucket], span: Span, heights: _Heights) -> str:
    return _points(((_middle(each), each.median_seconds) for each in buckets), span, heights)


def _range(buckets: Sequence[StripBucket], span: Span, heights: _Heights) -> str:
    upper = [(_middle(each), each.most_seconds) for each in buckets]
    lower = [(_middle(each), each.least_seconds) for each in reversed(buckets)]
    return _points([*upper, *lower], span, heights)


def _points(values: Iterable[tuple[datetime, float]], span: Span, heights: _Heights) -> str:
    return " ".join(f"{span.x(at)},{heights.y(value)}" for at, value in values)


def _silences(story: RunStory, span: Span) -> Iterator[StripBand]:
    for first, last in silences(story, until=span.ends_at):
        length = words.duration((last - first).total_seconds())
        text = _("no steps, %(length)s") % {"length": length}
        yield _band("silent", first, last, text, text, span)


def _saves(saves: Sequence[CheckpointSpan], span: Span) -> Iterator[StripBand]:
    for each in saves:
        first, last = each.starts_at or each.ends_at, each.ends_at or each.starts_at
        if first is None or last is None:
            continue
        label = "" if each.step is None else f"#{each.step}"
        yield _band(each.kind, first, last, label, checkpoint_hint(each), span)


def _band(
    kind: str, first: datetime, last: datetime, label: str, hint: str, span: Span
) -> StripBand:
    x, end = span.x(first), span.x(last)
    is_wide = kind != "silent" or end - x > 2 * BAND_LABEL_WIDTH
    return StripBand(
        kind=kind, x=x, width=round(max(end - x, 2.0), 1), label=label if is_wide else "", hint=hint
    )


def _changes(changes: Sequence[LevelChange], span: Span) -> Iterator[StripChange]:
    """Yield each change, the largest with a label where that stands free."""
    largest = sorted(changes, key=lambda each: abs(each.ratio - 1), reverse=True)[:MOST_LABELS]
    free_from = float(LEFT)
    for each in changes:
        x = span.x(each.at)
        is_left = x + LABEL_WIDTH > RIGHT
        begin = x - LABEL_WIDTH if is_left else x
        has_room = each in largest and begin >= free_from
        if has_room:
            free_from = begin + LABEL_WIDTH
        yield StripChange(
            x=x,
            label=change_text(each) if has_room else "",
            label_x=x - 6 if is_left else x + 6,
            anchor="end" if is_left else "start",
            is_slower=each.is_slower,
            hint=f"{clock_text(each.at, seconds=True)}: {change_text(each)}",
        )


def _levels(heights: _Heights) -> Iterator[tuple[float, str]]:
    step = next((each for each in LEVELS if (heights.high - heights.low) / each <= 4), LEVELS[-1])
    level = -(-heights.low // step) * step
    while level <= heights.high:
        yield heights.y(level), seconds_text(level) if level else "0"
        level += step


def _stop(header: IncidentHeader | None, ended_at: datetime | None, span: Span) -> StripStop | None:
    if header is None:
        return None
    at = header.incident.started_at or ended_at
    if at is None:
        return None
    x = span.x(at)
    return StripStop(
        x=x,
        label=clock_text(at, seconds=True),
        anchor="end" if x > (LEFT + RIGHT) / 2 else "start",
        incident=header.incident.public_id,
        layer=header.incident.layer,
    )
