"""TorchElastic: any failure restarts all workers; its event records and its agent's lines."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from apps.training.in_job.events import BadEvent, name, number, optional, whole
from apps.training.in_job.restarts import ProcessRestart

FAILED: Final = "FAILED"
LINE: Final = re.compile(
    r"Worker group (?:FAILED|UNHEALTHY)\. (\d{1,9})/(\d{1,9}) attempts left; will restart"
)


def elastic_restarts(records: Iterable[object]) -> tuple[ProcessRestart, ...]:
    """Return the restarts that event records tell of, in any order, also twice.

    Failed workers of one incarnation are one restart, which happened where a later incarnation is
    told of. Raises BadEvent that names the field.
    """
    failures: dict[int, set[tuple[float, int | None, str]]] = defaultdict(set)
    latest = 0
    for each in records:
        metadata, at = _metadata(each)
        incarnation = whole(metadata, "agent_restarts")
        latest = max(latest, incarnation)
        if metadata.get("state") == FAILED:
            rank = optional(metadata, "global_rank", whole)
            failures[incarnation].add((at, rank, optional(metadata, "hostname", name) or ""))
    return tuple(
        ProcessRestart(
            told_by="torchelastic",
            number=incarnation + 1,
            at_seconds=min(at for at, _, _ in told),
            took_seconds=None,
            ranks=tuple(sorted({rank for _, rank, _ in told if rank is not None})),
            hosts=tuple(sorted({host for _, _, host in told if host})),
        )
        for incarnation, told in sorted(failures.items())
        if incarnation < latest
    )


def _metadata(told: object) -> tuple[Mapping[str, Any], float]:
    if not isinstance(told, Mapping):
        raise BadEvent("a record is a JSON object")
    metadata = told.get("metadata")
    if not isinstance(metadata, Mapping):
        raise BadEvent("metadata: an object is needed")
    return metadata, number(told, "timestamp")


def elastic_line(*, text: str, at_seconds: float) -> ProcessRestart | None:
    """Return the restart that an agent's line tells of, None for another line."""
    found = LINE.search(text)
    if found is None:
        return None
    left, most = int(found[1]), int(found[2])
    return ProcessRestart(
        told_by="torchelastic",
        number=max(1, most - left + 1),
        at_seconds=at_seconds,
        took_seconds=None,
    )
