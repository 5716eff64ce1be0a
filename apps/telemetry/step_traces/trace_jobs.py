"""Files of step traces, read → jobs: tables one each, profiles and Inspector files together."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from apps.telemetry.files.table_columns import PARQUET_MAGIC, columns_of
from apps.telemetry.files.unusable_input import UnusableInput
from apps.training.stragglers.importers.chrome import trace_of_chrome
from apps.training.stragglers.importers.inspector import (
    CollectiveTiming,
    LateMember,
    late_members,
    read_inspector,
    trace_of_inspector,
)
from apps.training.stragglers.step_trace import BadTrace, step_trace
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


def jobs_of(files: Iterable[tuple[str, bytes]]) -> tuple[TracedJob, ...]:
    """Return the jobs of files that were read, name and bytes; raises UnusableInput as above."""
    profiles: dict[str, Any] = {}
    collectives: dict[str, tuple[CollectiveTiming, ...]] = {}
    jobs = []
    for path, raw in files:
        try:
            if not _is_json(raw):
                jobs.append(_of_table(path, columns_of(name=path, raw=raw)))
            elif (document := _document(raw)) is not None:
                profiles[path] = document
            else:
                collectives[path] = read_inspector(name=path, lines=raw.decode().splitlines())
        except (BadTrace, UnicodeDecodeError) as error:
            raise UnusableInput(_with_name(path, error)) from error
    return (*jobs, *_of_profiles(profiles), *_of_collectives(collectives))


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


def _of_table(path: str, columns: Mapping[str, Sequence[Any]]) -> TracedJob:
    found = what_if(step_trace(columns))
    return TracedJob(name=path, found=found, verdict=verdict_on(found))


def _of_profiles(documents: Mapping[str, Any]) -> Iterator[TracedJob]:
    if documents:
        try:
            found = what_if(trace_of_chrome(documents))
        except BadTrace as error:
            raise UnusableInput(_with_name(next(iter(documents)), error)) from error
        yield TracedJob(name=_named(documents), found=found, verdict=verdict_on(found))


def _of_collectives(files: Mapping[str, tuple[CollectiveTiming, ...]]) -> Iterator[TracedJob]:
    if files:
        timings = [each for told in files.values() for each in told]
        found = _cost(timings)
        yield TracedJob(
            name=_named(files),
            found=found,
            verdict=verdict_on(found) if found else None,
            late=late_members(timings),
        )


def _cost(timings: Sequence[CollectiveTiming]) -> WhatIf | None:
    """Without begins and ends, or with too few of them, only who came last is known."""
    try:
        return what_if(trace_of_inspector(timings))
    except BadTrace:
        return None


def _named(paths: Iterable[str]) -> str:
    first, *others = paths
    return f"{first} + {len(others)}" if others else first
