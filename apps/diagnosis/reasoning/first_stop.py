"""Step 6: which ranks stopped first, and when the session began to fail."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.dumps.flight_lines import records_of
from apps.diagnosis.dumps.nccl_lines import reports_of
from apps.diagnosis.dumps.ras import RasReport
from apps.diagnosis.dumps.standstill import standstill
from apps.diagnosis.model import (
    Event,
    Extent,
    FirstStopBy,
    FirstStopper,
    Observation,
    Reading,
    Role,
    SessionFacts,
    Stream,
    Topology,
)

WATCHDOG = frozenset({"pg-watchdog-timeout"})
STATUS = frozenset({"pg-failure-detected", "pg-exception-detected-v24", "pg-timeout-at-work-v24"})
MISSING = frozenset({"pg-desync-missing", "pg-desync-lagging"})
UNANSWERED = frozenset({"nccl-ras-missing-process", "nccl-ras-missing-rank"})
DUMPS = frozenset({"flight-recorder-unfinished", "flight-recorder-idle"})
NAMES_PEER = frozenset(
    {
        "nccl-socket-closed",
        "nccl-socket-io-failed",
        "nccl-ib-wc-error",
        "nccl-ib-wc-error-v220",
        "nccl-ib-wc-error-old",
        "nccl-ras-peer-dead",
        "nccl-socket-connect-exhausted",
        "pg-nccl-last-error-peer",
    }
)
# More ranks than this are not a culprit but a crowd.
MOST_STOPPERS_SHARE = 0.5
# A stop is told again and again until the launchers gave up; a longer pause is another story.
BURST_GAP = timedelta(minutes=35)
SILENT_BEFORE = timedelta(seconds=60)


def failed_at(*, observations: Sequence[Observation], facts: SessionFacts) -> datetime | None:
    """Return when the session began to fail: a watchdog's print time minus what it waited, or the
    first sign.
    """
    signs = sorted(
        (one.at, began)
        for one in observations
        if one.role is Role.CASCADE
        and _is_told_by_session(one)
        and one.at
        and (began := _began(one))
    )
    if not signs:
        own = [one.at for one in observations if one.at and _is_own_end(one)]
        end = max(own, default=facts.ended_at)
        return end - _waited(observations) if end else None
    printed_at, start = signs[-1]
    for at, began in reversed(signs):
        if printed_at - at > BURST_GAP:
            break
        printed_at, start = at, min(start, began)
    # Watchdogs without a time printed with the others, or before.
    return min(start, printed_at - undated_wait(observations=observations))


def undated_wait(*, observations: Sequence[Observation]) -> timedelta:
    """Return the longest wait that the session told of without saying when."""
    return _waited([one for one in observations if one.at is None and _is_told_by_session(one)])


def first_stopper(
    *,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
    facts: SessionFacts,
    last_heard: Mapping[int, datetime],
) -> FirstStopper | None:
    """Return the ranks that stopped first by the strongest kind of evidence there is."""
    world = _world(events, readings, topology, facts)
    for ranks, by in (
        (_by_dumps(events), FirstStopBy.FLIGHT_RECORDER),
        (_named_missing(events), FirstStopBy.FLIGHT_RECORDER),
        (_unanswered(events), FirstStopBy.SILENCE),
        (_lagging(events), FirstStopBy.SEQUENCE),
        (_lowest_sequence(events), FirstStopBy.SEQUENCE),
        (_by_exit(events, facts), FirstStopBy.EXIT_CODE),
        (_absent_from_watchdogs(events, world), FirstStopBy.SILENCE),
        (_silent(last_heard), FirstStopBy.SILENCE),
        (_named_peer(events, topology), FirstStopBy.NAMED_PEER),
    ):
        if ranks and (len(world) < 2 or len(ranks) <= max(8, len(world) * MOST_STOPPERS_SHARE)):
            return FirstStopper(ranks=tuple(sorted(ranks)), by=by)
    return None


def named_hosts(*, events: Sequence[Event], addresses: Mapping[str, str]) -> Counter[str]:
    """Count how many different hosts or ranks name each host as the peer that went away."""
    naming: dict[str, set[str]] = defaultdict(set)
    for event in events:
        peer = _peer(event)
        if not peer:
            continue
        name = addresses.get(peer) or addresses.get(peer.split(".", 1)[0]) or peer.split(".", 1)[0]
        if not name.isdigit():
            speaker = event.line.host or event.line.origin.host or str(event.line.rank)
            naming[name].add(speaker)
    return Counter({name: len(by - {name}) for name, by in naming.items() if by - {name}})


def _peer(event: Event) -> str | None:
    """Return whom a line names as gone, by name or address."""
    if event.signature in NAMES_PEER:
        return event.fields.get("peer")
    is_unanswered = event.fields.get("section", "INCOMPLETE") == "INCOMPLETE"
    return event.fields.get("host") if event.signature in UNANSWERED and is_unanswered else None


def hosts_of(
    *, ranks: Sequence[int], readings: Sequence[Reading], topology: Topology
) -> tuple[str, ...]:
    """Return the hosts on which ranks ran, by topology or by who spoke for them."""
    placed = {one.rank: one.host for one in topology.placements}
    for extent, origin_host, origin_rank in _voices(readings):
        rank = extent.rank if extent.rank is not None else origin_rank
        host = extent.host or origin_host
        if rank is not None and host and rank not in placed:
            placed[rank] = topology.aliases.get(host, host.split(".", 1)[0])
    return tuple(sorted({placed[rank] for rank in ranks if rank in placed}))


def _voices(readings: Sequence[Reading]) -> list[tuple[Extent, str | None, int | None]]:
    return [
        (extent, reading.origin.host, reading.origin.rank)
        for reading in readings
        for extent in reading.extents
        if (reading.origin.stream or extent.stream) in {Stream.SESSION, None}
    ]


def _began(one: Observation) -> datetime | None:
    """Subtract what a watchdog waited; the longest wait is nearest to the beginning."""
    if one.at is None:
        return None
    return one.at - _waited([one])


def _waited(observations: Sequence[Observation]) -> timedelta:
    durations = (e.fields.get("duration_ms", "") for one in observations for e in one.events)
    waited = [int(duration) for duration in durations if duration.isdigit()]
    return timedelta(milliseconds=max(waited, default=0))


def _is_told_by_session(one: Observation) -> bool:
    """Leave out the kernel's aftermath: it also follows faults of other sessions."""
    return any(
        (e.line.origin.stream or e.line.stream) in {Stream.SESSION, None} for e in one.events
    )


