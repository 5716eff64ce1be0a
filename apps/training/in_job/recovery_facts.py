"""The contract of what is sent: each record checked, in one spelling, so that doubles are equal.

Beside the five events of `events` stand what a job began with, and what the adapters work with:
quorums, commits and errors of torchft's replicas, heartbeats, restarts of all processes.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Final

from apps.diagnosis.input_values import MOST_RANKS, instant_of
from apps.training.in_job.events import (
    KINDS,
    BadEvent,
    event_of_json,
    length,
    name,
    number,
    optional,
    whole,
)

STEPS_OF_BLOCK: Final = 4096
STEPS_OF_REPLICAS: Final = 256  # each of them tells of every step
HEARTBEAT, HEARTBEAT_WHILE = "heartbeat", 600.0
MOST_LISTED: Final = 1000  # ranks or hosts of one restart


class FactPart(StrEnum):
    """What is kept together."""

    CHANGES = "changes"  # what happened; few
    STEPS = "steps"  # one a step
    REPLICAS = "replicas"  # one a step and replica


@dataclass(frozen=True, slots=True, kw_only=True)
class RecoveryFact:
    """One record that was checked. Equal records are one."""

    kind: str
    at_seconds: float  # Unix
    part: FactPart
    block: int  # of the part: its steps lie together
    text: str  # JSON in one spelling
    key: str  # by which it is once: its id, else all that it says
    weight: float = 0.0  # of two with one key the heavier stays


def fact_of_json(told: object) -> RecoveryFact:
    """Return one record of the contract; raises BadEvent that names the field."""
    if not isinstance(told, Mapping):
        raise BadEvent("an event is a JSON object")
    kind = told.get("event")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise BadEvent(f"event: one of {', '.join(FIELDS)}")
    at = number(told, "at")
    if instant_of(at) is None:
        raise BadEvent("at: the time is out of range")
    said = CHECKS[kind](told)
    step = said.get("step")
    part, steps = PARTS.get(kind, (FactPart.CHANGES, 0))
    own_id = optional(told, "id", name)
    record = {"event": kind, "at": at, **said, **({"id": own_id} if own_id else {})}
    text = json.dumps(
        {key: value for key, value in record.items() if value is not None},
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return RecoveryFact(
        kind=kind,
        at_seconds=at,
        part=part,
        block=step // steps if steps and isinstance(step, int) else 0,
        text=text,
        key=f"id:{own_id}" if own_id else _key(kind, at, said, text),
        weight=said["age_seconds"] if kind == HEARTBEAT else 0.0,
    )


def _key(kind: str, at: float, said: Mapping[str, Any], text: str) -> str:
    """Return what a record is known by. Of heartbeats the oldest of a while stays."""
    if kind != HEARTBEAT:
        # The text once more would double what is kept.
        return blake2b(text.encode(), digest_size=16).hexdigest()
    return f"heartbeat:{said['replica']}:{int(at // HEARTBEAT_WHILE)}"


def _of_event(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of one of the five events, as they were told, once they can be read."""
    event_of_json(told)
    said: dict[str, Any] = {field: told.get(field) for field in FIELDS[str(told["event"])]}
    for field in NAMES & said.keys():
        said[field] = optional(told, field, name)
    for field in COUNTS & said.keys():
        _check_count(said[field], field)
    return said


def _check_count(value: object, field: str) -> None:
    if isinstance(value, int) and value > MOST_RANKS:
        raise BadEvent(f"{field}: at most {MOST_RANKS}")


def _job_began(told: Mapping[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {
        field: optional(told, field, whole)
        for field in ("replicas", "gpus", "microbatches", "checkpoint_every_steps")
    }
    for field in ("replicas", "gpus"):
        _check_count(said[field], field)
    if said["checkpoint_every_steps"] == 0:
        raise BadEvent("checkpoint_every_steps: a whole number from 1 is needed")
    said["restart_seconds"] = optional(told, "restart_seconds", length)
    said["may_rejoin"] = optional(told, "may_rejoin", _flag)
    if all(value is None for value in said.values()):
        raise BadEvent(f"job_began: at least one of {', '.join(said)} is needed")
    return said


def _of_replica(told: Mapping[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"replica": name(told, "replica")}
    said |= {field: whole(told, field) for field in ("rank", "quorum", "step")}
    return said


def _replica_commit(told: Mapping[str, Any]) -> dict[str, Any]:
    return {**_of_replica(told), "committed": _flag(told, "committed")}


def _heartbeat(told: Mapping[str, Any]) -> dict[str, Any]:
    return {"replica": name(told, "replica"), "age_seconds": length(told, "age_seconds")}


def _elastic_worker(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "incarnation": whole(told, "incarnation"),
        "state": name(told, "state"),
        "rank": optional(told, "rank", whole),
        "host": optional(told, "host", name),
    }


def _workers_restarted(told: Mapping[str, Any]) -> dict[str, Any]:
    ranks, hosts = told.get("ranks") or [], told.get("hosts") or []
    if not isinstance(ranks, list) or not isinstance(hosts, list):
        raise BadEvent("ranks and hosts: lists are needed")
    if len(ranks) > MOST_LISTED or len(hosts) > MOST_LISTED:
        raise BadEvent(f"ranks and hosts: at most {MOST_LISTED} each")
    return {
        "told_by": name(told, "told_by"),
        "number": whole(told, "number"),
        "took_seconds": optional(told, "took_seconds", length),
        "ranks": sorted({whole({"ranks": each}, "ranks") for each in ranks}),
        "hosts": sorted({name({"hosts": each}, "hosts") for each in hosts}),
    }


def _flag(told: Mapping[str, Any], field: str) -> bool:
    value = told.get(field)
    if not isinstance(value, bool):
        raise BadEvent(f"{field}: true or false is needed")
    return value


REPLICA: Final = ("replica", "rank", "quorum", "step")
# What a record of each kind may say, beside `event`, `at` and `id`.
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "replica_lost": ("replica", "step", "phase", "gpus"),
    "communicator_repaired": ("epoch", "members_before", "members_after", "ms"),
    "bucket_rollback": ("step", "bucket", "ms"),
    "quota_reassigned": ("step", "microbatches", "spare", "minor"),
    "step_committed": ("step", "microbatches", "survivors", "tokens", "loss"),
    "job_began": (
        *("replicas", "gpus", "microbatches", "may_rejoin"),
        *("restart_seconds", "checkpoint_every_steps"),
    ),
    "quorum": REPLICA,
    "replica_commit": (*REPLICA, "committed"),
    "replica_error": REPLICA,
    HEARTBEAT: ("replica", "age_seconds"),
    "elastic_worker": ("incarnation", "state", "rank", "host"),
    "workers_restarted": ("told_by", "number", "took_seconds", "ranks", "hosts"),
}
NAMES: Final = frozenset({"replica", "phase", "spare", "minor"})
COUNTS: Final = frozenset({"gpus", "members_before", "members_after", "survivors"})
CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    **dict.fromkeys(KINDS, _of_event),
    "job_began": _job_began,
    "quorum": _of_replica,
    "replica_commit": _replica_commit,
    "replica_error": _of_replica,
    HEARTBEAT: _heartbeat,
    "elastic_worker": _elastic_worker,
    "workers_restarted": _workers_restarted,
}
PARTS: Final[Mapping[str, tuple[FactPart, int]]] = {
    "step_committed": (FactPart.STEPS, STEPS_OF_BLOCK),
    "replica_commit": (FactPart.REPLICAS, STEPS_OF_REPLICAS),
}
