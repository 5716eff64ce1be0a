"""What is known of one attempt, step by step: its hosts, who stopped first, what lines and metrics
say of the failure, each with its standing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from apps.diagnosis import exits
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.detection.fusion.sources import voices
from apps.diagnosis.diagnose.derived import derived_from
from apps.diagnosis.diagnose.suspects import (
    ended_at,
    left_on_one,
    over_at,
    placed_among,
    suspects_among,
)
from apps.diagnosis.model import (
    PART_CHANGED,
    Anomaly,
    Coverage,
    Event,
    FirstStopper,
    Observation,
    PastFailure,
    Reading,
    Scene,
    SessionFacts,
    Topology,
)
from apps.diagnosis.observed import HostOf, rank_of, task_host
from apps.diagnosis.reasoning.explanation import explain, wording
from apps.diagnosis.reasoning.findings import (
    breaks_off,
    kernel_findings,
    kernel_silence,
    pace_findings,
    slow,
    slowed_parts,
)
from apps.diagnosis.reasoning.observations import (
    echoes,
    fold,
    full_disks,
    later_failures,
    named_peers,
    survived,
)
from apps.diagnosis.reasoning.scope import identity
from apps.diagnosis.reasoning.timing import (
    first_stop,
    open_end,
    phases,
    undated,
)
from apps.diagnosis.reasoning.timing.clocks.estimate import last_heard
from apps.diagnosis.reasoning.timing.clocks.source_stamps import Clocks
from apps.diagnosis.reasoning.verdict import join, rank


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnosisInput:
    """What is the same for all attempts of an input, and what earlier ones left."""

    topology: Topology
    expected: Sequence[Coverage]
    timing: Clocks
    history: tuple[PastFailure, ...] = ()
    earlier: tuple[Event, ...] = ()  # events of earlier attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptEvidence:
    """What was gathered of an attempt, and what of it bears on where and when."""

    events: Sequence[Event]
    told: Sequence[Observation]  # what the lines say, before it was held to the failure
    observations: Sequence[Observation]  # all there are, each with its standing
    has_metrics: bool
    topology: Topology  # with what the logs tell of it
    hosts: frozenset[str]
    host_of: HostOf
    first: FirstStopper | None
    left_on: str | None  # the only host where processes left with errors of their own
    alike: frozenset[str]  # failures that most ranks told of at once
    scene: join.FailureScene
    failed_at: datetime | None  # by what tells of the failure itself
    silent_at: datetime | None
    steps: tuple[Event, ...]  # the last of each log of a session that goes on
    has_gone_on: bool


def evidence_of(  # noqa: PLR0915  the chain in one place, a line for each step
    *,
    readings: Sequence[Reading],
    anomalies: Sequence[Anomaly],
    facts: SessionFacts,
    given: DiagnosisInput,
) -> AttemptEvidence:
    """Return what is known of one attempt."""
    timing = given.timing
    events = fold.unique_events(readings=readings)
    topology = identity.learned(events=events, readings=readings, topology=given.topology)

    def instant(event: Event) -> tuple[datetime | None, timedelta]:
        return timing.instant(event.line), timing.error(event.line)

    seats = {one.rank: one.host for one in topology.placements}

    def host_of(event: Event) -> str | None:
        if (named := task_host(event)) is not None:
            return topology.aliases.get(named, named)
        number = rank_of(event)
        seat = seats.get(number) if number is not None else None
        return timing.host(event.line) or seat

    events = echoes.without_echoes(events=events, instant=instant, host_of=host_of)
    told = fold.fold_events(
        events=events, instant=instant, host_of=host_of, weighed=rank.listed_signs(load_causes())
    )
    told = full_disks.with_path(observations=told)
    # What metrics showed, beside what the inventory tells.
    shown = [one for one in anomalies if one.kind != PART_CHANGED]
    measured = fold.fold_anomalies(
        anomalies=anomalies,
        voices=voices(anomalies=shown, scene=Scene(), hosts=topology.hosts, parts=topology),
    )
    failed_at = first_stop.failed_at(
        observations=survived.without_survived(observations=told), facts=facts
    )
    first = first_stop.first_stopper(
        events=events,
        readings=readings,
        topology=topology,
        facts=facts,
        last_heard=last_heard(readings=readings, clocks=timing),
        instant=instant,
    )
    suspects = placed_among(suspects_among(first, events, readings, topology), readings, topology)
    left_on = left_on_one(first, events, readings, topology)
    alike = exits.said_alike(events=events, instant=instant)
    first = first_stop.told(
        first=first, events=events, readings=readings, topology=topology, facts=facts, alike=alike
    )
    if first is not None:
        seated = first_stop.hosts_of(ranks=first.ranks, readings=readings, topology=topology)
        first = replace(first, hosts=seated)
    hosts = identity.hosts(topology=topology, readings=readings)
    are_all = identity.are_all(hosts=hosts, topology=topology, readings=readings)
    error = explain.clock_slack(observations=told)
    # Where nothing dates the failure, it came when the session fell silent, or before.
    silent_at = identity.last_heard(readings=readings, clocks=timing.correction)
    began = undated.beginning(
        observations=told,
        failed_at=failed_at,
        silent_at=silent_at,
        wait=first_stop.undated_wait(observations=told),
        steps=phases.STEPS,
    )
    scene = join.FailureScene(
        failed_at=began.at,
        ended_at=ended_at(told, began.at),
        hosts=hosts | identity.seats(topology=topology) if are_all else frozenset(),
        suspects=suspects,
        error=error,
        is_open=began.is_open,
        late=began.late,
        over_at=over_at(told),
        stepped_at=phases.last_step_at(observations=told),
    )
    in_time = join.without_late(events=events, observations=told, scene=scene)
    place = kernel_findings.SuspectedParts(
        suspects=suspects, gpus=identity.gpus(topology=given.topology)
    )
    derived = derived_from(
        events=in_time,
        observations=told,
        instant=instant,
        host_of=host_of,
        failed_at=failed_at,
        place=place,
    )

    def seat_of(number: int) -> str | None:
        found = first_stop.hosts_of(ranks=(number,), readings=readings, topology=topology)
        return found[0] if found else None

    derived += breaks_off.broken_off(events=in_time, readings=readings, instant=instant)
    derived += kernel_silence.silent_at_kills(
        observations=derived,
        events=in_time,
        readings=readings,
        correction=timing.correction,
        aliases=timing.aliases,
    )
    derived += pace_findings.derive(events=events, host_of=host_of, seat_of=seat_of)
    joined = [
        wording.worded(one)
        for one in join.join(observations=[*told, *measured, *derived], scene=scene)
    ]
    started_at = facts.started_at or identity.began_at(readings=readings, clocks=timing.correction)
    joined = slow.given_up(observations=joined)
    joined += slowed_parts.derive(
        observations=joined,
        started_at=started_at,
        failed_at=began.at,
        suspects=suspects,
    )
    later = exits.later_ranks(events=events, instant=instant)
    joined = later_failures.left_out(observations=joined, later=later)
    joined = named_peers.at_odds(observations=joined, placements=topology.placements)
    joined = named_peers.blamed(
        observations=joined, addresses=topology.aliases, hosts=hosts, host_of=host_of
    )
    last_steps = partial(
        open_end.last_steps,
        observations=joined,
        steps=phases.STEPS,
        names_end=phases.end_named,
        first=first,
    )
    steps = last_steps(facts=facts)
    has_gone_on = bool(steps or last_steps(facts=replace(facts, has_more=False)))
    joined = open_end.lived_through(observations=joined, steps=steps)
    return AttemptEvidence(
        events=events,
        told=told,
        observations=joined,
        has_metrics=bool(shown),
        topology=topology,
        hosts=hosts,
        host_of=host_of,
        first=first,
        left_on=left_on,
        alike=alike,
        scene=scene,
        failed_at=failed_at,
        silent_at=silent_at,
        steps=steps,
        has_gone_on=has_gone_on,
    )
