"""Facts of one attempt, from whichever sources told them → what it did in one value.

A job may tell of one loss by its own events, by torchft's records and by lines of its log. What
changed is taken from the first of these that tells of any change; steps that one does not tell are
filled in from the next.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.training.in_job.adapters.torchelastic import elastic_restarts
from apps.training.in_job.adapters.torchft import (
    COMMITS,
    ERRORS,
    HEARTBEAT_SECONDS,
    QUORUMS,
    FailedCommit,
    HealedReplica,
    HeartbeatAge,
    TorchftRun,
    torchft_run,
)
from apps.training.in_job.events import (
    KINDS,
    CommunicatorRepaired,
    InJobEvent,
    ReplicaLost,
    StepCommitted,
    event_of_json,
)
from apps.training.in_job.job_terms import JobTerms
from apps.training.in_job.logged_run import LoggedRun
from apps.training.in_job.restarts import ProcessRestart

LOGGERS: Final = {"quorum": QUORUMS, "replica_commit": COMMITS, "replica_error": ERRORS}
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleHeartbeat:
    """A replica that was silent for longer than the lighthouse waits."""

    at_seconds: float
    heartbeat: HeartbeatAge


@dataclass(frozen=True, slots=True, kw_only=True)
class InJobRun:
    """What is known of one attempt that recovers in place. Events are by time."""

    terms: JobTerms
    events: tuple[InJobEvent, ...] = ()
    restarts: tuple[ProcessRestart, ...] = ()
    failed_commits: tuple[FailedCommit, ...] = ()  # steps that were lost for a replica
    healed: tuple[HealedReplica, ...] = ()
    stale: tuple[StaleHeartbeat, ...] = ()
    error_count: int = 0

    @property
    def losses(self) -> tuple[ReplicaLost, ...]:
        """Return what was lost."""
        return tuple(each for each in self.events if isinstance(each, ReplicaLost))

    @property
    def commits(self) -> tuple[StepCommitted, ...]:
        """Return the steps that were taken."""
        return tuple(each for each in self.events if isinstance(each, StepCommitted))


def in_job_run(records: Iterable[Record], logged: LoggedRun | None = None) -> InJobRun:
    """Return what records that were checked tell together, in any order, also twice."""
    logged = logged or LoggedRun()
    by_kind: dict[str, list[Record]] = {}
    for each in records:
        by_kind.setdefault(str(each["event"]), []).append(each)
    direct = {event_of_json(each) for kind in KINDS for each in by_kind.get(kind, ())}
    torchft = _torchft(by_kind)
    of_lines = _torchft({"quorum": list(logged.records)}) if logged.records else TorchftRun.empty()
    sources = (direct, set(torchft.events), {*logged.events, *of_lines.events})
    return InJobRun(
        terms=_terms(by_kind.get("job_began", ())),
        events=tuple(sorted(_merged(sources), key=_order)),
        restarts=_restarts(by_kind, logged),
        failed_commits=torchft.failed,
        healed=torchft.healed or of_lines.healed,
        stale=_stale(by_kind.get("heartbeat", ())),
        error_count=torchft.error_count,
    )


def _merged(sources: Sequence[set[InJobEvent]]) -> set[InJobEvent]:
    changes = next((found for told in sources if (found := _changes(told))), set())
    events: set[InJobEvent] = {each for each in sources[0] if not isinstance(each, StepCommitted)}
    events = {each for each in events if not _is_change(each)} | _once(changes)
    known: set[int] = set()
    for told in sources:
        commits = {each for each in told if isinstance(each, StepCommitted)}
        events |= {each for each in commits if each.step not in known}
        known |= {each.step for each in commits}
    return events


def _is_change(event: InJobEvent) -> bool:
    return isinstance(event, ReplicaLost | CommunicatorRepaired)


def _changes(told: set[InJobEvent]) -> set[InJobEvent]:
    return {each for each in told if _is_change(each)}


def _once(changes: set[InJobEvent]) -> set[InJobEvent]:
    """Return the changes; who is lost is lost once, until somebody joins."""
    kept, gone = set[InJobEvent](), set[str]()
    for each in sorted(changes, key=_order):
        if isinstance(each, CommunicatorRepaired) and each.members_after > each.members_before:
            gone.clear()
        if isinstance(each, ReplicaLost):
            if each.replica in gone:
                continue
            gone.add(each.replica)
        kept.add(each)
    return kept


def _order(event: InJobEvent) -> tuple[float, int, str]:
    return event.at_seconds, PLACES[type(event)], repr(event)


# Of one instant: who is lost comes before who is left, a step after what it took.
PLACES: Final = {kind: place for place, kind in enumerate(InJobEvent.__args__)}


def _torchft(by_kind: Mapping[str, Sequence[Record]]) -> TorchftRun:
    return torchft_run(
        {
            "logger": logger,
            "at": each["at"],
            "replica_id": each["replica"],
            "rank": each["rank"],
            "quorum_id": each["quorum"],
            "step": each["step"],
            "commit_result": each.get("committed"),
        }
        for kind, logger in LOGGERS.items()
        for each in by_kind.get(kind, ())
    )


def _terms(told: Iterable[Record]) -> JobTerms:
    """Return what the last record says, each field by itself: none takes back what is known."""
    said: dict[str, Any] = {}
    for each in sorted(told, key=lambda record: (record["at"], repr(sorted(record.items())))):
        said |= {key: value for key, value in each.items() if key not in {"event", "at", "id"}}
    if "microbatches" in said:
        said["microbatches_each"] = said.pop("microbatches")
    return JobTerms(**said)


def _restarts(
    by_kind: Mapping[str, Sequence[Record]], logged: LoggedRun
) -> tuple[ProcessRestart, ...]:
    told = [
        ProcessRestart(
            told_by=each["told_by"],
            number=each["number"],
            at_seconds=each["at"],
            took_seconds=each.get("took_seconds"),
            ranks=tuple(each.get("ranks", ())),
            hosts=tuple(each.get("hosts", ())),
        )
        for each in by_kind.get("workers_restarted", ())
    ]
    told += elastic_restarts(
        {
            "timestamp": each["at"],
            "metadata": {
                "agent_restarts": each["incarnation"],
                "state": each["state"],
                "global_rank": each.get("rank"),
                "hostname": each.get("host"),
            },
        }
        for each in by_kind.get("elastic_worker", ())
    )
    # One restart of one program is one, whoever tells of it first.
    known = {(each.told_by, each.number) for each in told}
    told += [each for each in logged.restarts if (each.told_by, each.number) not in known]
    return tuple(sorted(set(told), key=lambda each: (each.at_seconds, repr(each))))


def _stale(told: Iterable[Record]) -> tuple[StaleHeartbeat, ...]:
    found = {
        StaleHeartbeat(
            at_seconds=each["at"],
            heartbeat=HeartbeatAge(replica=each["replica"], age_seconds=each["age_seconds"]),
        )
        for each in told
        if each["age_seconds"] > HEARTBEAT_SECONDS
    }
    return tuple(sorted(found, key=lambda each: (each.at_seconds, each.heartbeat.replica)))
