"""What slowed an attempt, each episode weighed as a failure would be."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from apps.diagnosis.causes.decisions import restart_of
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    Coverage,
    Device,
    Disturbance,
    EndState,
    Hypothesis,
    Layer,
    Observation,
    Phase,
    Topology,
)
from apps.diagnosis.reasoning.explanation import actions, explain, story
from apps.diagnosis.reasoning.findings import slow
from apps.diagnosis.reasoning.verdict import culprits, gate, rank


def disturbances_of(
    *,
    observations: Sequence[Observation],
    run: slow.AttemptSpan,
    topology: Topology,
    covered: Sequence[Coverage],
    doubts: Mapping[str, timedelta],
) -> tuple[Disturbance, ...]:
    """Return what slowed the attempt, each episode weighed as a failure would be."""
    episodes = slow.episodes(observations=observations, run=run)
    found = (_disturbance(episode, run, topology, covered, doubts) for episode in episodes)
    return tuple(
        one for one in found if one is not None and not slow.is_of_the_stop(one=one, run=run)
    )


def _disturbance(
    episode: slow.SlowEpisode,
    run: slow.AttemptSpan,
    topology: Topology,
    covered: Sequence[Coverage],
    doubts: Mapping[str, timedelta],
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
        restart=restart_of(verdict=verdict, host_count=run.host_count),
        starts_at=episode.starts_at,
        ends_at=episode.ends_at,
        hypotheses=hypotheses,
        timeline=story.timeline(observations=told, first=None, failed_at=None, doubts=doubts),
        actions=actions.actions(verdict=verdict, hypotheses=hypotheses, causes=causes, missing=()),
    )
