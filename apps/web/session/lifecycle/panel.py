"""The states of a session's attempts: lanes, a row an attempt, a row a state."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from apps.fleet.facade.lifecycles import AttemptHistory, AttemptStateView
from apps.fleet.values import AttemptView
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words import summary_of
from apps.training.lifecycle.spans import LifecycleSpan
from apps.training.lifecycle.state_table import LifecycleLane
from apps.web import words
from apps.web.display.authority import who_said
from apps.web.display.instants import dated
from apps.web.session.lifecycle.draw import draw_lanes
from apps.web.session.lifecycle.page import (
    LaneStretch,
    LifecyclePanel,
    LifecycleRow,
    SessionLane,
    StateRow,
)
from apps.web.session.retries.recovery_rows import STAGES

NAMES: Final = {
    LifecycleLane.QUEUE: pgettext_lazy("lane", "Queue"),
    LifecycleLane.START: pgettext_lazy("lane", "Start"),
    LifecycleLane.RUN: pgettext_lazy("lane", "Run"),
    LifecycleLane.DEGRADED: pgettext_lazy("lane", "Degraded"),
    LifecycleLane.SUSPENDED: pgettext_lazy("lane", "Suspended"),
    LifecycleLane.RESTARTING: pgettext_lazy("lane", "Restarting"),
    LifecycleLane.END: pgettext_lazy("lane", "End"),
    LifecycleLane.UNKNOWN: pgettext_lazy("lane", "Unknown"),
}
# These are drawn though nobody reported of them; the others only where something stands there.
ALWAYS: Final = (LifecycleLane.QUEUE, LifecycleLane.START, LifecycleLane.RUN, LifecycleLane.END)
OTHER: Final = (LifecycleLane.DEGRADED, LifecycleLane.SUSPENDED, LifecycleLane.RESTARTING)
STATES_SHOWN: Final = 100
NOT_REPORTED: Final = gettext_lazy("not reported")


def lifecycle_panel(
    *,
    attempts: Sequence[AttemptView],
    histories: Mapping[int, AttemptHistory],
    headers: Mapping[int | None, IncidentHeader],
    names: Mapping[str, str],
    now: datetime,
    more_lanes: Sequence[SessionLane] = (),
) -> LifecyclePanel | None:
    """Return what was reported; None where nobody told when any attempt began.

    `names` are those of who reported, by slug; `more_lanes` are drawn below those of the
    schedulers.
    """
    told = [(each, histories[each.id]) for each in attempts if each.id in histories]
    lanes = [*_lanes(told, names, now), *more_lanes]
    states = [row for each, history in told for row in _state_rows(each, history, names)]
    drawing = draw_lanes(lanes, now=now, hint=_hint(told, more_lanes))
    if drawing is None and not states:
        return None
    return LifecyclePanel(
        drawing=drawing,
        rows=tuple(
            _row(each, history, headers.get(each.id), _who_ended(each, history, names), now)
            for each, history in told
        ),
        states=tuple(states[-STATES_SHOWN:]),
        state_count=len(states),
        notes=tuple(_notes(told)),
        stages=tuple(_stages(more_lanes)),
    )


def _stages(lanes: Sequence[SessionLane]) -> Iterator[tuple[str, str]]:
    drawn = {span.slug for lane in lanes for span in lane.spans}
    for stage, name in STAGES.items():
        if f"stage-{stage.value}" in drawn:
            yield stage.value, str(name)


Told = Sequence[tuple[AttemptView, AttemptHistory]]


def _lanes(told: Told, names: Mapping[str, str], now: datetime) -> Iterator[SessionLane]:
    for lane in LifecycleLane:
        spans = tuple(
            _lane_span(attempt.number, span, names, now)
            for attempt, history in told
            for span in history.lifecycle.spans
            if span.lane is lane
        )
        if spans or lane in ALWAYS:
            yield SessionLane(slug=lane.value, name=str(NAMES[lane]), spans=spans)


def _lane_span(
    attempt: int, span: LifecycleSpan, names: Mapping[str, str], now: datetime
) -> LaneStretch:
    parts = [f"#{attempt} {NAMES[span.lane]}"]
    if span.word:
        parts.append(span.word)
    parts.append(words.duration(span.seconds(now=now)))
    if span.source:
        parts.append(who_said(span.source, is_claimed=span.is_claimed, names=names))
    return LaneStretch(
        attempt=attempt,
        starts_at=span.starts_at,
        ends_at=span.ends_at,
        hint=", ".join(parts),
        is_claimed=span.is_claimed,
    )


def _row(
    attempt: AttemptView,
    history: AttemptHistory,
    header: IncidentHeader | None,
    who: str,
    now: datetime,
) -> LifecycleRow:
    return LifecycleRow(
        attempt=attempt.number,
        queue=_length(history, LifecycleLane.QUEUE, now),
        start=_length(history, LifecycleLane.START, now),
        run=_length(history, LifecycleLane.RUN, now),
        other=", ".join(
            f"{NAMES[lane]} {length}" for lane in OTHER if (length := _length(history, lane, now))
        ),
        ended=dated(attempt.ended_at, seconds=True) if attempt.ended_at else "",
        why=summary_of(header) if header else _why(attempt, history),
        incident=header.incident.public_id if header else "",
        who=who,
    )


def _why(attempt: AttemptView, history: AttemptHistory) -> str:
    """Return how an attempt ended in the portal's words and in those that were said."""
    end = history.lifecycle.end
    said = " ".join(part for part in (end.word, end.reason) if part) if end else ""
    state = words.said(words.STATES, attempt.state, attempt.state)
    if attempt.state == "unknown" and said:
        return said
    return f"{state} ({said})" if said else state


