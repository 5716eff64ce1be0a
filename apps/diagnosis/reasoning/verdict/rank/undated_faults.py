"""Faults of which nobody says whether they were of the session's own day: their day is known and
the session's is not, or a kernel counts from a boot that nobody knows.
"""

from collections.abc import Sequence
from datetime import timedelta
from math import log

from apps.diagnosis.model import Event, Observation, Role, Statement, Stream, statement
from apps.diagnosis.observed import LONG_AGO, UNTIED, struck_process
from apps.diagnosis.reasoning.verdict.rank.pieces import Context, ObservedPiece

# As likely of another day, or of another job, as any fault that a log of weeks holds.
WEIGHT = -2.0
UNSAID = statement("session-untimed")
UNSAID_AT_ALL = statement("session-untimed-and-unplaced")
# Who reads a kernel's log the morning after finds the fault of the night this far from its end.
NIGHT = 12 * 3600.0
# No fault is so old that it is not asked about any more.
FORTNIGHT = 14 * 86_400.0
OWN = frozenset({Stream.SESSION, None})


def against(*, pieces: Sequence[ObservedPiece], context: Context) -> list[ObservedPiece]:
    """Return what speaks against a cause of which only logs of others tell, at times that nothing
    in the session's own log can be compared with.
    """
    weighed = [one for one in pieces if one.weight > 0 and not one.is_generic]
    if not weighed:
        return []
    if context.is_untimed and all(_is_untied(one, context) for one in weighed):
        return [_against(UNTIED, UNSAID if context.hosts else UNSAID_AT_ALL)]
    since = [_seconds_since(one, context) for one in weighed]
    nearest = min((0.0 if one is None else one for one in since), default=0.0)
    if nearest <= NIGHT:
        return []
    # Of so many nights the session's is one, and rather a late one: logs are read after a failure.
    weight = WEIGHT - log(min(nearest, FORTNIGHT) / NIGHT) / 2
    told = statement("kernel-counts-on", span=timedelta(seconds=nearest))
    return [_against(LONG_AGO, told, weight)]


def _against(family: str, told: Statement, weight: float = WEIGHT) -> ObservedPiece:
    return ObservedPiece(
        observation=Observation(sign=f"finding:{family}", role=Role.CONTEXT, layer=None),
        weight=weight,
        statement=told,
        is_generic=True,
        family=family,
    )


def _seconds_since(piece: ObservedPiece, context: Context) -> float | None:
    """Return how long the kernel that tells of it went on to count, None where it has a time."""
    one = piece.observation
    if one.at is not None:
        return None
    counted = [
        context.uptimes[event.line.origin.source] - event.line.uptime_seconds
        for event in one.events
        if event.line.uptime_seconds is not None and event.line.origin.source in context.uptimes
    ]
    return min(counted, default=None)


def _is_untied(piece: ObservedPiece, context: Context) -> bool:
    one = piece.observation
    if one.at is None or any(_stream(event) in OWN for event in one.events):
        return False
    return not any(struck_process(event) in context.processes for event in one.events)


def _stream(event: Event) -> Stream | None:
    return event.line.origin.stream or event.line.stream
