"""torchft's structured logs (torchft_quorums, torchft_commits, torchft_errors) → events.

A quorum lists who takes part in a step, a commit says whether a replica took it. A step that a
replica does not commit is lost for it, and is done again under the same number.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from apps.training.in_job.events import (
    BadEvent,
    CommunicatorRepaired,
    InJobEvent,
    ReplicaLost,
    StepCommitted,
    name,
    number,
    whole,
)

QUORUMS, COMMITS, ERRORS = "torchft_quorums", "torchft_commits", "torchft_errors"
HEARTBEAT_SECONDS: Final = 5.0  # the lighthouse leaves out who was silent for longer


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCommit:
    """A step that one replica did not commit: lost for it."""

    replica: str
    step: int
    quorum: int
    at_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HealedReplica:
    """A replica that joined, and how long until it committed a step; None: it has not yet."""

    replica: str
    joined_seconds: float
    took_seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TorchftRun:
    """What the records of one job say together."""

    events: tuple[InJobEvent, ...]
    failed: tuple[FailedCommit, ...]
    healed: tuple[HealedReplica, ...]
    error_count: int

    @classmethod
    def empty(cls) -> "TorchftRun":
        """Return what no record says."""
        return cls(events=(), failed=(), healed=(), error_count=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeartbeatAge:
    """How long ago a replica was last heard of by the lighthouse."""

    replica: str
    age_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    logger: str
    at_seconds: float
    replica: str
    rank: int
    quorum: int
    step: int
    is_committed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quorum:
    number: int
    at_seconds: float
    step: int
    ranks: Mapping[str, int]  # replica → ranks that told of it


def stale_heartbeats(ages: Iterable[HeartbeatAge]) -> tuple[HeartbeatAge, ...]:
    """Return who was silent for more than five seconds, the longest first."""
    stale = {each for each in ages if each.age_seconds > HEARTBEAT_SECONDS}
    return tuple(sorted(stale, key=lambda each: (-each.age_seconds, each.replica)))


def torchft_run(records: Iterable[object]) -> TorchftRun:
    """Return what records of one job say, in any order, also twice.

    A record has `logger`, `at` (seconds since the epoch) and the fields that torchft logs. Raises
    BadEvent that names the field.
    """
    told = sorted({_record(each) for each in records}, key=_by_time)
    quorums, commits = _quorums(told), [each for each in told if each.logger == COMMITS]
    failed = _failed(commits)
    return TorchftRun(
        events=(*_changes(quorums), *_committed(commits, quorums)),
        failed=failed,
        healed=_healed(quorums, commits),
        error_count=sum(1 for each in told if each.logger == ERRORS),
    )


def _by_time(record: _Record) -> tuple[float, str, str, int, int]:
    return record.at_seconds, record.logger, record.replica, record.rank, record.step


def _record(told: object) -> _Record:
    if not isinstance(told, Mapping):
        raise BadEvent("a record is a JSON object")
    logger = name(told, "logger")
    if logger not in {QUORUMS, COMMITS, ERRORS}:
        raise BadEvent(f"logger: one of {QUORUMS}, {COMMITS}, {ERRORS}")
    return _Record(
        logger=logger,
        at_seconds=number(told, "at"),
        replica=name(told, "replica_id"),
        rank=whole(told, "rank"),
        quorum=whole(told, "quorum_id"),
        step=whole(told, "step"),
        is_committed=_result(told) if logger == COMMITS else False,
    )


def _result(told: Mapping[str, Any]) -> bool:
    result = told.get("commit_result")
    if not isinstance(result, bool):
        raise BadEvent("commit_result: true or false is needed")
    return result


def _quorums(told: Iterable[_Record]) -> list[_Quorum]:
    by_number: dict[int, list[_Record]] = defaultdict(list)
    for each in told:
        if each.logger == QUORUMS:
            by_number[each.quorum].append(each)
    return [_quorum(number, by_number[number]) for number in sorted(by_number)]


def _quorum(number: int, records: list[_Record]) -> _Quorum:
    ranks: dict[str, set[int]] = defaultdict(set)
    for each in records:
        ranks[each.replica].add(each.rank)
    return _Quorum(
        number=number,
        at_seconds=min(each.at_seconds for each in records),
        step=min(each.step for each in records),
        ranks={replica: len(ranks[replica]) for replica in sorted(ranks)},
    )


def _changes(quorums: list[_Quorum]) -> Iterable[InJobEvent]:
    for former, later in pairwise(quorums):
        for replica, ranks in former.ranks.items():
            if replica not in later.ranks:
                yield ReplicaLost(
                    at_seconds=later.at_seconds,
                    replica=replica,
                    step=later.step,
                    phase="quorum",
                    gpu_count=ranks,
                )
        if former.ranks.keys() != later.ranks.keys():
            yield CommunicatorRepaired(
                at_seconds=later.at_seconds,
                epoch=later.number,
                members_before=len(former.ranks),
                members_after=len(later.ranks),
                milliseconds=None,
            )


def _committed(commits: list[_Record], quorums: list[_Quorum]) -> Iterable[StepCommitted]:
    """Return the steps that were taken, once each: when the last who took it said so."""
    members = {each.number: len(each.ranks) for each in quorums}
    taken: dict[int, _Record] = {}
    for each in commits:
        if each.is_committed:
            taken[each.step] = each
    for step in sorted(taken):
        yield StepCommitted(
            at_seconds=taken[step].at_seconds,
            step=step,
            microbatches=None,
            survivors=members.get(taken[step].quorum),
            tokens=None,
        )


def _failed(commits: list[_Record]) -> tuple[FailedCommit, ...]:
    """Return what replicas lost; each of a replica's ranks tells of it, the lowest one counts."""
    lowest: dict[str, int] = {}
    for each in commits:
        lowest[each.replica] = min(each.rank, lowest.get(each.replica, each.rank))
    return tuple(
        FailedCommit(
            replica=each.replica, step=each.step, quorum=each.quorum, at_seconds=each.at_seconds
        )
        for each in commits
        if not each.is_committed and each.rank == lowest[each.replica]
    )


def _healed(quorums: list[_Quorum], commits: list[_Record]) -> tuple[HealedReplica, ...]:
    found = []
    for former, later in pairwise(quorums):
        for replica in later.ranks.keys() - former.ranks.keys():
            after = [
                each.at_seconds
                for each in commits
                if each.replica == replica and each.is_committed
                if each.at_seconds >= later.at_seconds
            ]
            found.append(
                HealedReplica(
                    replica=replica,
                    joined_seconds=later.at_seconds,
                    took_seconds=min(after) - later.at_seconds if after else None,
                )
            )
    return tuple(sorted(found, key=lambda each: (each.joined_seconds, each.replica)))
