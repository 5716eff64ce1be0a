"""One attempt through all steps: what broke in it."""

from collections.abc import Sequence

from apps.diagnosis import exits, recovered
from apps.diagnosis.causes.decisions import restart_of
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.diagnose.attempt_context import context_of
from apps.diagnosis.diagnose.attempt_evidence import DiagnosisInput, evidence_of
from apps.diagnosis.diagnose.disturbances import disturbances_of
from apps.diagnosis.diagnose.other_hypotheses import beside
from apps.diagnosis.diagnose.suspects import (
    unread_among,
)
from apps.diagnosis.model import (
    Anomaly,
    Device,
    Diagnosis,
    EndState,
    Hypothesis,
    Reading,
    SessionFacts,
    VerdictStatus,
)
from apps.diagnosis.reasoning.explanation import actions, coverage, explain, recovery, rivals, story
from apps.diagnosis.reasoning.findings import (
    collective_findings,
    slow,
)
from apps.diagnosis.reasoning.observations import (
    fold,
    named_peers,
)
from apps.diagnosis.reasoning.scope import identity
from apps.diagnosis.reasoning.timing import (
    break_time,
    first_stop,
    open_end,
    phases,
    stop_told,
)
from apps.diagnosis.reasoning.timing.clocks.estimate import described
from apps.diagnosis.reasoning.verdict import culprits, gate, rank, repeat


def concluded(
    *,
    readings: Sequence[Reading],
    anomalies: Sequence[Anomaly],
    facts: SessionFacts,
    given: DiagnosisInput,
) -> Diagnosis:
    """Return what broke in one attempt."""
    causes, timing = load_causes(), given.timing
    known = evidence_of(readings=readings, anomalies=anomalies, facts=facts, given=given)
    phase = phases.phase(observations=known.observations, failed_at=known.failed_at)
    context = context_of(
        phase=phase, scene=known.scene, hosts=known.hosts, readings=readings, facts=facts
    )
    priors = [
        *repeat.offenders(history=given.history, hosts=known.hosts),
        *repeat.same_gpu(events=known.events, earlier=given.earlier, host_of=known.host_of),
    ]
    ranked = rank.rank(observations=[*known.observations, *priors], causes=causes, context=context)
    covered = coverage.coverage(
        readings=collective_findings.logs(readings=readings),
        has_metrics=known.has_metrics,
        hosts=known.hosts,
        expected=[*collective_findings.coverage(events=known.events), *given.expected],
        aliases=known.topology.aliases,
    )
    is_shared = exits.is_shared(events=known.events)

    def culprits_of(hypothesis: Hypothesis, named: Sequence[str]) -> tuple[Device, ...]:
        if named_peers.is_tie(hypothesis=hypothesis, hosts=named):
            return ()
        lines = [one.event for one in hypothesis.supporting if one.event is not None]
        return culprits.culprits(
            cause=causes[hypothesis.cause],
            hypothesis=hypothesis,
            hosts=named,
            topology=known.topology,
            left_on=known.left_on,
            is_shared=is_shared or exits.is_of_all(events=lines, alike=known.alike),
        )

    hypotheses = explain.explain(
        ranked=ranked,
        causes=causes,
        coverage=covered,
        suspects=sorted(known.scene.suspects),
        observations=known.observations,
        culprits_of=culprits_of,
    )
    end_state = phases.end_state(
        observations=known.observations, facts=facts, failed_at=known.failed_at
    )
    verdict = gate.verdict(
        hypotheses=hypotheses[: len(ranked)],
        end_state=end_state,
        unread_hosts=unread_among(known.scene.suspects, covered),
        suspects=known.scene.suspects,
        is_failure_told=phases.failed_before_end(observations=known.observations, facts=facts),
    )
    step = open_end.at_the_end(steps=known.steps, readings=readings, verdict=verdict)
    end_state = EndState.RUNNING if step else end_state
    missing = coverage.unknown_missing(
        coverage=covered, suspects=sorted(known.scene.suspects), hosts=known.hosts
    )
    missing = open_end.missing(coverage=covered) if step else missing
    has_failed = verdict.status is not VerdictStatus.NO_FAILURE
    hypotheses = beside(verdict=verdict, hypotheses=hypotheses, missing=missing)
    failing_at = break_time.began_to_fail(
        verdict=verdict,
        hypotheses=hypotheses,
        failed_at=known.failed_at,
        waited_until=first_stop.waited_until(observations=known.told),
    )
    is_on = step is not None or (end_state is EndState.RUNNING and not has_failed)
    return Diagnosis(
        verdict=verdict,
        end_state=end_state,
        phase=phase,
        restart=restart_of(
            verdict=verdict,
            host_count=len(known.hosts),
            told=hypotheses[0].supporting if hypotheses else (),
            is_back=recovered.is_back(observations=known.observations, cause=verdict.cause),
        ),
        hypotheses=hypotheses,
        first_stopper=known.first,
        symptoms=fold.symptoms(observations=known.observations),
        coverage=covered,
        timeline=story.timeline(
            observations=known.observations,
            first=known.first,
            failed_at=failing_at if has_failed else None,
            error=known.scene.error,
            doubts=timing.doubts,
        ),
        actions=(
            *recovery.asked_for(
                observations=known.observations, verdict=verdict, host_of=known.host_of
            ),
            *actions.actions(
                verdict=verdict,
                hypotheses=hypotheses,
                causes=causes,
                missing=missing,
                observations=known.observations,
            ),
            *rivals.actions(verdict=verdict, hypotheses=hypotheses, causes=causes),
        ),
        failed_at=None
        if is_on
        else break_time.broke_at(
            verdict=verdict, hypotheses=hypotheses, failed_at=failing_at, silent_at=known.silent_at
        ),
        disturbances=disturbances_of(
            observations=known.observations,
            run=slow.AttemptSpan(
                started_at=facts.started_at or identity.first_heard(readings=readings),
                ended_at=facts.ended_at,
                failed_at=known.failed_at if has_failed else None,
                verdict=verdict,
                host_count=len(known.hosts),
            ),
            topology=known.topology,
            covered=covered,
            doubts=timing.doubts,
        ),
        clocks=described(clocks=timing),
        is_stop_told=stop_told.is_stop_told(
            observations=known.observations, facts=facts, names_end=phases.end_named
        ),
        has_gone_on=known.has_gone_on,
        ending=None
        if has_failed
        else phases.told_by(observations=known.observations, end_state=end_state),
        last_step=step,
    )
