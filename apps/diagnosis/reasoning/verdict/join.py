"""Step 7: which infrastructure evidence belongs to this failure, and why the rest does not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.diagnosis import recovered
from apps.diagnosis.model import (
    Event,
    Layer,
    Mark,
    Observation,
    Role,
    Severity,
    Stream,
    statement,
)
from apps.diagnosis.observed import is_lasting
from apps.diagnosis.recovered import LeftOut
from apps.diagnosis.signatures.marks import marked

BEFORE = timedelta(minutes=10)
AFTER = timedelta(minutes=5)
# A scheduler gives a node up when its own timers ran out, by its own clock.
NOTICED = timedelta(minutes=20)
SUPERSEDED = timedelta(minutes=30)
GRAVER = tuple(Severity)  # from the least
# By source and severity: seconds since boot.
LatestUptimes = Mapping[tuple[str, Severity], float]
# When the scheduler counts the session's own job as over: it may have been silent for long.
JOB_ENDS = marked(Mark.JOB_ENDED)
BOOTS = marked(Mark.BOOT)
# What the session's own logs say belongs to it; what shared parts say is not tied to one of its
# hosts.
OWN_STREAMS = frozenset({Stream.SESSION, Stream.STORAGE, Stream.FABRIC, Stream.SCHEDULER})
# A kernel prints what happens when it happens: later than the stop, it is no cause of it.
PROMPT = frozenset({Stream.KERNEL})
# Clocks nobody could pair are off by tens of seconds.
UNPAIRED = timedelta(seconds=60)
# One known host may be all that somebody uploaded, not all there was.
LEAST_HOSTS = 2
OVER_BEFORE = timedelta(minutes=2)
# Ranks whose clocks nobody compared, and who print late, seem to go on for so long at most.
WENT_ON = timedelta(minutes=3)
# A driver's processor that hangs and a link that comes and goes let a session make steps.
LIVED_WITH = frozenset({"gpu-gsp-timeout", "gpu-nvlink"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureScene:
    """Where and when the failure happened, as far as known."""

    failed_at: datetime | None
    ended_at: datetime | None
    hosts: frozenset[str]  # of the attempt; empty when nobody said
    suspects: frozenset[str]  # hosts that stopped first or that peers name
    error: timedelta = timedelta(0)
    is_open: bool = False  # nobody says how long after `failed_at` it was over
    late: timedelta = timedelta(0)  # how much later than `failed_at` it may have begun
    over_at: datetime | None = None  # the session's last word of its failure
    stepped_at: datetime | None = None  # the session's last step


def join(*, observations: Sequence[Observation], scene: FailureScene) -> list[Observation]:
    """Return all observations, each with its standing and, where left out, the reason."""
    recoveries = recovered.recoveries_of(observations)
    latest = _latest_uptimes(observations)
    return [_judged(one, scene, recoveries, latest) for one in observations]


def without_late(
    *, events: Sequence[Event], observations: Sequence[Observation], scene: FailureScene
) -> list[Event]:
    """Return the events without those that came after the session had stopped; a host that boots
    does so minutes after it was lost.
    """
    late = {
        (*event.order_key, event.signature)
        for one in join(observations=observations, scene=scene)
        for event in (one.events if one.standing == "late" and one.sign not in BOOTS else ())
    }
    return [event for event in events if (*event.order_key, event.signature) not in late]


def _latest_uptimes(observations: Sequence[Observation]) -> LatestUptimes:
    """Return per source and severity how late its last possible cause came that is as grave, in
    seconds since boot."""
    latest: dict[tuple[str, Severity], float] = {}
    for one in observations:
        for event in one.events if one.role is Role.INITIATING else ():
            source, uptime = event.line.origin.source, event.line.uptime_seconds
            for grave in GRAVER if uptime is not None else ():
                latest[source, grave] = max(latest.get((source, grave), 0.0), uptime or 0.0)
                if grave is event.severity:
                    break
    return latest


def _judged(
    one: Observation,
    scene: FailureScene,
    recoveries: recovered.Recoveries,
    latest: LatestUptimes,
) -> Observation:
    if one.role in {Role.CASCADE, Role.PROGRESS, Role.TEARDOWN}:
        return one
    for left_out in (
        _elsewhere(one, scene),
        _outside(one, scene),
        _over(one, scene),
        _survived(one, scene),
        _superseded(one, latest),
        recovered.recovered(one=one, failed_at=scene.failed_at, recoveries=recoveries),
    ):
        if left_out is not None:
            return replace(one, standing=left_out[0], because=left_out[1])
    return one


def _elsewhere(one: Observation, scene: FailureScene) -> LeftOut | None:
    if len(scene.hosts) < LEAST_HOSTS or one.host is None or _streams(one) & OWN_STREAMS:
        return None
    if one.host in scene.hosts or one.host in scene.suspects:
        return None
    return ("elsewhere", statement("host-of-others", host=one.host))


def _streams(one: Observation) -> set[Stream]:
    return {event.line.origin.stream or event.line.stream or Stream.SESSION for event in one.events}


def _outside(one: Observation, scene: FailureScene) -> LeftOut | None:
    if one.at is None or one.last_at is None or scene.failed_at is None:
        return None
    error = one.error + scene.error
    is_of_node = one.role is Role.INITIATING and "node-unreachable" in one.causes
    slack = NOTICED if is_of_node and _streams(one) <= {Stream.SCHEDULER} else timedelta(0)
    if one.last_at + error < scene.failed_at - max(BEFORE, slack):
        told = statement("ended-before", span=scene.failed_at - one.last_at)
        return ("old", told)
    end = scene.ended_at or scene.failed_at
    is_prompt = bool(one.events) and _streams(one) <= PROMPT
    after = max(AFTER, slack)
    if is_prompt:
        end, after = max(end, scene.over_at or end), scene.late + UNPAIRED
    is_end = one.sign in JOB_ENDS
    if not scene.is_open and not is_end and one.at - error > end + after:
        return ("late", statement("came-after-stop", span=one.at - end))
    return None


def _over(one: Observation, scene: FailureScene) -> LeftOut | None:
    if not is_lasting(one) or one.last_at is None or scene.failed_at is None:
        return None
    if one.last_at + one.error + scene.error >= scene.failed_at - OVER_BEFORE:
        return None
    return ("recovered", statement("over-before", span=scene.failed_at - one.last_at))


def _survived(one: Observation, scene: FailureScene) -> LeftOut | None:
    """Leave out what ends whoever uses a GPU, where the session made steps long after it."""
    if one.last_at is None or scene.stepped_at is None or one.layer is not Layer.GPU:
        return None
    is_fatal = bool(one.events) and all(e.severity is Severity.FATAL for e in one.events)
    if not is_fatal or _streams(one) - PROMPT or LIVED_WITH & set(one.causes):
        return None
    if scene.stepped_at - one.last_at <= WENT_ON + one.error + scene.error:
        return None
    return ("survived", statement("session-went-on"))


def _superseded(one: Observation, latest: LatestUptimes) -> LeftOut | None:
    """Leave out what a log without times printed long before its last possible cause: a GPU that
    is lost stays lost, whatever the bus corrects afterwards.
    """
    ages = [
        latest.get((e.line.origin.source, e.severity), 0.0) - e.line.uptime_seconds
        for e in one.events
        if one.at is None and e.line.uptime_seconds is not None
    ]
    if not ages or min(ages) < SUPERSEDED.total_seconds():
        return None
    return ("old", statement("came-before-last-fault", span=timedelta(seconds=min(ages))))
