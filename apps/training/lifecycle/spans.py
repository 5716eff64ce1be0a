"""The lanes of one attempt, out of what several parties reported of it.

Clocks and words of parties differ, so the story is that of one of them: whose word counts more,
then who tells most. Others' states count before its first and after its last one. A claim counts
where nobody asserts anything.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from apps.training.lifecycle.members import steps_of
from apps.training.lifecycle.state_table import LifecycleLane
from apps.training.lifecycle.states import LifecycleState


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleSpan:
    """A stretch in one lane, half-open; `ends_at` is None while it goes on."""

    lane: LifecycleLane
    word: str  # the state that began it, as it was said; empty: only times were reported
    starts_at: datetime
    ends_at: datetime | None
    source: str = ""
    is_claimed: bool = False

    def seconds(self, *, now: datetime) -> float:
        """Return how long it lasted, up to now while it goes on."""
        return max(0.0, ((self.ends_at or now) - self.starts_at).total_seconds())


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLifecycle:
    """The lanes of an attempt, and how it ended as far as a state says so."""

    spans: tuple[LifecycleSpan, ...] = ()
    end: LifecycleState | None = None  # the last state after which it was over

    def seconds_in(self, lane: LifecycleLane, *, now: datetime) -> float | None:
        """Return the time in a lane; None where nothing was reported of it."""
        found = [span.seconds(now=now) for span in self.spans if span.lane is lane]
        return sum(found) if found else None


def attempt_lifecycle(
    states: Iterable[LifecycleState],
    *,
    started_at: datetime | None = None,
    ended_at: datetime | None = None,
) -> AttemptLifecycle:
    """Return the lanes of an attempt. Order and doubles of states change nothing.

    `started_at` and `ended_at` fill in where no state says when it ran.
    """
    story = _story(set(states))
    spans = _joined(story)
    over = [state for state in story if state.meaning.is_over]
    if not any(span.lane is LifecycleLane.RUN for span in spans) and started_at:
        spans = _with_run(spans, started_at, ended_at)
    return AttemptLifecycle(spans=tuple(_closed(spans, ended_at)), end=over[-1] if over else None)


def _story(states: set[LifecycleState]) -> list[LifecycleState]:
    counted = {state for state in states if not state.is_claimed} or states
    if not counted:
        return []
    counts = Counter(state.source for state in counted)
    chief = max(counts, key=lambda source: (counts[source], source))
    own = _ordered(state for state in counted if state.source == chief)
    others = _ordered(state for state in counted if state.source != chief)
    before = [state for state in others if state.at < own[0].at and not state.meaning.is_over]
    is_over = any(state.meaning.is_over for state in own)
    after = [state for state in others if state.at > own[-1].at and not is_over]
    return [*before, *own, *after]


def _ordered(states: Iterable[LifecycleState]) -> list[LifecycleState]:
    # Of one instant what is further on comes last, and an end after all.
    lanes = [*LifecycleLane]
    return sorted(
        states,
        key=lambda each: (
            each.at,
            each.meaning.is_over,
            lanes.index(each.lane),
            each.member,
            each.word,
        ),
    )


def _joined(story: Sequence[LifecycleState]) -> list[LifecycleSpan]:
    spans: list[LifecycleSpan] = []
    for at, lane, state in steps_of(story):
        if spans and spans[-1].lane is lane and _says_no_more(spans[-1], state, lane):
            continue
        if spans:
            spans[-1] = replace(spans[-1], ends_at=at)
        spans.append(
            LifecycleSpan(
                lane=lane,
                word=state.word,
                starts_at=at,
                ends_at=None,
                source=state.source,
                is_claimed=state.is_claimed,
            )
        )
    return spans


def _says_no_more(span: LifecycleSpan, state: LifecycleState, lane: LifecycleLane) -> bool:
    """Say whether a state only repeats the span; of members and in the end each says the same."""
    return (
        span.word == state.word
        or bool(state.member)
        or lane in {LifecycleLane.RUN, LifecycleLane.END}
    )


def _with_run(
    spans: list[LifecycleSpan], started_at: datetime, ended_at: datetime | None
) -> list[LifecycleSpan]:
    """Put the run between what was before it and its end; not where states say otherwise."""
    behind = [span.lane is LifecycleLane.END or span.starts_at >= started_at for span in spans]
    place = behind.index(True) if True in behind else len(spans)
    before, after = spans[:place], spans[place:]
    if after and after[0].starts_at < started_at:
        return spans
    if before:
        before[-1] = replace(before[-1], ends_at=started_at)
    ends_at = after[0].starts_at if after else None
    if ends_at is None and ended_at is not None and ended_at >= started_at:
        ends_at = ended_at
    run = LifecycleSpan(lane=LifecycleLane.RUN, word="", starts_at=started_at, ends_at=ends_at)
    return [*before, run, *after]


def _closed(spans: Sequence[LifecycleSpan], ended_at: datetime | None) -> Iterable[LifecycleSpan]:
    """End the last span where the attempt did. What came of a last state is not known else."""
    for span in spans[:-1]:
        yield span
    for span in spans[-1:]:
        if span.lane is LifecycleLane.END and span.ends_at is None:
            yield replace(span, ends_at=max(span.starts_at, ended_at or span.starts_at))
        elif span.ends_at is None and ended_at is not None:
            yield replace(span, ends_at=max(span.starts_at, ended_at))
        else:
            yield span