def _is_own_end(one: Observation) -> bool:
    is_ours = any((e.line.origin.stream or e.line.stream) is Stream.SESSION for e in one.events)
    return is_ours and one.role in {Role.INITIATING, Role.CONFIRMATION}


def _world(
    events: Sequence[Event], readings: Sequence[Reading], topology: Topology, facts: SessionFacts
) -> set[int]:
    size = facts.world_size or max(
        (int(e.fields["world_size"]) for e in events if e.fields.get("world_size", "").isdigit()),
        default=0,
    )
    if size:
        return set(range(size))
    if topology.placements:
        return {one.rank for one in topology.placements}
    spoke = {
        extent.rank if extent.rank is not None else rank for extent, _, rank in _voices(readings)
    }
    heard = {rank for rank in (*spoke, *map(_rank, events)) if rank is not None}
    return set(range(max(heard) + 1)) if heard else set()


def _rank(event: Event) -> int | None:
    """Return the global rank only: the rank inside a process group blames the wrong host."""
    if event.line.rank is not None:
        return event.line.rank
    if event.line.origin.rank is not None:
        return event.line.origin.rank
    return None


def _by_dumps(events: Sequence[Event]) -> set[int]:
    """Return the ranks that the dumps of all ranks show missing, silent or at odds."""
    texts = [event.line.text for event in events if event.signature in DUMPS]
    return set(standstill(records=records_of(texts=texts)).stopped) if texts else set()


