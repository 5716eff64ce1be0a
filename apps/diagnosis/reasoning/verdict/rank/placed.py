"""What time, place and order add to a weight."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from math import log

from apps.diagnosis.causes.load import Cause
from apps.diagnosis.model import Observation
from apps.diagnosis.reasoning.verdict.rank.pieces import SHARED_PARTS, Context, ObservedPiece

# Timing and place, in log-odds.
AT_THE_TIME, SOME_MINUTES_BEFORE, LONG_BEFORE, AFTERWARDS, EARLIEST, LATER = (
    0.5,
    -0.6,
    -1.4,
    -2.2,
    0.5,
    -0.8,
)
NEAR, FAR = timedelta(minutes=2), timedelta(minutes=5)
# Clocks nobody could pair are off by tens of seconds.
SOON, SOON_AFTER = timedelta(seconds=60), -0.5
ON_SUSPECT, OFF_SUSPECT = 0.8, -0.8
UNDATED, UNDATED_ELSEWHERE = -0.5, -2.0
STRONG = 4.0
PRINT_SLACK = timedelta(seconds=5)
# What may be a failure's own, ten minutes before to five after: less exact times speak less.
WINDOW = timedelta(minutes=15)


def placed(
    weight: float, one: Observation, lag_seconds: float, cause: Cause, context: Context
) -> float:
    """Add time and place to a weight; what came after the failure speaks little, but never
    against.
    """
    if weight <= 0:
        return 0.0
    weight += _timing(one, lag_seconds, context)
    if _is_undated(one, context):
        is_elsewhere = bool(context.suspects) and one.host not in context.suspects
        weight += UNDATED_ELSEWHERE if is_elsewhere else UNDATED
    if context.suspects and one.host is not None and cause.culprit not in SHARED_PARTS:
        weight += ON_SUSPECT if one.host in context.suspects else OFF_SUSPECT
    return max(weight, 0.0)


def _is_undated(one: Observation, context: Context) -> bool:
    """Say whether a kernel counts from a boot that nobody knows: it may speak of any day."""
    if one.at is not None or context.failed_at is None:
        return False
    return any(e.line.uptime_seconds is not None for e in one.events)


def is_vague(one: Observation) -> bool:
    """Say whether metrics tell of something without telling at which of many failures."""
    return one.anomaly is not None and one.error > WINDOW


def _timing(one: Observation, lag_seconds: float, context: Context) -> float:
    """Return what the distance to the failure adds: a cause is seconds away, not minutes."""
    if one.at is None or one.last_at is None or context.failed_at is None:
        return 0.0
    if is_vague(one):
        # It happened some time while nobody heard the part: this failure is one of many moments.
        return -log(one.error / WINDOW)
    slack = one.error + context.error + PRINT_SLACK
    after = one.at - timedelta(seconds=lag_seconds) - slack - context.failed_at - context.late
    if after > timedelta(0):
        # Who stopped first may tell all the while that the others wait.
        is_meanwhile = context.ended_at is not None and one.at <= context.ended_at
        is_of_suspect = one.host is not None and one.host in context.suspects
        is_soon = after <= SOON or (is_meanwhile and is_of_suspect)
        faded = log(after / WINDOW) if context.is_open and after > WINDOW else 0.0
        return SOON_AFTER if is_soon else AFTERWARDS - faded
    before = context.failed_at - one.last_at - slack
    if before <= NEAR:
        return AT_THE_TIME
    return SOME_MINUTES_BEFORE if before <= FAR else LONG_BEFORE


def beginning(
    pieces: Mapping[str, Sequence[ObservedPiece]], context: Context
) -> Observation | None:
    """Return the earliest observation near the failure that could be the beginning of it all."""
    strong = [
        piece.observation
        for found in pieces.values()
        for piece in found
        if piece.weight >= STRONG
        and piece.observation.at is not None
        and _timing(piece.observation, 0.0, context) >= 0.0
    ]
    return min(strong, key=lambda one: (one.at, one.sign, one.host or ""), default=None)


def in_order(piece: ObservedPiece, first: Observation | None) -> ObservedPiece:
    """Let the beginning weigh more than what came after it, beyond the error of the clocks."""
    one = piece.observation
    if first is None or first.at is None or one.at is None or piece.weight < STRONG:
        return piece
    # Of lines that one clock stamped its error moves all alike.
    error = timedelta(0) if _is_one_clock(one, first) else one.error + first.error
    is_later = one.at - error > first.at + timedelta(seconds=1)
    weight = piece.weight + (LATER if is_later else EARLIEST)
    return replace(piece, weight=weight)


def _is_one_clock(one: Observation, other: Observation) -> bool:
    """Say whether both are lines of one log of one host."""
    if not one.events or not other.events or one.host is None or one.host != other.host:
        return False
    sources = {e.line.origin.source for each in (one, other) for e in each.events}
    return len(sources) == 1