def _length(history: AttemptHistory, lane: LifecycleLane, now: datetime) -> str:
    seconds = history.lifecycle.seconds_in(lane, now=now)
    return "" if seconds is None else words.duration(seconds)


def _who_ended(attempt: AttemptView, history: AttemptHistory, names: Mapping[str, str]) -> str:
    end = history.lifecycle.end
    if end is not None:
        return who_said(end.source, is_claimed=end.is_claimed, names=names)
    source = attempt.field_sources.get("ended_at") or attempt.field_sources.get("state")
    if not source:
        return ""
    return who_said(source[0], is_claimed="claimed" in source[2:], names=names)


def _state_rows(
    attempt: AttemptView, history: AttemptHistory, names: Mapping[str, str]
) -> Iterator[StateRow]:
    for state in history.states:
        yield StateRow(
            attempt=attempt.number,
            at=dated(state.at, seconds=True) if state.at else str(NOT_REPORTED),
            word=state.word,
            lane=str(NAMES[state.lane]),
            member=state.member,
            who=who_said(state.source, is_claimed=state.standing == "claimed", names=names),
            result=state.result,
            reason=state.reason,
            is_known=state.is_known,
        )


def _hint(told: Told, more: Sequence[SessionLane]) -> str:
    """Return the drawing in words: how many attempts, and in which lanes they were."""
    lanes = {span.lane for _attempt, history in told for span in history.lifecycle.spans}
    return _("%(n)s attempts over time: %(lanes)s") % {
        "n": len(told),
        "lanes": words.joined(
            [
                *(str(NAMES[lane]) for lane in LifecycleLane if lane in lanes),
                *(lane.name for lane in more),
            ]
        ),
    }


def _notes(told: Told) -> Iterator[str]:
    all_states = [state for _attempt, history in told for state in history.states]
    if not all_states:
        yield _("Nobody reported states: only begin and end are known.")
    if unknown := sorted({state.word for state in all_states if not state.is_known}):
        yield _("Not in the table of states, shown as they were said: %(words)s.") % {
            "words": words.joined(unknown)
        }
    if any(_is_timeless(state) for state in all_states):
        yield _("A state without a time stands in the list alone.")
    if len(all_states) > STATES_SHOWN:
        yield _("The list has the last %(n)s states; all are there by REST.") % {"n": STATES_SHOWN}
    if any(history.is_cut for _attempt, history in told):
        yield _("Of very many states the first and the last are kept.")


def _is_timeless(state: AttemptStateView) -> bool:
    return state.at is None