def _named_missing(events: Sequence[Event]) -> set[int]:
    """Return the ranks that a desync report calls lagging: those that came least far."""
    reached: dict[tuple[int, int], set[int]] = defaultdict(set)
    for event in events:
        if event.signature in MISSING:
            said = (one.strip() for one in event.fields.get("ranks", "").split(","))
            reached[_reached(event)] |= {int(one) for one in said if one.isdigit()}
    return reached[min(reached)] if reached else set()


def _reached(event: Event) -> tuple[int, int]:
    """Return the last collective that lagging ranks joined, and whether they finished it."""
    finished, joined = event.fields.get("seq2", ""), event.fields.get("seq", "")
    if finished.isdigit():
        return (int(finished), 0)
    return (int(joined), 1) if joined.isdigit() else (-1, 0)


def _unanswered(events: Sequence[Event]) -> set[int]:
    """Return the ranks that gave NCCL's health service no answer."""
    return {one.rank for report in _reports(events) for one in report.absent}


def _lagging(events: Sequence[Event]) -> set[int]:
    """Return the ranks that launched fewer operations than most."""
    return {one.rank for report in _reports(events) for one in report.behind}


def _reports(events: Sequence[Event]) -> list[RasReport]:
    """Return the reports whose ranks are those of the session."""
    texts = [event.line.text for event in events if event.signature == "nccl-ras-report"]
    return [one for one in reports_of(texts=texts) if one.is_session]


def _lowest_sequence(events: Sequence[Event]) -> set[int]:
    """Return the ranks behind the others in the same process group."""
    reached: dict[str, dict[int, int]] = defaultdict(dict)
    for event in events:
        rank, last = _rank(event), event.fields.get("last_enqueued", "")
        if event.signature in STATUS and rank is not None and last.lstrip("-").isdigit():
            reached[event.fields.get("pg_id", "")][rank] = int(last)
    # The group with most members spans the session; others are slices of it.
    group = max(reached.values(), key=len, default={})
    if len(group) < 2:
        return set()
    lowest = min(group.values())
    behind = {rank for rank, last in group.items() if last == lowest}
    return behind if len(behind) < len(group) / 2 else set()


def _by_exit(events: Sequence[Event], facts: SessionFacts) -> set[int]:
    """Rank exit codes: killed or own error before an abort, an abort before a SIGTERM."""
    codes: dict[int, int] = dict(facts.exit_codes)
    for event in events:
        code, rank = event.fields.get("exitcode", ""), event.fields.get("rank", "")
        if event.signature.startswith("torchrun") and rank.isdigit() and code.lstrip("-").isdigit():
            codes[int(rank)] = int(code)
    failed = {rank: code for rank, code in codes.items() if code not in {0, -15, 143}}
    own = {rank for rank, code in failed.items() if code not in {-6, 134}}
    return own if own and len(own) < max(2, len(codes)) else set()


def _absent_from_watchdogs(events: Sequence[Event], world: set[int]) -> set[int]:
    waited = {rank for e in events if e.signature in WATCHDOG and (rank := _rank(e)) is not None}
    if len(waited) < 2 or len(waited) < len(world) / 2:
        return set()
    return world - waited


def _silent(last_heard: Mapping[int, datetime]) -> set[int]:
    if len(last_heard) < 3:
        return set()
    ordered = sorted(last_heard.values())
    usual = ordered[len(ordered) // 2]
    return {rank for rank, at in last_heard.items() if usual - at > SILENT_BEFORE}


def _named_peer(events: Sequence[Event], topology: Topology) -> set[int]:
    named = named_hosts(events=events, addresses=topology.aliases)
    if not named:
        return set()
    (host, _), *_ = named.most_common(1)
    return {one.rank for one in topology.placements if one.host == host}
