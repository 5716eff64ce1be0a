"""The chain as one function. No rule of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.fusion.voices import voices
from apps.diagnosis.model import (
    PART_CHANGED,
    Anomaly,
    Coverage,
    CoverageState,
    Device,
    Diagnosis,
    Disturbance,
    EndState,
    Event,
    FirstStopper,
    Hypothesis,
    Layer,
    Observation,
    PastFailure,
    Phase,
    Reading,
    Role,
    Scene,
    SessionFacts,
    Topology,
    VerdictStatus,
)
from apps.diagnosis.observed import HostOf, Instant, rank_of
from apps.diagnosis.published import to_json
from apps.diagnosis.reasoning import (
    attempts,
    collective_findings,
    culprits,
    echoes,
    ending_findings,
    explain,
    first_stop,
    fold,
    folders,
    gate,
    host_findings,
    identity,
    join,
    kernel_findings,
    named_peers,
    pace_findings,
    phases,
    port_findings,
    process_findings,
    rank,
    repeat,
    slow,
    story,
    survived,
    undated,
    wait_findings,
    wording,
)
from apps.diagnosis.reasoning.clocks.estimate import described, estimate, last_heard
from apps.diagnosis.reasoning.clocks.voices import Clocks

__all__ = ["diagnose", "to_json"]

LEAST_NAMING = 2


def diagnose(
    *,
    readings: Sequence[Reading],
    anomalies: Sequence[Anomaly] = (),
    topology: Topology | None = None,
    facts: SessionFacts | None = None,
    expected: Sequence[Coverage] = (),
    history: Sequence[PastFailure] = (),
) -> Diagnosis:
    """Return what broke, from what any number of sources said.

    Deterministic; independent of the order of readings and events, of doubles and of how sources
    are cut. Of several attempts in one input each is concluded by itself.
    """
    topology, facts = topology or Topology(), facts or SessionFacts()
    readings = folders.hosted(readings=readings)
    events = fold.unique_events(readings=readings)
    aliases = identity.learned(events=events, readings=readings, topology=topology).aliases
    timing = estimate(readings=readings, topology=replace(topology, aliases=aliases))
    parts = attempts.split(
        readings=readings,
        at=lambda event: timing.instant(event.line),
        correction=lambda source, host: timing.correction((source, host)),
    )
    given = Given(topology=topology, expected=expected, timing=timing)
    found: list[Diagnosis] = []
    past, earlier = list(history), list[Event]()
    for part in parts:
        is_last = part is parts[-1]
        one = _concluded(
            readings=part.readings,
            anomalies=attempts.within(anomalies=anomalies, part=part),
            facts=facts if is_last else SessionFacts(world_size=facts.world_size),
            given=replace(given, history=tuple(past), earlier=tuple(earlier)),
        )
        found.append(one)
        past += repeat.past(verdict=one.verdict, at=one.failed_at)
        earlier += [event for reading in part.readings for event in reading.events]
    if len(parts) == 1:
        return found[0]
    index, because = attempts.answer(diagnoses=found, parts=parts)
    told = attempts.told(diagnoses=found, parts=parts, index=index, because=because)
    return replace(found[index], attempts=told)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What is the same for all attempts of an input, and what earlier ones left."""

    topology: Topology
    expected: Sequence[Coverage]
    timing: Clocks
    history: tuple[PastFailure, ...] = ()
    earlier: tuple[Event, ...] = ()  # events of earlier attempts


