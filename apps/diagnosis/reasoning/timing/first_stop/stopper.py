"""Which ranks stopped first, by the strongest kind of evidence there is."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime, timedelta

from apps.diagnosis import exits
from apps.diagnosis.dumps.flight.flight_lines import records_of
from apps.diagnosis.dumps.nccl.nccl_lines import reports_of
from apps.diagnosis.dumps.nccl.ras import RasReport
from apps.diagnosis.dumps.standstill import standstill
from apps.diagnosis.input_values import MOST_CALLS, rank_number, signed_number, whole_number
from apps.diagnosis.model import (
    Event,
    FirstStopBy,
    FirstStopper,
    Mark,
    Reading,
    SessionFacts,
    Topology,
)
from apps.diagnosis.observed import Instant, rank_of
from apps.diagnosis.reasoning.timing.first_stop.faulted_processes import struck_ranks
from apps.diagnosis.reasoning.timing.first_stop.peers import by_named_peer
from apps.diagnosis.reasoning.timing.first_stop.rank_logs import read_ranks, world_of
from apps.diagnosis.signatures.marks import marked

WATCHDOG = marked(Mark.COLLECTIVE_TIMEOUT)
STATUS = marked(Mark.LAST_COLLECTIVE)
MISSING = marked(Mark.LAGGING)
DUMPS = marked(Mark.FLIGHT_RECORDER)
BARRIER = marked(Mark.BARRIER_MISSING)
COORDINATOR = marked(Mark.COORDINATOR_SILENT)
REPORTS = marked(Mark.RAS_ANSWERS)
# More ranks than this are not a culprit but a crowd.
MOST_STOPPERS_SHARE = 0.5
COORDINATING = 0  # the process in which a coordinator runs
SILENT_BEFORE = timedelta(seconds=60)


def first_stopper(
    *,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
    facts: SessionFacts,
    last_heard: Mapping[int, datetime],
    instant: Instant | None = None,
) -> FirstStopper | None:
    """Return the ranks that stopped first by the strongest kind of evidence there is."""
    world = world_of(events=events, readings=readings, topology=topology, facts=facts)
    for ranks, by in (
        (_by_dumps(events), FirstStopBy.FLIGHT_RECORDER),
        (_named_missing(events), FirstStopBy.FLIGHT_RECORDER),
        (_unanswered(events), FirstStopBy.SILENCE),
        (_lagging(events), FirstStopBy.SEQUENCE),
        (_lowest_sequence(events), FirstStopBy.SEQUENCE),
        (_missed_at_barrier(events), FirstStopBy.NAMED_PEER),
        (
            struck_ranks(events=events, instant=instant, aliases=topology.aliases),
            FirstStopBy.PROCESS,
        ),
        (exits.first_out(events=events, facts=facts, instant=instant), FirstStopBy.EXIT_CODE),
        (
            exits.raised_alone(events=events, facts=facts) if len(world) > 1 else set(),
            FirstStopBy.EXIT_CODE,
        ),
        (_absent_from_watchdogs(events, world), FirstStopBy.SILENCE),
        (_silent(last_heard), FirstStopBy.SILENCE),
        (by_named_peer(events=events, topology=topology), FirstStopBy.NAMED_PEER),
    ):
        if ranks and (len(world) < 2 or len(ranks) <= max(8, len(world) * MOST_STOPPERS_SHARE)):
            return FirstStopper(ranks=tuple(sorted(ranks)), by=by)
    return None


def told(
    *,
    first: FirstStopper | None,
    events: Sequence[Event],
    readings: Sequence[Reading],
    topology: Topology,
    facts: SessionFacts,
    alike: Set[str] = frozenset(),
) -> FirstStopper | None:
    """Return who stopped first as far as it may be said: whose log nobody gave was not silent, and
    of what most ranks tell `alike` nobody was first.

    That others waited for such a rank makes it a suspect all the same.
    """
    if first is not None and first.by is FirstStopBy.EXIT_CODE:
        own = [event for event in events if rank_of(event) in first.ranks]
        return None if exits.is_of_all(events=own, alike=alike) else first
    if first is None or first.by is not FirstStopBy.SILENCE or _unanswered(events):
        return first
    world = world_of(events=events, readings=readings, topology=topology, facts=facts)
    read = read_ranks(events=events, readings=readings, topology=topology, world=world)
    ranks = tuple(one for one in first.ranks if one in read)
    return replace(first, ranks=ranks) if ranks else None


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
            ranks = {rank_number(one) for one in said}
            reached[_reached(event)] |= {one for one in ranks if one is not None}
    return reached[min(reached)] if reached else set()


def _reached(event: Event) -> tuple[int, int]:
    """Return the last collective that lagging ranks joined, and whether they finished it."""
    finished = whole_number(event.fields.get("seq2"), most=MOST_CALLS)
    joined = whole_number(event.fields.get("seq"), most=MOST_CALLS)
    if finished is not None:
        return (finished, 0)
    return (joined, 1) if joined is not None else (-1, 0)


def _unanswered(events: Sequence[Event]) -> set[int]:
    """Return the ranks that gave NCCL's health service no answer."""
    return {one.rank for report in _reports(events) for one in report.absent}


