"""Files of step traces, read → jobs: tables one each, profiles and Inspector files together."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from apps.telemetry.files.table_columns import MOST_CELLS, PARQUET_MAGIC, columns_of
from apps.telemetry.files.unusable_input import UnusableInput
from apps.training.stragglers.importers.chrome import trace_of_chrome
from apps.training.stragglers.importers.inspector import (
    CollectiveTiming,
    LateMember,
    late_members,
    read_inspector,
    trace_of_inspector,
)
from apps.training.stragglers.step_trace import COLUMNS, BadTrace, StepTrace, step_trace
from apps.training.stragglers.verdict import StragglerVerdict, verdict_on
from apps.training.stragglers.what_if import WhatIf, what_if


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedJob:
    """One job of the files: what its stragglers cost where that can be known, who came last.

    `found` and `verdict` are None where collectives are told of without their times.
    """

    name: str
    found: WhatIf | None
    verdict: StragglerVerdict | None
    late: tuple[LateMember, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRoom:
    """How much reading traces may take: cells of a table, and those that are replayed in all."""

    cells: int = MOST_CELLS
    replayed_cells: int | None = None  # None: who waits for it started it

    def found(self, trace: StepTrace) -> WhatIf:
        """Return what stragglers cost in a trace; raises BadTrace for one that takes too long."""
        if self.replayed_cells is not None and trace.replayed_cells > self.replayed_cells:
            raise BadTrace(
                f"{trace.replica_count} replicas in {len(trace.steps)} steps take too long here; "
                "trace fewer steps, or use `faultline stragglers` where the files are"
            )
        return what_if(trace)


WITHOUT_LIMIT: Final = TraceRoom()


def jobs_of(
    files: Iterable[tuple[str, bytes]], *, room: TraceRoom = WITHOUT_LIMIT
) -> tuple[TracedJob, ...]:
    """Return the jobs of files that were read, name and bytes; raises UnusableInput as above."""
    profiles: dict[str, Any] = {}
    collectives: dict[str, tuple[CollectiveTiming, ...]] = {}
    jobs = []
    for path, raw in files:
        try:
            if not _is_json(raw):
                jobs.append(_of_table(path, raw, room))
            elif (document := _document(raw)) is not None:
                profiles[path] = document
            else:
                collectives[path] = read_inspector(name=path, lines=raw.decode().splitlines())
        except (BadTrace, UnicodeDecodeError) as error:
            raise UnusableInput(_with_name(path, error)) from error
    return (*jobs, *_of_profiles(profiles, room), *_of_collectives(collectives, room))


def _with_name(path: str, error: Exception) -> str:
    return str(error) if str(error).startswith(path) else f"{path}: {error}"


def _is_json(raw: bytes) -> bool:
    return not raw.startswith(PARQUET_MAGIC) and raw.lstrip()[:1] in {b"{", b"["}


def _document(raw: bytes) -> Any:
    """Return a Chrome trace; None for what is no single JSON value, or a line of the Inspector."""
    try:
        document = orjson.loads(raw)
    except json.JSONDecodeError:
        return None
    is_line = isinstance(document, Mapping) and "coll_perf" in document
    return None if is_line else document


def _of_table(path: str, raw: bytes, room: TraceRoom) -> TracedJob:
    columns = columns_of(name=path, raw=raw, wanted=COLUMNS, most_cells=room.cells)
    found = room.found(step_trace(columns))
    return TracedJob(name=path, found=found, verdict=verdict_on(found))


def _of_profiles(documents: Mapping[str, Any], room: TraceRoom) -> Iterator[TracedJob]:
    if documents:
        try:
            found = room.found(trace_of_chrome(documents))
        except BadTrace as error:
            raise UnusableInput(_with_name(next(iter(documents)), error)) from error
        yield TracedJob(name=_named(documents), found=found, verdict=verdict_on(found))


def _of_collectives(
    files: Mapping[str, tuple[CollectiveTiming, ...]], room: TraceRoom
) -> Iterator[TracedJob]:
    if files:
        timings = [each for told in files.values() for each in told]
        yield job_of_collectives(timings, name=_named(files), room=room)


def job_of_collectives(
    timings: Sequence[CollectiveTiming], *, name: str, room: TraceRoom
) -> TracedJob:
    """Return what collectives of one job say, in any order."""
    found = _cost(timings, room)
    return TracedJob(
        name=name,
        found=found,
        verdict=verdict_on(found) if found else None,
        late=late_members(timings),
    )


def _cost(timings: Sequence[CollectiveTiming], room: TraceRoom) -> WhatIf | None:
    """Without begins and ends, or with too few of them, only who came last is known."""
    try:
        return room.found(trace_of_inspector(timings))
    except BadTrace:
        return None


def _named(paths: Iterable[str]) -> str:
    first, *others = paths
    return f"{first} + {len(others)}" if others else first