def _concluded(  # noqa: PLR0915  the chain in one place, a line for each step
    *,
    readings: Sequence[Reading],
    anomalies: Sequence[Anomaly],
    facts: SessionFacts,
    given: Given,
) -> Diagnosis:
    """Return what broke in one attempt."""
    causes, timing = load_causes(), given.timing
    events = fold.unique_events(readings=readings)
    topology = identity.learned(events=events, readings=readings, topology=given.topology)

    def instant(event: Event) -> tuple[datetime | None, timedelta]:
        return timing.instant(event.line), timing.error(event.line)

    seats = {one.rank: one.host for one in topology.placements}

    def host_of(event: Event) -> str | None:
        number = rank_of(event)
        seat = seats.get(number) if number is not None else None
        return timing.host(event.line) or seat

    events = echoes.without_echoes(events=events, instant=instant, host_of=host_of)
    told = fold.fold_events(
        events=events, instant=instant, host_of=host_of, weighed=rank.listed_signs(causes)
    )
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
    )
    suspects = _suspects(first, events, readings, topology)
    first = first_stop.told(
        first=first, events=events, readings=readings, topology=topology, facts=facts
    )
    place = kernel_findings.Place(suspects=suspects, gpus=identity.gpus(topology=given.topology))
    derived = _derived(
        events=events,
        observations=told,
        instant=instant,
        host_of=host_of,
        failed_at=failed_at,
        place=place,
    )

    def seat_of(number: int) -> str | None:
        found = first_stop.hosts_of(ranks=(number,), readings=readings, topology=topology)
        return found[0] if found else None

    derived += pace_findings.derive(events=events, host_of=host_of, seat_of=seat_of)
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
    near = began.at
    scene = join.Scene(
        failed_at=near,
        ended_at=_ended(told, near),
        hosts=hosts if are_all else frozenset(),
        suspects=suspects,
        error=error,
        is_open=began.is_open,
    )
    joined = [
        wording.worded(one)
        for one in join.join(observations=[*told, *measured, *derived], scene=scene)
    ]
    joined = slow.given_up(observations=joined)
    joined = named_peers.at_odds(observations=joined, placements=topology.placements)
    joined = named_peers.blamed(
        observations=joined, addresses=topology.aliases, hosts=hosts, host_of=host_of
    )
    phase = phases.phase(observations=joined, failed_at=failed_at)
    context = rank.Context(phase=phase, failed_at=near, error=error, suspects=suspects)
    context = replace(context, ended_at=scene.ended_at, late=began.late, is_open=began.is_open)
    priors = [
        *repeat.offenders(history=given.history, hosts=hosts),
        *repeat.same_gpu(events=events, earlier=given.earlier, host_of=host_of),
    ]
    ranked = rank.rank(observations=[*joined, *priors], causes=causes, context=context)
    covered = explain.coverage(
        readings=collective_findings.logs(readings=readings),
        has_metrics=bool(shown),
        hosts=hosts,
        expected=[*collective_findings.coverage(events=events), *given.expected],
        aliases=topology.aliases,
    )

    def culprits_of(hypothesis: Hypothesis, named: Sequence[str]) -> tuple[Device, ...]:
        cause = causes[hypothesis.cause]
        return culprits.culprits(cause=cause, hypothesis=hypothesis, hosts=named, topology=topology)

    hypotheses = explain.explain(
        ranked=ranked,
        causes=causes,
        coverage=covered,
        suspects=sorted(suspects),
        observations=joined,
        culprits_of=culprits_of,
    )
    end_state = phases.end_state(observations=joined, facts=facts, failed_at=failed_at)
    verdict = gate.verdict(
        hypotheses=hypotheses[: len(ranked)],
        end_state=end_state,
        unread_hosts=_unread(suspects, covered),
        suspects=suspects,
        is_failure_told=phases.failed_before_end(observations=joined, facts=facts),
    )
    missing = explain.unknown_missing(coverage=covered, suspects=sorted(suspects), hosts=hosts)
    if verdict.status is VerdictStatus.UNKNOWN:
        hypotheses = explain.with_open_question(hypotheses=hypotheses, missing=missing)
    has_failed = verdict.status is not VerdictStatus.NO_FAILURE
    is_on = end_state is EndState.RUNNING and not has_failed
    return Diagnosis(
        verdict=verdict,
        end_state=end_state,
        phase=phase,
        restart=explain.restart(verdict=verdict, causes=causes, host_count=len(hosts)),
        hypotheses=hypotheses,
        first_stopper=first,
        symptoms=fold.symptoms(observations=joined),
        coverage=covered,
        timeline=story.timeline(observations=joined, first=first, failed_at=failed_at),
        actions=explain.actions(
            verdict=verdict, hypotheses=hypotheses, causes=causes, missing=missing
        ),
        failed_at=None
        if is_on
        else explain.broke_at(verdict=verdict, hypotheses=hypotheses, failed_at=failed_at),
        disturbances=_disturbances(
            observations=joined,
            run=slow.Run(
                started_at=facts.started_at or identity.first_heard(readings=readings),
                ended_at=facts.ended_at,
                failed_at=failed_at if has_failed else None,
                verdict=verdict,
                host_count=len(hosts),
            ),
            topology=topology,
            covered=covered,
        ),
        clocks=described(clocks=timing),
    )


