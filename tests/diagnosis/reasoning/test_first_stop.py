"""Who stopped first: named missing, lowest sequence, own exit, silence, named peer."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.diagnosis.dumps.dump_lines import as_text
from apps.diagnosis.model import (
    Event,
    Extent,
    FirstStopBy,
    FirstStopper,
    LogLine,
    Origin,
    Placement,
    Reading,
    SessionFacts,
    Stream,
    Topology,
)
from apps.diagnosis.reasoning.timing.first_stop import first_stopper, named_hosts, told
from tests.diagnosis.dumps.dumping import as_json, call, dump
from tests.diagnosis.events import after, event, readings, watchdog


def _first(
    events: list[Event], *, last_heard: Mapping[int, datetime] | None = None, **given: object
) -> FirstStopper | None:
    known: dict[str, object] = {
        "events": events,
        "readings": readings(events),
        "topology": Topology(),
        "facts": SessionFacts(world_size=16),
        **given,
    }
    first = first_stopper(last_heard=last_heard or {}, **known)  # type: ignore[arg-type]  # as given
    return told(first=first, **known)  # type: ignore[arg-type]  # as given


def _of_job(line: LogLine) -> LogLine:
    return replace(line, origin=Origin(source="slurm-1.out"))


def _status(rank: int, last: int) -> Event:
    fields = {"pg_id": "0", "last_enqueued": str(last)}
    return event("pg-failure-detected", at=after(600), rank=rank, number=rank + 1, fields=fields)


def test_the_rank_behind_the_others_stopped_first() -> None:
    waited = [_status(rank, 500 if rank != 9 else 499) for rank in range(16)]
    assert _first(waited) == FirstStopper(ranks=(9,), by=FirstStopBy.SEQUENCE)


def test_ranks_that_a_report_names_missing_win_over_sequences() -> None:
    waited = [_status(rank, 500 + (rank == 2)) for rank in range(16)]
    report = event("pg-desync-missing", at=after(601), fields={"ranks": "3, 17"})
    assert _first([*waited, report]) == FirstStopper(ranks=(3, 17), by=FirstStopBy.FLIGHT_RECORDER)


def test_an_exit_of_its_own_ranks_before_aborts_and_terminations() -> None:
    facts = SessionFacts(exit_codes={0: -6, 1: -15, 2: -9, 3: -6}, world_size=4)
    assert _first([], facts=facts) == FirstStopper(ranks=(2,), by=FirstStopBy.EXIT_CODE)


def test_the_rank_missing_from_the_fan_out_stopped_first() -> None:
    waited = [watchdog(rank, at=after(600), host="n1") for rank in range(16) if rank != 4]
    assert _first(waited) == FirstStopper(ranks=(4,), by=FirstStopBy.SILENCE)


def test_ranks_of_a_node_whose_log_nobody_gave_are_not_called_silent() -> None:
    waited = [watchdog(rank, at=after(600), host="n1") for rank in range(8)]
    assert _first(waited) is None


def test_ranks_before_those_of_the_only_log_are_not_called_silent() -> None:
    waited = [watchdog(rank, at=after(600), host="n2") for rank in range(8, 16)]
    assert _first(waited, facts=SessionFacts()) is None


def test_the_last_rank_of_a_node_is_silent_where_the_others_of_it_spoke() -> None:
    waited = [watchdog(rank, at=after(600), host=f"n{rank // 8}") for rank in range(15)]
    assert _first(waited) == FirstStopper(ranks=(15,), by=FirstStopBy.SILENCE)


def test_a_node_without_a_word_in_the_one_log_of_all_was_silent() -> None:
    waited = [watchdog(rank, at=after(600), host=f"n{rank // 4}") for rank in range(12)]
    (reading,) = readings([replace(one, line=_of_job(one.line)) for one in waited])
    assert _first(list(reading.events), readings=[reading]) == FirstStopper(
        ranks=(12, 13, 14, 15), by=FirstStopBy.SILENCE
    )


def test_a_seated_rank_is_silent_where_its_host_has_a_log_of_the_session() -> None:
    waited = [watchdog(rank, at=after(600), host=f"n{rank}") for rank in range(4)]
    logs = [
        Reading(origin=Origin(source=name, host=name, stream=stream), extents=(Extent(),))
        for name, stream in (("n4", Stream.SESSION), ("n5", Stream.KERNEL))
    ]
    seats = tuple(Placement(rank=rank, host=f"n{rank}") for rank in range(6))
    first = _first(
        waited,
        readings=[*readings(waited), *logs],
        topology=Topology(placements=seats),
        facts=SessionFacts(),
    )
    assert first == FirstStopper(ranks=(4,), by=FirstStopBy.SILENCE)


def test_a_rank_whose_log_ended_minutes_before_the_others_stopped_first() -> None:
    heard = {rank: after(600 if rank != 6 else 100) for rank in range(16)}
    extents = tuple(Extent(rank=rank, last_at=at) for rank, at in heard.items())
    log = Reading(origin=Origin(source="slurm-1.out"), extents=extents)
    assert _first([], readings=[log], last_heard=heard) == FirstStopper(
        ranks=(6,), by=FirstStopBy.SILENCE
    )


def test_a_named_peer_is_followed_to_its_host() -> None:
    waited = [event("nccl-socket-closed", at=after(2), rank=0, fields={"peer": "10.0.0.2"})]
    topology = Topology(aliases={"10.0.0.2": "n2"}, placements=(Placement(rank=8, host="n2"),))
    assert _first(waited, topology=topology) == FirstStopper(ranks=(8,), by=FirstStopBy.NAMED_PEER)


def test_a_host_that_names_itself_is_not_accused() -> None:
    waited = [event("nccl-socket-closed", host="n2", fields={"peer": "n2.cluster.local"})]
    assert not named_hosts(events=waited, addresses={})


def test_when_everybody_waits_nobody_is_named() -> None:
    assert _first([watchdog(rank, at=after(600), host="n1") for rank in range(16)]) is None


def test_of_the_ranks_in_a_desync_report_those_that_came_least_far_stopped_first() -> None:
    joined = event("pg-desync-lagging", number=1, fields={"ranks": "1, 2, 5", "seq": "74"})
    behind = event(
        "pg-desync-lagging", number=2, fields={"ranks": "6", "seq2": "73", "next_seq": "74"}
    )
    assert _first([joined, behind]) == FirstStopper(ranks=(6,), by=FirstStopBy.FLIGHT_RECORDER)


def test_the_dumps_of_all_ranks_win_over_what_reports_say() -> None:
    dumps = [
        _dumped(rank, dump(rank, call("0", 41, order=1)) if rank != 2 else dump(2))
        for rank in range(4)
    ]
    report = event("pg-desync-missing", at=after(601), fields={"ranks": "3"})
    facts = SessionFacts(world_size=4)
    assert _first([*dumps, report], facts=facts) == FirstStopper(
        ranks=(2,), by=FirstStopBy.FLIGHT_RECORDER
    )


def _dumped(rank: int, value: dict[str, Any]) -> Event:
    text = as_text(data=as_json(value), name=f"rank{rank}") or ""
    return event("flight-recorder-unfinished", rank=rank, text=text)


def _waiting(rank: int, seq: int, last: int) -> Event:
    fields = {"pg_id": "0", "seq": str(seq), "last_enqueued": str(last)}
    return event("pg-failure-detected", at=after(600), rank=rank, number=rank + 1, fields=fields)


def test_who_asked_for_more_work_by_chance_is_not_ahead_of_the_others() -> None:
    waited = [_waiting(rank, 500, 500 + (rank > 2)) for rank in range(1, 16)]
    assert _first(waited) != FirstStopper(ranks=(1, 2), by=FirstStopBy.SEQUENCE)


def test_the_rank_that_waits_in_an_earlier_collective_stopped_first() -> None:
    waited = [_waiting(rank, 500 - (rank == 9), 501) for rank in range(16)]
    assert _first(waited) == FirstStopper(ranks=(9,), by=FirstStopBy.SEQUENCE)
