"""What weighs on every piece of evidence of an attempt: where and when it failed, and who ran."""

from collections.abc import Sequence

from apps.diagnosis.model import Phase, Reading, SessionFacts, Stream
from apps.diagnosis.reasoning.verdict import join, rank


def context_of(
    *,
    phase: Phase,
    scene: join.FailureScene,
    hosts: frozenset[str],
    readings: Sequence[Reading],
    facts: SessionFacts,
) -> rank.Context:
    """Return what `rank` weighs by; `hosts` are the session's, as far as known."""
    return rank.Context(
        phase=phase,
        failed_at=scene.failed_at,
        error=scene.error,
        suspects=scene.suspects,
        ended_at=scene.ended_at,
        late=scene.late,
        is_open=scene.is_open,
        is_untimed=scene.failed_at is None and _is_untimed(readings, facts),
        hosts=hosts,
        processes=_processes(readings),
        uptimes={
            one.origin.source: extent.last_uptime
            for one in readings
            for extent in one.extents
            if extent.last_uptime is not None
        },
    )


def _is_untimed(readings: Sequence[Reading], facts: SessionFacts) -> bool:
    """Say whether the session spoke and nobody tells when it ran."""
    spoke = any(
        (one.origin.stream or extent.stream) is Stream.SESSION
        for one in readings
        for extent in one.extents
    )
    return spoke and facts.started_at is None and facts.ended_at is None


def _processes(readings: Sequence[Reading]) -> frozenset[int]:
    """Return the processes that the session's own logs name."""
    events = (event for one in readings for event in (*one.events, *one.progress))
    return frozenset(
        event.line.pid
        for event in events
        if event.line.pid is not None
        and (event.line.origin.stream or event.line.stream) is Stream.SESSION
    )
