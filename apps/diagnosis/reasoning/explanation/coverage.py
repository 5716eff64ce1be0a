"""Part of step 10: which sources were there, and who holds those that were not."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from apps.diagnosis.model import (
    Coverage,
    CoverageState,
    Missing,
    Reading,
    Stream,
    statement,
)

STREAM_SOURCES = {
    Stream.SESSION: "session-log",
    Stream.KERNEL: "kernel-log",
    Stream.SCHEDULER: "scheduler-log",
    Stream.STORAGE: "storage-log",
    Stream.FABRIC: "fabric-log",
    Stream.BMC: "bmc-log",
    Stream.ALERTS: "alerts",
}
HOLDERS = {
    "session-log": "tenant",
    "kernel-log": "operator",
    "scheduler-log": "platform",
    "storage-log": "storage_vendor",
    "fabric-log": "network_vendor",
    "bmc-log": "operator",
    "alerts": "operator",
    "metrics": "operator",
    "flight-recorder": "tenant",
}
GENERAL = {
    "kernel-log": statement("shows-host-error"),
    "session-log": statement("shows-first-stop"),
    "scheduler-log": statement("says-who-ended-it"),
    "fabric-log": statement("shows-port-errors"),
    "metrics": statement("shows-odd-member"),
    "flight-recorder": statement("shows-collectives"),
}
PER_HOST = frozenset({"session-log", "kernel-log"})
# Told of where it was there; nobody misses it.
WELCOME = frozenset({"alerts"})


def coverage(
    *,
    readings: Sequence[Reading],
    has_metrics: bool,
    hosts: frozenset[str],
    expected: Sequence[Coverage],
    aliases: Mapping[str, str],
) -> tuple[Coverage, ...]:
    """Return which sources were there; what the caller expected overrides what is seen."""
    said = {one.source: one for one in expected}
    present: dict[str, set[str]] = defaultdict(set)
    for reading in readings:
        for extent in reading.extents:
            stream = reading.origin.stream or extent.stream or Stream.SESSION
            host = extent.host or reading.origin.host or ""
            present[STREAM_SOURCES[stream]].add(aliases.get(host, host.split(".", 1)[0]))
    if has_metrics:
        present["metrics"] = set()
    return tuple(
        said.get(source) or _seen(source, present, hosts)
        for source in sorted({*said, *STREAM_SOURCES.values(), "metrics"} - WELCOME | {*present})
    )


def _seen(source: str, present: Mapping[str, set[str]], hosts: frozenset[str]) -> Coverage:
    if source not in present:
        missing = tuple(sorted(hosts)) if source in PER_HOST else ()
        return Coverage(
            source=source,
            state=CoverageState.ABSENT,
            hosts_expected=len(hosts) if source in PER_HOST else 0,
            missing_hosts=missing,
        )
    known = present[source] - {""}
    if source in PER_HOST and hosts:
        known &= hosts  # logs of bystanders are no coverage of the session
    is_whole = source not in PER_HOST or not known
    gap = () if is_whole else tuple(sorted(hosts - known))
    return Coverage(
        source=source,
        state=CoverageState.PRESENT,
        hosts_present=len(known),
        hosts_expected=0 if source not in PER_HOST else len(hosts | known),
        missing_hosts=gap,
    )


def unknown_missing(
    *, coverage: Sequence[Coverage], suspects: Sequence[str], hosts: frozenset[str]
) -> tuple[Missing, ...]:
    """Return what would settle a failure of which only its echoes are known, and who holds it."""
    state = {one.source: one for one in coverage}
    found: list[Missing] = []
    for source, would in GENERAL.items():
        seen = state.get(source)
        is_there = seen is not None and seen.state is CoverageState.PRESENT
        lacking = frozenset(seen.missing_hosts if seen else ())
        gap = tuple(host for host in (suspects or sorted(hosts)) if host in lacking)
        if not is_there or gap:
            wanted = gap or tuple(suspects) or tuple(sorted(hosts))
            found.append(Missing(source=source, hosts=wanted, held_by=HOLDERS[source], would=would))
    return tuple(found)
