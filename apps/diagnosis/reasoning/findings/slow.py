"""Beside the steps: what held the session back for a while without ending it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.diagnosis.model import (
    Device,
    Disturbance,
    Mark,
    Observation,
    Role,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.observed import is_lasting
from apps.diagnosis.signatures.marks import marked

# Shorter than this is a blip; a save keeps a file server busy for minutes without any fault.
LEAST = timedelta(minutes=5)
LEAST_SHARED = timedelta(minutes=20)
SHARED = frozenset({"mount", "server", "switch"})
# Starting and stopping look like trouble to every detector.
AFTER_START, BEFORE_END = timedelta(minutes=3), timedelta(minutes=1)
# The same trouble of one part again after this long is another episode.
PAUSE = timedelta(minutes=15)
# Signals of one family measure the same thing: one family is a hint, two are a finding.
LEAST_FAMILIES = 2
# Words of a log about what the metrics show may come so much earlier or later.
AROUND = timedelta(minutes=5)
# What reaches the failure is a matter of the failure.
REACHES = timedelta(minutes=2)

# A member was slow: by its program's own report, or by what steps took.
MEMBER_SIGNS = frozenset(
    {
        *marked(Mark.SLOW_MEMBER),
        "finding:straggler-named",
        "finding:step-time-rose",
        "finding:slow-until-failed",
        "finding:host-slower-than-peers",
        "finding:slower-of-two-hosts",
    }
)
GIVING_UP = marked(Mark.BY_HAND)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSpan:
    """When the attempt ran, and what is known of its end."""

    started_at: datetime | None
    ended_at: datetime | None
    failed_at: datetime | None  # None where nothing failed
    verdict: Verdict
    host_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowEpisode:
    """A while in which one part was in trouble, and everything observed of that."""

    entity: Device
    observations: tuple[Observation, ...]
    starts_at: datetime
    ends_at: datetime


def is_slow(one: Observation) -> bool:
    """Say whether an observation tells of a member that held the others back by far."""
    is_small = one.fields.get("rise", "large") != "large"
    return one.sign in MEMBER_SIGNS and one.standing == "joined" and not is_small


def given_up(*, observations: Sequence[Observation]) -> list[Observation]:
    """Return all observations; ending a session that had become slow explains nothing."""
    if not any(is_slow(one) for one in observations):
        return list(observations)
    because = statement("ended-as-slow")
    return [
        replace(one, standing="answered", because=because) if one.sign in GIVING_UP else one
        for one in observations
    ]


def episodes(*, observations: Sequence[Observation], run: AttemptSpan) -> tuple[SlowEpisode, ...]:
    """Return what may have slowed the attempt inside its span, in the order of beginning."""
    if run.started_at is None:
        return ()  # nobody knows what belongs to the session
    lasting = [one for one in observations if one.anomaly is not None and one.at is not None]
    found: list[SlowEpisode] = []
    for members in _episodes(lasting):
        span = _span(members, run)
        if span is None or members[0].anomaly is None:
            continue
        told = [*members, *_words(observations, members, span)]
        found.append(
            SlowEpisode(
                entity=members[0].anomaly.entity,
                # What is left out as a cause of the stop may well be one of the slowness.
                observations=tuple(replace(one, standing="joined", because=None) for one in told),
                starts_at=span[0],
                ends_at=span[1],
            )
        )
    return tuple(sorted(found, key=lambda one: (one.starts_at, repr(one.entity))))


def _episodes(observations: Sequence[Observation]) -> Iterator[list[Observation]]:
    """Yield what was measured on one part without a long pause."""
    groups: dict[str, list[Observation]] = {}
    for one in observations:
        groups.setdefault(_part(one), []).append(one)
    for _, members in sorted(groups.items()):
        episode: list[Observation] = []
        until: datetime | None = None
        for one in sorted(members, key=lambda each: (each.at, each.last_at, repr(each.anomaly))):
            if until is not None and one.at is not None and one.at - until > PAUSE:
                yield episode
                episode = []
            episode.append(one)
            until = max(filter(None, (until, one.last_at)), default=None)
        yield episode


def _part(one: Observation) -> str:
    entity = one.anomaly.entity if one.anomaly else Device(kind="node", host=one.host)
    which = entity.index if entity.index is not None else entity.pci or entity.uuid or entity.name
    return f"{entity.kind}:{entity.host or ''}/{'' if which is None else which}"


def _span(members: Sequence[Observation], run: AttemptSpan) -> tuple[datetime, datetime] | None:
    """Return the span of an episode where it is one: initiating, lasting, inside the attempt."""
    initiating = [one for one in members if one.role is Role.INITIATING and one.causes]
    starts = [one.at for one in initiating if one.at and is_lasting(one)]
    ends = [one.last_at for one in initiating if one.last_at and is_lasting(one)]
    if not starts or not ends:
        return None
    families = {one.anomaly.family for one in members if one.anomaly and one.causes}
    if len(families) < LEAST_FAMILIES:
        return None
    start, end = min(starts), max(ends)
    inside_from = max(filter(None, (start, run.started_at and run.started_at + AFTER_START)))
    last = run.failed_at or run.ended_at
    inside_to = min(filter(None, (end, last and last - BEFORE_END)))
    is_shared = any(one.anomaly and one.anomaly.entity.kind in SHARED for one in members)
    if inside_to - inside_from < (LEAST_SHARED if is_shared else LEAST):
        return None
    return start, end


def _words(
    observations: Sequence[Observation],
    members: Sequence[Observation],
    span: tuple[datetime, datetime],
) -> list[Observation]:
    """Return what logs of the same host say of the same causes at that time."""
    host = members[0].host
    named = {cause for one in members for cause in one.causes}
    return [
        one
        for one in observations
        if one.events
        and one.at is not None
        and one.last_at is not None
        and host is not None
        and one.host == host
        and named & set(one.causes)
        and one.last_at >= span[0] - AROUND
        and one.at <= span[1] + AROUND
    ]


def is_of_the_stop(*, one: Disturbance, run: AttemptSpan) -> bool:
    """Say whether the verdict on the stop already names this trouble, going on until then."""
    if run.failed_at is None or run.verdict.status is VerdictStatus.NO_FAILURE:
        return False
    return one.ends_at >= run.failed_at - REACHES and run.verdict.cause == one.verdict.cause
