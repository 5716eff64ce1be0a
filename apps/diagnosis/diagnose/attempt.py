"""One attempt through all steps: what broke in it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from apps.diagnosis import exits
from apps.diagnosis.causes.decisions import restart_of
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.detection.fusion.sources import voices
from apps.diagnosis.diagnose.beside import beside
from apps.diagnosis.diagnose.derived import derived_from
from apps.diagnosis.diagnose.disturbances import disturbances_of
from apps.diagnosis.diagnose.suspects import (
    ended_at,
    left_on_one,
    over_at,
    suspects_among,
    unread_among,
)
from apps.diagnosis.diagnose.weighed_in import context_of
from apps.diagnosis.model import (
    PART_CHANGED,
    Anomaly,
    Coverage,
    Device,
    Diagnosis,
    EndState,
    Event,
    Hypothesis,
    PastFailure,
    Reading,
    Scene,
    SessionFacts,
    Topology,
    VerdictStatus,
)
from apps.diagnosis.observed import rank_of, task_host
from apps.diagnosis.reasoning.explanation import explain, recovery, rivals, story, wording
from apps.diagnosis.reasoning.findings import (
    breaks_off,
    collective_findings,
    kernel_findings,
    kernel_silence,
    pace_findings,
    slow,
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
    break_time,
    first_stop,
    open_end,
    phases,
    stop_told,
    undated,
)
from apps.diagnosis.reasoning.timing.clocks.estimate import described, last_heard
from apps.diagnosis.reasoning.timing.clocks.voices import Clocks
from apps.diagnosis.reasoning.verdict import culprits, gate, join, rank, repeat


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What is the same for all attempts of an input, and what earlier ones left."""

    topology: Topology
    expected: Sequence[Coverage]
    timing: Clocks
    history: tuple[PastFailure, ...] = ()
    earlier: tuple[Event, ...] = ()  # events of earlier attempts


def concluded(  # noqa: PLR0915  the chain in one place, a line for each step
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
        if (named := task_host(event)) is not None:
            return topology.aliases.get(named, named)
        number = rank_of(event)
        seat = seats.get(number) if number is not None else None
        return timing.host(event.line) or seat

    events = echoes.without_echoes(events=events, instant=instant, host_of=host_of)
    told = fold.fold_events(
        events=events, instant=instant, host_of=host_of, weighed=rank.listed_signs(causes)
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
    suspects = suspects_among(first, events, readings, topology)
    left_on = left_on_one(first, readings, topology)
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
        hosts=hosts if are_all else frozenset(),
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
    joined = slow.given_up(observations=joined)
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
    phase = phases.phase(observations=joined, failed_at=failed_at)
    context = context_of(phase=phase, scene=scene, hosts=hosts, readings=readings, facts=facts)
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
    is_shared = exits.is_shared(events=events)

    def culprits_of(hypothesis: Hypothesis, named: Sequence[str]) -> tuple[Device, ...]:
        if named_peers.is_tie(hypothesis=hypothesis, hosts=named):
            return ()
        lines = [one.event for one in hypothesis.supporting if one.event is not None]
        return culprits.culprits(
            cause=causes[hypothesis.cause],
            hypothesis=hypothesis,
            hosts=named,
            topology=topology,
            left_on=left_on,
            is_shared=is_shared or exits.is_of_all(events=lines, alike=alike),
        )

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
        unread_hosts=unread_among(suspects, covered),
        suspects=suspects,
        is_failure_told=phases.failed_before_end(observations=joined, facts=facts),
    )
    step = open_end.at_the_end(steps=steps, readings=readings, verdict=verdict)
    end_state = EndState.RUNNING if step else end_state
    missing = explain.unknown_missing(coverage=covered, suspects=sorted(suspects), hosts=hosts)
    missing = open_end.missing(coverage=covered) if step else missing
    has_failed = verdict.status is not VerdictStatus.NO_FAILURE
    hypotheses = beside(verdict=verdict, hypotheses=hypotheses, missing=missing)
    failing_at = break_time.began_to_fail(
        verdict=verdict,
        hypotheses=hypotheses,
        failed_at=failed_at,
        waited_until=first_stop.waited_until(observations=told),
    )
    is_on = step is not None or (end_state is EndState.RUNNING and not has_failed)
    return Diagnosis(
        verdict=verdict,
        end_state=end_state,
        phase=phase,
        restart=restart_of(
            verdict=verdict,
            host_count=len(hosts),
            told=hypotheses[0].supporting if hypotheses else (),
            is_back=join.is_back(observations=joined, cause=verdict.cause),
        ),
        hypotheses=hypotheses,
        first_stopper=first,
        symptoms=fold.symptoms(observations=joined),
        coverage=covered,
        timeline=story.timeline(
            observations=joined,
            first=first,
            failed_at=failing_at if has_failed else None,
            error=error,
            doubts=timing.doubts,
        ),
        actions=(
            *recovery.asked_for(observations=joined, verdict=verdict, host_of=host_of),
            *explain.actions(
                verdict=verdict,
                hypotheses=hypotheses,
                causes=causes,
                missing=missing,
                observations=joined,
            ),
            *rivals.actions(verdict=verdict, hypotheses=hypotheses, causes=causes),
        ),
        failed_at=None
        if is_on
        else break_time.broke_at(
            verdict=verdict, hypotheses=hypotheses, failed_at=failing_at, silent_at=silent_at
        ),
        disturbances=disturbances_of(
            observations=joined,
            run=slow.AttemptSpan(
                started_at=facts.started_at or identity.first_heard(readings=readings),
                ended_at=facts.ended_at,
                failed_at=failed_at if has_failed else None,
                verdict=verdict,
                host_count=len(hosts),
            ),
            topology=topology,
            covered=covered,
            doubts=timing.doubts,
        ),
        clocks=described(clocks=timing),
        is_stop_told=stop_told.is_stop_told(
            observations=joined, facts=facts, names_end=phases.end_named
        ),
        has_gone_on=has_gone_on,
        ending=None if has_failed else phases.told_by(observations=joined, end_state=end_state),
        last_step=step,
    )
