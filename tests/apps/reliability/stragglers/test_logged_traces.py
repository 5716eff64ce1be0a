"""Collectives of the NCCL Inspector in logs: kept in bounded room, worked out as a step trace."""

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from apps.fleet.facade.sessions import attempts_of, open_session
from apps.fleet.models import Session
from apps.reliability.facade.stragglers import straggler_findings
from apps.reliability.stragglers.logged_traces import due_sessions, work_out
from apps.reliability.stragglers.values import FindingView
from apps.reliability.tasks import read_collectives_of
from apps.telemetry.models import CollectiveTail, StragglerFinding
from apps.telemetry.step_traces import collective_tails
from apps.telemetry.step_traces.collective_tails import collectives_in, latest, packed, unpacked
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import trace_files
from tests.cast.pushes import Cast, cast, drain_all, push_loki

pytestmark = pytest.mark.django_db
SECOND = 1_000_000_000
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
LABELS = {"stream": "session", "session": "solar-7b", "host": "gpu001", "attempt": "1"}
LATE = 3


def _lines(**told: int) -> list[tuple[int, str]]:
    """Return what a job of eight ranks prints, between lines of its own."""
    text = trace_files.inspector_lines(late=LATE, **told).decode().splitlines()
    begin = int(START.timestamp()) * SECOND
    mixed = [line for each in text for line in (each, "step: 1 loss: 2.1")]
    return [(begin + number * SECOND // 100, line) for number, line in enumerate(mixed)]


def _pushed(people: Cast, parts: list[list[tuple[int, str]]]) -> None:
    for part in parts:
        assert push_loki(people.tokens[people.tenant.pk], part, LABELS).status_code == 204
    drain_all(people.tenant, people.operator)


def _findings(people: Cast, reader: Organization) -> tuple[FindingView, ...]:
    later = datetime.now(UTC) + timedelta(days=300)  # noqa: TID251  what came is stamped by the clock
    for due in due_sessions(organization_id=reader.pk, now=later):
        work_out(organization_id=reader.pk, session_id=due, now=later)
    with organization_scope(people.tenant.pk):
        public_id = Session.objects.get().public_id
    actor = Actor(organization=reader, rights=frozenset({Right.READ}))
    with organization_scope(people.tenant.pk):
        owner = Actor(organization=people.tenant, rights=frozenset({Right.READ}))
        session = open_session(actor=owner, public_id=public_id)
        attempts = attempts_of(actor=owner, sessions=[session])[session.id]
    with organization_scope(reader.pk):
        return straggler_findings(actor=actor, session=session, attempts=attempts)


def test_logs_name_the_rank_for_which_the_others_wait() -> None:
    people = cast()
    _pushed(people, [_lines()])
    (found,) = _findings(people, people.tenant)
    assert (found.form, found.added_by, found.attempt) == ("inspector", "logs", 1)
    first = found.late_members[0]
    assert (first["rank"], first["host"], first["is_late"]) == (LATE, "gpu001", True)


def test_nobody_else_reads_what_the_logs_of_an_organization_tell() -> None:
    people = cast()
    _pushed(people, [_lines()])
    assert len(_findings(people, people.tenant)) == 1
    assert _findings(people, people.operator) == ()
    with organization_scope(people.operator.pk):
        assert not CollectiveTail.objects.exists()
        assert not StragglerFinding.objects.exists()


@pytest.mark.parametrize("seed", range(2))
def test_in_any_order_and_doubled_they_say_the_same(seed: int) -> None:
    people, chance = cast(), random.Random(seed)  # noqa: S311  an order, no secret
    lines = _lines(collectives=12)
    parts = [lines[at : at + 40] for at in range(0, len(lines), 40)]
    parts += parts[::3]
    chance.shuffle(parts)
    _pushed(people, parts)
    (found,) = _findings(people, people.tenant)
    with organization_scope(people.tenant.pk):
        (row,) = CollectiveTail.objects.all()
    whole = latest(collectives_in("\n".join(text for _, text in lines).encode()))
    assert unpacked(row.body) == whole
    assert found.late_members[0]["collectives"] == 12


def test_what_comes_later_takes_the_place_of_what_was_worked_out() -> None:
    people = cast()
    lines = _lines(collectives=20)
    _pushed(people, [lines[: len(lines) // 2]])
    (first,) = _findings(people, people.tenant)
    _pushed(people, [lines[len(lines) // 2 :]])
    (second,) = _findings(people, people.tenant)
    assert first.public_id == second.public_id
    assert second.late_members[0]["collectives"] == 20
    assert _findings(people, people.tenant) == (second,)
    assert due_sessions(organization_id=people.tenant.pk, now=START + timedelta(days=600)) == []


def test_the_task_works_out_what_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    _pushed(people, [_lines()])
    with organization_scope(people.tenant.pk):
        CollectiveTail.objects.update(due_at=START)
    read_collectives_of(organization_id=people.tenant.pk)
    with organization_scope(people.tenant.pk):
        assert StragglerFinding.objects.count() == 1
        assert not CollectiveTail.objects.exclude(due_at=None).exists()


def test_what_differs_in_its_end_alone_stays_in_one_order() -> None:
    line = trace_files.inspector_lines(late=LATE).splitlines()[0]
    (told,) = collectives_in(line)
    ends = [replace(told, ended_seconds=each) for each in (None, *map(float, range(16)))]
    mixed = random.Random(3).sample(ends, len(ends))  # noqa: S311  no secret
    assert latest(mixed) == tuple(ends)


def test_of_each_rank_the_latest_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collective_tails, "PER_RANK", 5)
    monkeypatch.setattr(collective_tails, "MOST_RANKS", 3)
    told = list(collectives_in(trace_files.inspector_lines(late=LATE)))
    kept = latest(told)
    assert {each.rank for each in kept} == {0, 1, 2}
    assert {each.sequence for each in kept} == set(range(35, 40))
    assert latest([*latest(told[:100]), *latest(told[50:])]) == kept
    assert unpacked(packed(kept)) == kept


@pytest.mark.parametrize(
    "line",
    [
        '{"coll_perf"',
        '{"header": {"id": "a"}, "coll_perf": []}',
        'x "coll_perf" y',
        "[" * 10_000 + '"coll_perf"',
        '{"coll_perf": "' + "x" * 20_000 + '"}',
    ],
)
def test_what_is_no_line_of_the_inspector_says_nothing(line: str) -> None:
    good = trace_files.inspector_lines(late=0, ranks=2, collectives=1)
    assert list(collectives_in(line.encode())) == []
    assert len(list(collectives_in(line.encode() + b"\n" + good))) == 2


def test_numbers_and_names_that_nothing_prints_are_left_out() -> None:
    good = trace_files.inspector_lines(late=0, ranks=2, collectives=1).decode()
    huge = good.replace('"coll_sn": 0', '"coll_sn": ' + "9" * 40)
    named = good.replace("gpu001", "gpu\\u0000")
    assert list(collectives_in(huge.encode())) == []
    assert list(collectives_in(named.encode())) == []
    wrapped = good.replace('{"header', '2026-11-22T12:00:00Z gpu001 {"header')
    assert len(list(collectives_in(wrapped.encode()))) == 2


@pytest.mark.parametrize("digits", [25, 400, 4000])
@pytest.mark.parametrize("name", ["coll_exec_time_us", "rank", "kernel_start_ts"])
def test_a_number_beyond_any_other_ends_no_log(name: str, digits: int) -> None:
    good = trace_files.inspector_lines(late=0, ranks=2, collectives=1)
    told = json.loads(good.splitlines()[0])
    told["coll_perf"]["event_trace_ts"] = {
        "kernel_events": [{"kernel_start_ts": 1, "kernel_stop_ts": 2}]
    }
    assert len(list(collectives_in(json.dumps(told).encode()))) == 1
    place = {
        "rank": told["header"],
        "kernel_start_ts": told["coll_perf"]["event_trace_ts"]["kernel_events"][0],
    }.get(name, told["coll_perf"])
    place[name] = 10**digits
    assert len(list(collectives_in(json.dumps(told).encode() + b"\n" + good))) == 2


def test_names_of_letters_that_no_host_has_take_no_room() -> None:
    good = trace_files.inspector_lines(late=0, ranks=2, collectives=1).decode()
    for wrong in ("\U0001f600" * 60, "n" * 254):
        assert list(collectives_in(good.replace("gpu001", wrong).encode())) == []
