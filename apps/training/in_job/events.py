"""What a job tells of recovering in place: five kinds of events, as frozen values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, TypeVar

from apps.diagnosis.input_values import storable, visible

MOST_WHOLE: Final = 2**53  # what JSON keeps of a number everywhere
MOST_NUMBER: Final = 1e15
MOST_REPLICAS: Final = 4096  # of one quota
NAME_LIMIT: Final = 200


class BadEvent(ValueError):
    """An event that can't be used, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaLost:
    """A replica and its GPUs are gone."""

    at_seconds: float
    replica: str
    step: int | None
    phase: str
    gpu_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommunicatorRepaired:
    """Who is left communicates again; with more members than before, somebody joined."""

    at_seconds: float
    epoch: int
    members_before: int
    members_after: int
    milliseconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRollback:
    """A bucket of gradients was reduced in part, and is reduced again."""

    at_seconds: float
    step: int
    bucket: int
    milliseconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaReassigned:
    """How many microbatches each replica does from this step on."""

    at_seconds: float
    step: int
    quotas: tuple[tuple[str, int], ...]  # replica, microbatches; sorted
    spare: str | None
    minor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCommitted:
    """An optimizer step was taken. None: not told."""

    at_seconds: float
    step: int
    microbatches: int | None
    survivors: int | None
    tokens: int | None
    loss: float | None = None


InJobEvent = ReplicaLost | CommunicatorRepaired | BucketRollback | QuotaReassigned | StepCommitted
T = TypeVar("T")


def event_of_json(told: object) -> InJobEvent:
    """Return one event of the contract; raises BadEvent that names the field."""
    if not isinstance(told, Mapping):
        raise BadEvent("an event is a JSON object")
    kind = told.get("event")
    make = KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise BadEvent(f"event: one of {', '.join(KINDS)}")
    return make(told, number(told, "at"))


def _replica_lost(told: Mapping[str, Any], at: float) -> ReplicaLost:
    return ReplicaLost(
        at_seconds=at,
        replica=name(told, "replica"),
        step=optional(told, "step", whole),
        phase=optional(told, "phase", name) or "",
        gpu_count=whole(told, "gpus"),
    )


def _communicator_repaired(told: Mapping[str, Any], at: float) -> CommunicatorRepaired:
    return CommunicatorRepaired(
        at_seconds=at,
        epoch=whole(told, "epoch"),
        members_before=whole(told, "members_before"),
        members_after=whole(told, "members_after"),
        milliseconds=optional(told, "ms", length),
    )


def _bucket_rollback(told: Mapping[str, Any], at: float) -> BucketRollback:
    return BucketRollback(
        at_seconds=at,
        step=whole(told, "step"),
        bucket=whole(told, "bucket"),
        milliseconds=optional(told, "ms", length),
    )


def _quota_reassigned(told: Mapping[str, Any], at: float) -> QuotaReassigned:
    quotas = told.get("microbatches")
    if not isinstance(quotas, Mapping) or not quotas:
        raise BadEvent("microbatches: an object of replicas with their microbatches is needed")
    if len(quotas) > MOST_REPLICAS:
        raise BadEvent(f"microbatches: at most {MOST_REPLICAS} replicas")
    return QuotaReassigned(
        at_seconds=at,
        step=whole(told, "step"),
        quotas=tuple(sorted((_cleaned(replica), whole(quotas, replica)) for replica in quotas)),
        spare=optional(told, "spare", name),
        minor=optional(told, "minor", name),
    )


def _step_committed(told: Mapping[str, Any], at: float) -> StepCommitted:
    return StepCommitted(
        at_seconds=at,
        step=whole(told, "step"),
        microbatches=optional(told, "microbatches", whole),
        survivors=optional(told, "survivors", whole),
        tokens=optional(told, "tokens", whole),
        loss=optional(told, "loss", number),
    )


KINDS: Final[Mapping[str, Callable[[Mapping[str, Any], float], InJobEvent]]] = {
    "replica_lost": _replica_lost,
    "communicator_repaired": _communicator_repaired,
    "bucket_rollback": _bucket_rollback,
    "quota_reassigned": _quota_reassigned,
    "step_committed": _step_committed,
}


def number(told: Mapping[str, Any], field: str) -> float:
    """Return a finite number of a record; raises BadEvent."""
    value = told.get(field)
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise BadEvent(f"{field}: a number is needed")
    if abs(value) > MOST_NUMBER:
        raise BadEvent(f"{field}: the number is out of range")
    return float(value)


def length(told: Mapping[str, Any], field: str) -> float:
    """Return how long something took, from 0; raises BadEvent."""
    value = number(told, field)
    if value < 0:
        raise BadEvent(f"{field}: a number from 0 is needed")
    return value


def whole(told: Mapping[str, Any], field: str) -> int:
    """Return a whole number from 0 of a record; raises BadEvent."""
    value = told.get(field)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_WHOLE:
        raise BadEvent(f"{field}: a whole number from 0 is needed")
    return value


def name(told: Mapping[str, Any], field: str) -> str:
    """Return a name of a record, of text or a number; raises BadEvent."""
    value = told.get(field)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadEvent(f"{field}: a name is needed")
    return _cleaned(value)


def _cleaned(value: object) -> str:
    """Return a name as it can be stored and shown."""
    text = str(value)[:NAME_LIMIT]
    return text if text.isascii() and text.isprintable() else visible(storable(text))


def optional(
    told: Mapping[str, Any], field: str, read: Callable[[Mapping[str, Any], str], T]
) -> T | None:
    """Return a field of a record that may be left out or null."""
    return None if told.get(field) is None else read(told, field)
