"""An input → its attempts → the diagnosis of the one that the answer is about."""

from collections.abc import Sequence
from dataclasses import replace

from apps.diagnosis.diagnose import zone_readings
from apps.diagnosis.diagnose.attempt_evidence import DiagnosisInput
from apps.diagnosis.diagnose.gone_on import concluded_of_parts
from apps.diagnosis.model import (
    Anomaly,
    Coverage,
    Diagnosis,
    Event,
    PastFailure,
    Reading,
    SessionFacts,
    Stream,
    Topology,
)
from apps.diagnosis.reasoning.observations import fold
from apps.diagnosis.reasoning.scope import attempts, identity, paths, streams
from apps.diagnosis.reasoning.scope.jobs import job_scope
from apps.diagnosis.reasoning.timing.clocks import daemon_stamps, late_lines
from apps.diagnosis.reasoning.timing.clocks.estimate import estimate
from apps.diagnosis.reasoning.timing.clocks.source_stamps import Clocks
from apps.diagnosis.reasoning.verdict import repeat


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
    readings = streams.of_kernels(readings=paths.hosted(readings=readings))
    readings = daemon_stamps.restamped(readings=streams.of_sessions(readings=readings))
    readings = _of_this_job(readings, topology, facts)
    events = fold.unique_events(readings=readings)
    aliases = identity.learned(events=events, readings=readings, topology=topology).aliases
    readings, doubts = late_lines.redated(readings=readings, zones=topology.zones, aliases=aliases)
    named = replace(topology, aliases=aliases)
    timing = estimate(readings=readings, topology=named, doubts=doubts)

    def concluded_by(timing: Clocks) -> Diagnosis:
        given = DiagnosisInput(topology=topology, expected=expected, timing=timing)
        return _of_attempts(readings, anomalies, facts, replace(given, history=tuple(history)))

    zones = timing.open_zones
    answer = zone_readings.settled(
        taken=concluded_by(timing),
        zones=[zone for zone in zones if zone.is_taken],
        others=[
            zone_readings.InZone(
                zone=zone,
                diagnosis=concluded_by(
                    estimate(readings=readings, topology=named, doubts=doubts, zone=zone)
                ),
            )
            for zone in zones
            if not zone.is_taken
        ],
    )
    # A zone that is open is said with what speaks for it.
    is_said = any(one.stream is Stream.SESSION for one in answer.zones)
    return replace(answer, printed_zone=None if is_said else timing.printed_zone)


def _of_attempts(
    readings: Sequence[Reading],
    anomalies: Sequence[Anomaly],
    facts: SessionFacts,
    given: DiagnosisInput,
) -> Diagnosis:
    """Return the answer by the clocks given: each attempt is concluded by itself."""
    timing = given.timing
    parts = attempts.split(
        readings=readings,
        at=lambda event: timing.instant(event.line),
        correction=lambda source, host: timing.correction((source, host)),
    )
    found: list[Diagnosis] = []
    past, earlier = list(given.history), list[Event]()
    for part in parts:
        is_last = part is parts[-1]
        one = concluded_of_parts(
            readings=part.readings,
            anomalies=attempts.within(anomalies=anomalies, part=part),
            facts=facts if is_last else SessionFacts(world_size=facts.world_size, has_more=True),
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


def _of_this_job(
    readings: Sequence[Reading], topology: Topology, facts: SessionFacts
) -> list[Reading]:
    events = fold.unique_events(readings=readings)
    known = identity.learned(events=events, readings=readings, topology=topology)
    hosts = identity.hosts(topology=known, readings=readings)
    return job_scope.of_this_job(readings=readings, names=facts.names, hosts=hosts)