def _derived(
    *,
    events: Sequence[Event],
    observations: Sequence[Observation],
    instant: Instant,
    host_of: HostOf,
    failed_at: datetime | None,
    place: kernel_findings.Place,
) -> list[Observation]:
    """Return what the events say together and no line says alone."""
    found = [
        *wait_findings.derive(events=events, instant=instant),
        *collective_findings.derive(events=events),
        *ending_findings.derive(events=events, instant=instant),
        *process_findings.derive(events=events, instant=instant, host_of=host_of),
        *kernel_findings.derive(
            events=events,
            observations=observations,
            instant=instant,
            host_of=host_of,
            failed_at=failed_at,
            place=place,
        ),
        *port_findings.derive(observations=observations, failed_at=failed_at),
        *host_findings.derive(events=events, instant=instant, host_of=host_of, failed_at=failed_at),
    ]
    return sorted(found, key=lambda one: (one.sign, one.host or "", one.ranks))


def _disturbances(
    *,
    observations: Sequence[Observation],
    run: slow.Run,
    topology: Topology,
    covered: Sequence[Coverage],
) -> tuple[Disturbance, ...]:
    """Return what slowed the attempt, each episode weighed as a failure would be."""
    episodes = slow.episodes(observations=observations, run=run)
    found = (_disturbance(episode, run, topology, covered) for episode in episodes)
    return tuple(
        one for one in found if one is not None and not slow.is_of_the_stop(one=one, run=run)
    )


def _disturbance(
    episode: slow.Episode, run: slow.Run, topology: Topology, covered: Sequence[Coverage]
) -> Disturbance | None:
    causes, told = load_causes(), episode.observations
    context = rank.Context(
        phase=Phase.ITERATE,
        failed_at=episode.starts_at,
        error=timedelta(0),
        suspects=frozenset(),
    )

    def culprits_of(hypothesis: Hypothesis, hosts: Sequence[str]) -> tuple[Device, ...]:
        cause = causes[hypothesis.cause]
        return culprits.culprits(cause=cause, hypothesis=hypothesis, hosts=hosts, topology=topology)

    hypotheses = explain.explain(
        ranked=rank.rank(observations=told, causes=causes, context=context),
        causes=causes,
        coverage=covered,
        suspects=(),
        observations=told,
        culprits_of=culprits_of,
    )
    verdict = gate.verdict(
        hypotheses=hypotheses,
        end_state=EndState.UNKNOWN,
        unread_hosts=frozenset(),
        is_failure_told=True,
    )
    if verdict.layer is Layer.UNKNOWN:
        return None
    return Disturbance(
        entity=episode.entity,
        verdict=verdict,
        restart=explain.restart(verdict=verdict, causes=causes, host_count=run.host_count),
        starts_at=episode.starts_at,
        ends_at=episode.ends_at,
        hypotheses=hypotheses,
        timeline=story.timeline(observations=told, first=None, failed_at=None),
        actions=explain.actions(verdict=verdict, hypotheses=hypotheses, causes=causes, missing=()),
    )


def _suspects(
    first: FirstStopper | None,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
) -> frozenset[str]:
    ranks = first.ranks if first else ()
    hosts = set(first_stop.hosts_of(ranks=ranks, readings=readings, topology=topology))
    named = first_stop.named_hosts(events=events, addresses=topology.aliases)
    most = max(named.values(), default=0)
    # Several peers that name one host are as good a witness as who fell silent.
    if not hosts or most >= LEAST_NAMING:
        hosts |= {host for host, count in named.items() if count == most}
    return frozenset(hosts)


def _ended(observations: Sequence[Observation], failed_at: datetime | None) -> datetime | None:
    ends = [one.at for one in observations if one.role is Role.CASCADE and one.at is not None]
    later = [at for at in ends if failed_at is None or at >= failed_at]
    return min(later, default=failed_at)


def _unread(suspects: frozenset[str], covered: Sequence[Coverage]) -> frozenset[str]:
    """Return the suspects whose kernel log is missing although others' could be read."""
    for one in covered:
        if one.source == "kernel-log" and one.state is CoverageState.PRESENT:
            return suspects & frozenset(one.missing_hosts)
    return frozenset()
