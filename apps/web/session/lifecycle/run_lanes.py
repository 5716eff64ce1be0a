"""What logs and incidents tell of attempts, as lanes below those of the schedulers."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.fleet.values import AttemptView
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import summary_of
from apps.reliability.facade.session_history import SessionHistory
from apps.training.retries.attempt_recoveries import AttemptRecovery
from apps.web import words
from apps.web.session.lifecycle.page import LaneStretch, SessionLane
from apps.web.session.retries.recovery_rows import STAGES, length_text
from apps.web.session.run_silences import silences
from apps.web.session.run_words import checkpoint_hint

# Of very many the newest: each is a rectangle.
MOST_BARS: Final = 600


def run_lanes(
    *,
    attempts: Sequence[AttemptView],
    history: SessionHistory,
    headers: Sequence[IncidentHeader],
    now: datetime,
) -> Iterator[SessionLane]:
    """Yield the lanes in which something stands: saves and loads, silence, incidents, recovery."""
    lanes = (
        ("save", pgettext("lane", "Save, load"), _saves(attempts, history)),
        ("stalled", pgettext("lane", "No steps"), _silences(attempts, history, now)),
        ("broke", pgettext("lane", "Incident"), _incidents(attempts, headers)),
        ("recovery", pgettext("lane", "Recovery"), _recoveries(history.recoveries)),
    )
    for slug, name, spans in lanes:
        if some := tuple(spans):
            yield SessionLane(slug=slug, name=name, spans=some[-MOST_BARS:])


def _saves(attempts: Sequence[AttemptView], history: SessionHistory) -> Iterator[LaneStretch]:
    for attempt in attempts:
        told = history.told.get(attempt.id)
        if told is None or told.story.is_local:  # of a time without a zone no place is known
            continue
        for each in told.story.checkpoints:
            if each.starts_at is not None and each.ends_at is not None:
                yield LaneStretch(
                    attempt=attempt.number,
                    starts_at=each.starts_at,
                    ends_at=each.ends_at,
                    hint=f"#{attempt.number} {checkpoint_hint(each)}",
                )


def _silences(
    attempts: Sequence[AttemptView], history: SessionHistory, now: datetime
) -> Iterator[LaneStretch]:
    for attempt in attempts:
        told = history.told.get(attempt.id)
        if told is None or told.story.is_local:
            continue
        until = attempt.ended_at or _heard_until(told.story.ends_at, now)
        for first, last in silences(told.story, until=until):
            length = words.duration((last - first).total_seconds())
            text = _("no steps, %(length)s") % {"length": length}
            yield LaneStretch(
                attempt=attempt.number,
                starts_at=first,
                ends_at=last,
                hint=f"#{attempt.number} {text}",
            )


def _heard_until(last: datetime | None, now: datetime) -> datetime:
    """Return until when an attempt that runs was heard of: what is not read is no silence."""
    return now if last is None else min(last, now)


def _incidents(
    attempts: Sequence[AttemptView], headers: Sequence[IncidentHeader]
) -> Iterator[LaneStretch]:
    """Yield when each broke or began, at the attempt of this session that it hit."""
    numbers = {each.id: each.number for each in attempts}
    for header in reversed(headers):
        at = header.incident.started_at
        hit = next((numbers[each.id] for each in header.attempts if each.id in numbers), None)
        if at is None or hit is None:
            continue
        yield LaneStretch(
            attempt=hit,
            starts_at=at,
            ends_at=at,
            hint=f"#{hit} {header.incident.public_id}: {summary_of(header)}",
            slug=f"layer-{header.incident.layer}",
        )


def _recoveries(found: Sequence[AttemptRecovery]) -> Iterator[LaneStretch]:
    for each in found:
        for part in each.recovery.stages:
            if not part.milliseconds:
                continue
            yield LaneStretch(
                attempt=each.following,
                starts_at=part.starts_at,
                ends_at=part.starts_at + timedelta(milliseconds=part.milliseconds),
                hint=f"#{each.following} {STAGES[part.stage]}, {length_text(part.milliseconds)}",
                slug=f"stage-{part.stage.value}",
                is_between=not each.is_in_place,
            )
