"""What each observation weighs for each cause: its symptom, time, place and order."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import log

from apps.diagnosis.causes.load import Cause, Symptom
from apps.diagnosis.model import Observation, Phase, Role, Severity

# What a signature that no cause lists speaks with for the causes it names itself, strongest first.
NAMED = {Role.INITIATING: 5.4, Role.CONFIRMATION: 4.4}
NAMED_FADE = (1.0, 0.6, 0.4)
FATAL_BONUS = 0.3
# What a measured fact speaks with for the causes that its signal names, by kind and role.
MEASURED = {
    "metric:counter-increase": 5.4,
    "metric:throttling": 6.8,
    "metric:saturation": 6.0,
    "metric:silence": 3.4,
    "metric:peer-deviation": 5.0,
    "metric:change-point": 3.0,
    "metric:shared-deviation": 3.0,
    "metric:drift": 3.0,
    "metric:collapse": 3.4,
    "metric:flood": 3.0,
    "metric:remap-growth": 4.4,
    "metric:trickle": 4.4,
    "metric:shortfall": 5.4,
    "metric:stuck": 3.0,
    "metric:spinning": 3.0,
    "metric:step-slowdown": 5.0,
}
# What a comparison finds on one family of metrics alone is a hint: chance finds such things, too.
COMPARED = frozenset(
    f"metric:{kind}"
    for kind in ("peer-deviation", "change-point", "drift", "collapse", "flood", "stuck")
)
ALONE = 0.6
MEASURED_ROLE = {Role.INITIATING: 1.0, Role.CONFIRMATION: 0.8, Role.CONTEXT: 0.5}
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
# Parts that many hosts share: evidence of all of them is one story.
SHARED_PARTS = frozenset({"server", "mount", "program", "switch", "link"})
# What failed there before is a prior: never enough for a verdict by itself.
# What may be a failure's own, ten minutes before to five after: less exact times speak less.
WINDOW = timedelta(minutes=15)
HISTORY = "history:repeat"
HISTORY_ONCE, HISTORY_AGAIN = 0.5, 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What weighs on every piece of evidence."""

    phase: Phase
    failed_at: datetime | None
    error: timedelta
    suspects: frozenset[str]  # hosts that stopped first or that peers name
    ended_at: datetime | None = None  # when the others gave up waiting
    late: timedelta = timedelta(0)  # how much later than `failed_at` it may have begun
    is_open: bool = False  # nobody says when it was over: what came hours later fades


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One observation under one symptom of one cause."""

    observation: Observation
    weight: float  # by itself, in log-odds
    text: str
    is_generic: bool
    family: str  # pieces of one family tell the same fact
    share: float = 0.0  # what it adds beside the others

    @property
    def voice(self) -> str:
        """Return whose word it is: a kind of log, or the metrics."""
        if not self.observation.events:
            return "metrics"
        line = self.observation.events[0].line
        return str(line.origin.stream or line.stream or "")


def weigh(
    *, observations: Sequence[Observation], causes: Mapping[str, Cause], context: Context
) -> dict[str, list[Piece]]:
    """Return the pieces that speak for or against each cause."""
    standing = [
        one for one in observations if one.standing == "joined" and one.role is not Role.PROGRESS
    ]
    listed = listed_signs(causes)
    on_host = _signs_by_host(standing)
    pieces = {
        slug: [
            piece
            for one in standing
            if (piece := _piece(one, cause, listed, on_host, context)) is not None
        ]
        for slug, cause in causes.items()
    }
    first = _earliest(pieces, context)
    return {slug: [_ordered(piece, first) for piece in found] for slug, found in pieces.items()}


def signs(observation: Observation) -> set[str]:
    """Return every name under which causes may list an observation."""
    fields = observation.fields
    found = {observation.sign}
    if fields.get("xid"):
        found.add(f"xid:{fields['xid'].lstrip('0')}")
    if fields.get("wc_status"):
        found.add(f"wc:{fields['wc_status']}")
    if fields.get("exitcode"):
        found.add(f"exit:{fields['exitcode']}")
    return found


def listed_signs(causes: Mapping[str, Cause]) -> frozenset[str]:
    """Return all signs that some cause weighs."""
    return frozenset(symptom.sign for cause in causes.values() for symptom in cause.symptoms)


def _signs_by_host(observations: Iterable[Observation]) -> Mapping[str | None, set[str]]:
    found: dict[str | None, set[str]] = defaultdict(set)
    for one in observations:
        found[one.host] |= signs(one)
    return found


def _piece(
    one: Observation,
    cause: Cause,
    listed: frozenset[str],
    on_host: Mapping[str | None, set[str]],
    context: Context,
) -> Piece | None:
    if one.sign == HISTORY:
        return _past(one, cause)
    names = signs(one)
    matching = [
        symptom
        for symptom in cause.symptoms
        if symptom.sign in names
        and _fits(symptom, one)
        and (not symptom.near or symptom.near in on_host[one.host])
    ]
    if matching:
        best = max(matching, key=lambda each: abs(each.weight))
        weight = best.weight
        if weight >= 0:
            weight = _placed(weight, one, best.lag_seconds, cause, context)
        return Piece(
            observation=one,
            weight=weight,
            text=best.text,
            is_generic=best.is_generic and best.weight >= 0,
            family=best.family or best.text,
        )
    if one.sign in MEASURED and cause.slug in one.causes and one.role in MEASURED_ROLE:
        weight = MEASURED[one.sign] * MEASURED_ROLE[one.role] * _fade(cause, one)
        if one.sign in COMPARED and one.fields.get("families") == "1":
            weight *= ALONE
        weight = _placed(weight, one, 0.0, cause, context)
        return Piece(
            observation=one,
            weight=weight,
            text=_measured(one),
            is_generic=False,
            family=_family(one),
        )
    # A completion status says what it says; the line's family may not speak for every status.
    if (
        names & listed
        or "wc_status" in one.fields
        or cause.slug not in one.causes
        or one.role not in NAMED
    ):
        return None
    weight = NAMED[one.role] * _fade(cause, one) + _gravity(one)
    weight = _placed(weight, one, 0.0, cause, context)
    return Piece(
        observation=one,
        weight=weight,
        text=one.text or cause.means,
        is_generic=False,
        family=one.text or one.sign,
    )


def _past(one: Observation, cause: Cause) -> Piece | None:
    if cause.slug not in one.causes:
        return None
    weight = HISTORY_ONCE if one.count == 1 else HISTORY_AGAIN
    return Piece(observation=one, weight=weight, text=one.text, is_generic=True, family=HISTORY)


def _fade(cause: Cause, one: Observation) -> float:
    """The first cause that an observation names is the one it speaks for most."""
    return NAMED_FADE[min(one.causes.index(cause.slug), len(NAMED_FADE) - 1)]


def _family(one: Observation) -> str:
    return one.anomaly.family if one.anomaly else one.sign


def _measured(one: Observation) -> str:
    kind = one.sign.removeprefix("metric:").replace("-", " ")
    anomaly = one.anomaly
    if anomaly and anomaly.host_count > 1 and anomaly.entity.kind in SHARED_PARTS:
        # What many clients see of one part is inferred from them, not measured at the part.
        part = f"{anomaly.entity.kind} {anomaly.entity.name or ''}".strip()
        return f"consistent with {kind} at {part}, seen on {anomaly.host_count} hosts"
    return f"{kind} of {one.fields.get('signal', 'a metric')}"


def _fits(symptom: Symptom, one: Observation) -> bool:
    for name, accepted in symptom.where.items():
        if one.fields.get(name, "") not in accepted:
            return False
    if symptom.signal and symptom.signal not in one.fields.get("signal", ""):
        return False
    if symptom.layer and symptom.layer != one.layer:
        return False
    if not symptom.contains and not symptom.lacks:
        return True
    texts = [event.line.text.lower() for event in one.events]
    return any(
        symptom.contains in text and not any(part in text for part in symptom.lacks)
        for text in texts
    )


def _gravity(one: Observation) -> float:
    return FATAL_BONUS if any(e.severity is Severity.FATAL for e in one.events) else 0.0


def _placed(
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


def _earliest(pieces: Mapping[str, Sequence[Piece]], context: Context) -> Observation | None:
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


def _ordered(piece: Piece, first: Observation | None) -> Piece:
    """Let the beginning weigh more than what came after it, beyond the error of the clocks."""
    one = piece.observation
    if first is None or first.at is None or one.at is None or piece.weight < STRONG:
        return piece
    is_later = one.at - one.error - first.error > first.at + timedelta(seconds=1)
    weight = piece.weight + (LATER if is_later else EARLIEST)
    return replace(piece, weight=weight)
