"""How incidents of a period went: found after how long, repaired after how long, in whose hands,
and whether the parties agree.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Final

import numpy as np

from apps.diagnosis.intervals import HitShare, median_interval
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.states import IncidentStatus, VerdictState
from apps.reliability.period.scopes import Absence, CountedKind, Figure, absent, counted

NAMED: Final = frozenset({"likely", "possible"})
SETTLED: Final = frozenset({VerdictState.AGREED, VerdictState.FINAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentTimes:
    """An incident with its times; seconds from when it broke, None where one is not known."""

    header: IncidentHeader
    state: VerdictState
    found_seconds: float | None
    repaired_seconds: float | None  # None: also while it is open


def incident_times(headers: Iterable[IncidentHeader], *, now: datetime) -> list[IncidentTimes]:
    """Return the incidents with their times, the first to break first."""
    found = [
        IncidentTimes(
            header=each,
            state=each.coordination.verdict.state(now=now),
            found_seconds=_seconds(each.incident.started_at, each.incident.detected_at),
            repaired_seconds=_seconds(each.incident.started_at, each.incident.resolved_at)
            if each.incident.status == IncidentStatus.RESOLVED
            else None,
        )
        for each in headers
    ]
    return sorted(found, key=lambda each: (each.header.moment, each.header.incident.public_id))


def _seconds(since: datetime | None, until: datetime | None) -> float | None:
    if since is None or until is None:
        return None
    return max(0.0, (until - since).total_seconds())


def median_figure(rows: Sequence[tuple[str, float | None]]) -> Figure:
    """Return the median of what is known, with its exact interval, by incident id."""
    known = sorted((seconds, name) for name, seconds in rows if seconds is not None)
    if not known:
        return absent(Absence.NOTHING if not rows else Absence.NOT_TOLD)
    values = np.array([seconds for seconds, _ in known])
    return Figure(
        value=float(median(values.tolist())),
        n=len(known),
        interval=median_interval(values),
        counted=counted(CountedKind.INCIDENTS, [name for _, name in known]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HandsTime:
    """How long incidents were in one party's hands, within the period."""

    party: str  # its name
    seconds: float
    incidents: tuple[str, ...]


def hands_times(
    headers: Iterable[IncidentHeader], *, starts_at: datetime, ends_at: datetime
) -> list[HandsTime]:
    """Return the time in each party's hands between two instants, the longest first."""
    seconds: defaultdict[str, float] = defaultdict(float)
    held: defaultdict[str, set[str]] = defaultdict(set)
    for header in headers:
        for span in header.coordination.hands:
            since, until = max(span.since, starts_at), min(span.until or ends_at, ends_at)
            if until > since:
                seconds[span.organization.name] += (until - since).total_seconds()
                held[span.organization.name].add(header.incident.public_id)
    found = [
        HandsTime(party=each, seconds=seconds[each], incidents=tuple(sorted(held[each])))
        for each in seconds
    ]
    return sorted(found, key=lambda each: (-each.seconds, each.party))


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseCount:
    """How many incidents one layer or cause had."""

    layer: str
    cause: str  # empty: of a whole layer
    share: HitShare  # of all incidents
    contested: int
    incidents: tuple[str, ...]


def counts_by(times: Sequence[IncidentTimes], *, with_cause: bool) -> list[CauseCount]:
    """Return incidents by layer, or by layer and cause, the most frequent first.

    A verdict that names nothing is of the layer `unknown`.
    """
    groups: defaultdict[tuple[str, str], list[IncidentTimes]] = defaultdict(list)
    for each in times:
        layer, cause = blamed_of(each.header)
        groups[layer, cause if with_cause else ""].append(each)
    found = [
        CauseCount(
            layer=layer,
            cause=cause,
            share=HitShare(hits=len(members), n=len(times)),
            contested=sum(each.state is VerdictState.CONTESTED for each in members),
            incidents=tuple(sorted(each.header.incident.public_id for each in members)),
        )
        for (layer, cause), members in groups.items()
    ]
    return sorted(found, key=lambda each: (-each.share.hits, each.layer, each.cause))


def blamed_of(header: IncidentHeader) -> tuple[str, str]:
    """Return the layer and cause that a verdict names."""
    incident = header.incident
    if incident.verdict_status not in NAMED:
        return "unknown", ""
    return incident.layer or "unknown", incident.cause


@dataclass(frozen=True, slots=True, kw_only=True)
class Dissent:
    """A party that says of a standing verdict that it is wrong, and what it says it was."""

    incident: str
    party: str
    verdict: tuple[str, str]  # layer, cause
    instead: tuple[str, str]  # empty: not said


def dissents(times: Iterable[IncidentTimes]) -> list[Dissent]:
    """Return who contradicts a verdict as it stands."""
    return [
        Dissent(
            incident=each.header.incident.public_id,
            party=stance.organization.name,
            verdict=blamed_of(each.header),
            instead=(stance.layer, stance.cause),
        )
        for each in times
        for stance in each.header.coordination.verdict.dissent
    ]


def agreed_share(times: Sequence[IncidentTimes]) -> HitShare:
    """Return of how many verdicts that name a layer the blamed parties agreed, or let time pass."""
    named = [each for each in times if each.header.coordination.verdict.is_named]
    return HitShare(hits=sum(each.state in SETTLED for each in named), n=len(named))


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePresence:
    """Of how many incidents a source was there when they were judged."""

    source: str
    present: HitShare
    states: Mapping[str, int]


def coverage_of(headers: Iterable[IncidentHeader]) -> list[SourcePresence]:
    """Return for each source in which state it was, by name."""
    states: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for header in headers:
        for entry in header.coverage:
            states[str(entry["source"])][str(entry["state"])] += 1
    return [
        SourcePresence(
            source=source,
            present=HitShare(hits=found["present"], n=found.total()),
            states=dict(sorted(found.items())),
        )
        for source, found in sorted(states.items())
    ]
