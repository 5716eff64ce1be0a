"""Who of a running attempt is slower than its peers, from what is there: metrics, collectives.

In a synchronous job all ranks take the same time for a step, so step times of ranks tell nothing of
who holds the others up. Clocks, throttling and bandwidth of a part beside its peers do, and so does
who comes last to the collectives.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from apps.diagnosis.input_values import rank_number
from apps.fleet.values import AttemptView
from apps.incidents.facade.shared import WarningFilter, list_shared_warnings
from apps.incidents.projection.shared_values import SharedAs, SharedWarning
from apps.reliability.stragglers.findings import rank_place
from apps.reliability.stragglers.values import FindingView, SlowMember
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.warnings import list_episodes
from apps.telemetry.values import EpisodeView
from apps.tenancy.access import Actor
from apps.training.stragglers.importers.inspector import LATE_SHARE

SLOW: Final = frozenset({"slow-member", "gpu-throttling", "cpu-starvation"})
LAYER: Final = "straggler"
LOOK_BACK: Final = timedelta(days=2)
MOST_READ: Final = 200


def slow_members(
    *,
    actor: Actor,
    cluster: str | None,
    attempt: AttemptView,
    findings: Sequence[FindingView],
    channel: LedgerChannel,
    now: datetime,
) -> tuple[SlowMember, ...]:
    """Return the slow members of an attempt, those that are slow now first. Needs the scope.

    Raises LedgerUnavailable.
    """
    found = [*_late(attempt, findings)]
    if cluster is not None and attempt.hosts:
        until = attempt.ended_at or now
        since = max(attempt.started_at or until - LOOK_BACK, until - LOOK_BACK)
        span = WarningFilter(cluster=cluster, since=since, until=until)
        shared = list_shared_warnings(
            actor=actor, wanted=span, limit=MOST_READ, now=now, channel=channel
        )
        found += _warned(actor, attempt, span, shared)
    return tuple(sorted(found, key=lambda each: (each.is_over, each.host, each.gpu or 0)))


def _warned(
    actor: Actor, attempt: AttemptView, span: WarningFilter, shared: Sequence[SharedWarning]
) -> Iterator[SlowMember]:
    hosts, places = frozenset(attempt.hosts), _ranks_by_place(attempt.ranks)
    own = list_episodes(actor=actor, cluster=span.cluster, since=span.since, until=span.until)[
        :MOST_READ
    ]
    for each in own:
        if _is_slow(each, hosts):
            yield _member(each, places)
    for told in shared:
        if _is_slow(told.episode, hosts):
            yield _member(told.episode, places, shared=told.shared)


def _is_slow(episode: EpisodeView, hosts: Collection[str]) -> bool:
    is_there = episode.host in hosts and episode.withdrawn_at is None
    return is_there and (episode.layer == LAYER or not SLOW.isdisjoint(episode.causes))


def _member(
    episode: EpisodeView,
    places: Mapping[tuple[str, int | None], int],
    *,
    shared: SharedAs | None = None,
) -> SlowMember:
    index = episode.entity.get("index") if episode.entity.get("kind") == "gpu" else None
    gpu = index if isinstance(index, int) else None
    return SlowMember(
        host=episode.host,
        gpu=gpu,
        rank=places.get((episode.host, gpu)) if gpu is not None else None,
        since=episode.starts_at,
        is_over=episode.ends_at is not None,
        told_by="warning",
        reference="" if shared else episode.public_id,
        families=tuple(episode.families),
        shared=shared,
    )


def _ranks_by_place(ranks: Mapping[str, Any]) -> dict[tuple[str, int | None], int]:
    found = {}
    for text in ranks:
        if (number := rank_number(text)) is not None:
            place = rank_place(number, ranks)
            found[place.host, place.gpu] = place.rank
    return found


def _late(attempt: AttemptView, findings: Sequence[FindingView]) -> Iterator[SlowMember]:
    """Yield who came last to most collectives, of the newest trace that tells it."""
    newest = next(
        (each for each in findings if each.attempt == attempt.number and each.late_members), None
    )
    for told in newest.late_members if newest else ():
        share = told["last"] / told["collectives"] if told["collectives"] else 0.0
        if newest is not None and share >= LATE_SHARE:
            place = rank_place(int(told["rank"]), attempt.ranks)
            yield SlowMember(
                host=place.host or str(told["host"] or ""),
                gpu=place.gpu,
                rank=place.rank,
                since=None,  # a trace tells steps, and no time of day
                is_over=attempt.ended_at is not None,
                told_by="collectives",
                reference=newest.public_id,
                last_share=share,
            )