def _lagging(events: Sequence[Event]) -> set[int]:
    """Return the ranks that launched fewer operations than most."""
    return {one.rank for report in _reports(events) for one in report.behind}


def _reports(events: Sequence[Event]) -> list[RasReport]:
    """Return the reports whose ranks are those of the session."""
    texts = [event.line.text for event in events if event.signature in REPORTS]
    return [one for one in reports_of(texts=texts) if one.is_session]


def _lowest_sequence(events: Sequence[Event]) -> set[int]:
    """Return the ranks behind the others in the same process group: that wait in an earlier
    collective, or never came to the one that the others wait in. How many more a rank had asked
    for by then is luck.
    """
    reached: dict[str, dict[int, int]] = defaultdict(dict)
    for event in events:
        rank = rank_of(event)
        last = signed_number(event.fields.get("last_enqueued"), most=MOST_CALLS)
        if event.signature in STATUS and rank is not None and last is not None:
            waits_in = signed_number(event.fields.get("seq"), most=MOST_CALLS)
            place = last if waits_in is None else min(waits_in, last)
            reached[event.fields.get("pg_id", "")][rank] = place
    # The group with most members spans the session; others are slices of it.
    group = max(reached.values(), key=len, default={})
    if len(group) < 2:
        return set()
    lowest = min(group.values())
    behind = {rank for rank, last in group.items() if last == lowest}
    return behind if len(behind) < len(group) / 2 else set()


def _missed_at_barrier(events: Sequence[Event]) -> set[int]:
    """Return the ranks that others waited for at a monitored barrier, or no longer heard of: that
    of the coordinator where it is the only one.
    """
    named = (e.fields.get("ranks", "").split(",") for e in events if e.signature in BARRIER)
    numbers = (rank_number(one.strip()) for said in named for one in said)
    ranks = {one for one in numbers if one is not None}
    if not ranks and any(e.signature in COORDINATOR for e in events):
        return {COORDINATING}
    return ranks


def _absent_from_watchdogs(events: Sequence[Event], world: set[int]) -> set[int]:
    waited = {rank for e in events if e.signature in WATCHDOG and (rank := rank_of(e)) is not None}
    if len(waited) < 2 or len(waited) < len(world) / 2:
        return set()
    return world - waited


def _silent(last_heard: Mapping[int, datetime]) -> set[int]:
    if len(last_heard) < 3:
        return set()
    ordered = sorted(last_heard.values())
    usual = ordered[len(ordered) // 2]
    return {rank for rank, at in last_heard.items() if usual - at > SILENT_BEFORE}
