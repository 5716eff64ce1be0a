"""Batches become facts: each line once, whatever was sent how often, in which order, in parts."""

from collections.abc import Sequence

import pytest
from django.core.management import call_command
from django.db import connection

from apps.diagnosis.model import Origin
from apps.fleet.models import Attempt
from apps.telemetry.formats.pack import unpacked_chunk
from apps.telemetry.limits import intake_queue
from apps.telemetry.logs import accept
from apps.telemetry.logs.interpretation import drain, event_rows, interpret, stream_reading
from apps.telemetry.models import (
    Batch,
    Event,
    LogChunk,
    LogStream,
    Progress,
    TouchedWindow,
    VoiceExtent,
)
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.logs.log_lines import LINES, xid
from tests.cast.pushes import (
    NOW,
    Cast,
    cast,
    drain_all,
    push_json,
    push_loki,
    push_text,
)

SECOND = 1_000_000_000
START = 1_795_226_400 * SECOND


STAMPED = [(START + number * SECOND, line) for number, line in enumerate(LINES)]
LABELS = {"stream": "kernel", "host": "gpu001"}


def push(people: Cast, part: Sequence[tuple[int, str]]) -> None:
    """Push stamped lines as the operator."""
    answer = push_loki(people.token(people.operator), part, LABELS)
    assert answer.status_code == 204


def state(people: Cast) -> list[list[tuple[object, ...]]]:
    """Return every fact of the operator, without ids and arrival."""
    with organization_scope(people.operator.pk):
        return [
            list(Event.objects.order_by("order_key").values_list("fingerprint", "order_key", "at")),
            list(Progress.objects.values_list("host", "rank", "signature", "order_key")),
            list(VoiceExtent.objects.values_list("host", "rank", "line_count", "body")),
            list(LogStream.objects.values_list("line_count", "first_at", "last_at", "kind")),
        ]


def comparable(rows: list[list[tuple[object, ...]]]) -> list[list[str]]:
    """Return facts as text: binary columns come as views of memory."""
    return [
        [str([bytes(v).hex() if isinstance(v, memoryview) else v for v in row]) for row in table]
        for table in rows
    ]


@pytest.fixture
def in_one_go() -> list[list[str]]:
    """Return the facts of all lines pushed at once."""
    people = cast()
    push(people, STAMPED)
    drain_all(people.operator)
    return comparable(state(people))


@pytest.mark.django_db
@pytest.mark.parametrize("drains_between", [True, False])
@pytest.mark.parametrize(
    "parts",
    [
        [STAMPED[:10], STAMPED[10:20], STAMPED[20:]],
        [STAMPED[20:], STAMPED[:10], STAMPED[10:20]],
        [STAMPED[10:], STAMPED[:10], STAMPED[10:]],
        [STAMPED[5:25], STAMPED[:15], STAMPED[10:]],
        [STAMPED[::2], STAMPED[1::2]],
        [STAMPED[::-1]],
        [[line] for line in reversed(STAMPED)],
    ],
)
def test_stamped_parts_in_any_order_leave_the_same_facts(
    in_one_go: list[list[str]],
    parts: list[list[tuple[int, str]]],
    drains_between: bool,  # noqa: FBT001  a parameter of the test
) -> None:
    people = cast()
    for part in parts:
        push(people, part)
        drain_all(*[people.operator] * drains_between)
    drain_all(people.operator)
    # Fingerprints name the organization's stream, and the host is the same: equal as they are.
    assert [sorted(t) for t in comparable(state(people))[1:]] == [sorted(t) for t in in_one_go[1:]]
    assert len(comparable(state(people))[0]) == len(in_one_go[0]) == len(LINES)


@pytest.mark.django_db
def test_a_grown_file_adds_only_what_is_new() -> None:
    people = cast()
    for count in (10, 20, 30):
        text = "\n".join(LINES[:count])
        push_text(people.token(people.operator), text, **LABELS)
        drain_all(people.operator)
    with organization_scope(people.operator.pk):
        assert LogStream.objects.get().line_count == len(LINES)
        assert Event.objects.count() == len(LINES)


@pytest.mark.django_db
def test_a_line_that_a_file_has_twice_stays_twice_however_often_the_file_comes() -> None:
    people = cast()
    first, grown = "same\nsame\nother", "same\nsame\nother\nsame"
    for text in (first, grown, first, grown):
        push_text(people.token(people.operator), text, **LABELS)
        drain_all(people.operator)
    with organization_scope(people.operator.pk):
        assert LogStream.objects.get().line_count == 4


@pytest.mark.django_db
def test_the_same_body_again_is_all_duplicates() -> None:
    people = cast()
    answers = [
        push_text(people.token(people.operator), "\n".join(LINES), **LABELS).json()
        for _ in range(2)
    ]
    assert [(a["accepted"], a["duplicates"]) for a in answers] == [(30, 0), (0, 30)]
    assert answers[0]["batch"] == answers[1]["batch"]


@pytest.mark.django_db
def test_parts_of_a_file_that_come_late_are_put_where_their_times_belong() -> None:
    people = cast()
    for part in (LINES[20:], LINES[:10], LINES[10:20]):
        push_text(people.token(people.operator), "\n".join(part), **LABELS)
        drain_all(people.operator)
    with organization_scope(people.operator.pk):
        rows = Event.objects.order_by("order_key").values_list("order_key", "body__text")
        assert [number for number, _ in rows] == list(range(1, 31))
        assert [f"pid={number}," in text for number, (_, text) in enumerate(rows)] == [True] * 30


@pytest.mark.django_db
def test_interpreting_a_batch_twice_changes_nothing() -> None:
    people = cast()
    push(people, STAMPED)
    drain_all(people.operator)
    before = comparable(state(people))
    with organization_scope(people.operator.pk):
        ids = list(Batch.objects.values_list("id", flat=True))
        interpret.interpret_batches(organization_id=people.operator.pk, batch_ids=ids, now=NOW)
    assert comparable(state(people)) == before


@pytest.mark.django_db
def test_kernel_lines_touch_their_host_over_their_span() -> None:
    people = cast()
    push(people, STAMPED)
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        window = TouchedWindow.objects.get()
    assert (window.host, window.session, window.cluster) == ("gpu001", None, people.cluster)
    assert window.starts_at is not None
    assert window.ends_at is not None
    assert (window.ends_at - window.starts_at).total_seconds() == 29


@pytest.mark.django_db
def test_reading_again_leaves_the_same_facts() -> None:
    people = cast()
    push(people, STAMPED[10:])
    drain_all(people.operator)
    push(people, STAMPED[:10])
    drain_all(people.operator)
    before = comparable(state(people))
    call_command("reinterpret", "--organization", people.operator.slug, verbosity=0)
    assert comparable(state(people)) == before


@pytest.mark.django_db
def test_reading_again_mends_what_an_older_catalog_missed() -> None:
    people = cast()
    push(people, STAMPED)
    drain_all(people.operator)
    before = comparable(state(people))
    with organization_scope(people.operator.pk):
        Event.objects.filter(order_key__lt=10).delete()
    call_command("reinterpret", verbosity=0)
    assert comparable(state(people)) == before


@pytest.mark.django_db
def test_a_poisonous_batch_is_buried_after_three_tries_and_holds_up_nobody() -> None:
    people = cast()
    push(people, STAMPED[:10])
    push(people, STAMPED[10:])
    with organization_scope(people.operator.pk):
        first = Batch.objects.order_by("id").first()
        assert first is not None
        Batch.objects.filter(pk=first.pk).update(body=b"no zstd")
    drain.take_turn(organization_id=people.operator.pk, clock=lambda: 0.0, now=lambda: NOW)
    with organization_scope(people.operator.pk):
        first.refresh_from_db()
        assert (first.state, first.attempt_count) == ("dead", 3)
        assert "ZstdError" in first.error
        assert Event.objects.count() == 20


@pytest.mark.django_db
def test_batches_of_a_worker_that_died_are_taken_up_when_its_lease_ends() -> None:
    people = cast()
    push(people, STAMPED)
    with organization_scope(people.operator.pk):
        Batch.objects.update(claimed_until=NOW + intake_queue.LEASE.lasts, attempt_count=1)
    assert drain_all(people.operator) == 0
    later = NOW + intake_queue.LEASE.lasts * 2
    turn = drain.take_turn(organization_id=people.operator.pk, clock=lambda: 0.0, now=lambda: later)
    assert turn.amount == 30


@pytest.mark.django_db
def test_another_organization_sees_none_of_it() -> None:
    people = cast()
    push(people, STAMPED)
    drain_all(people.operator)
    for outsider in (people.tenant, people.platform):
        with organization_scope(outsider.pk):
            tables = (Batch, LogStream, LogChunk, Event, VoiceExtent, TouchedWindow)
            assert [table.objects.count() for table in tables] == [0] * len(tables)


@pytest.mark.django_db
def test_a_push_of_many_streams_takes_as_many_queries_as_a_push_of_one(
    django_assert_max_num_queries: object,
) -> None:
    people = cast()
    for number in range(40):
        labels = {"stream": "kernel", "host": f"gpu{number:03}"}
        push_loki(people.token(people.operator), [(START, xid(1, f"gpu{number:03}"))], labels)
    with django_assert_max_num_queries(60):  # type: ignore[operator]  # a fixture without a type
        drain_all(people.operator)
    assert connection.vendor == "postgresql"


@pytest.mark.django_db
def test_a_log_of_an_attempt_that_nobody_told_of_is_read_whoever_brings_it() -> None:
    people = cast()
    started = {"session": "run-1", "project": "solar", "attempt": 1, "state": "running"}
    push_json("/api/v1/session-events", people.token(people.platform), started)
    labels = {"session": "run-1", "attempt": "2", "stream": "scheduler"}
    push_loki(people.token(people.platform), STAMPED, labels)
    assert drain_all(people.platform) == len(STAMPED)
    with organization_scope(people.platform.pk):
        assert Attempt.objects.get(number=2).organization == people.tenant
        assert LogStream.objects.filter(attempt__number=2).exists()


@pytest.mark.django_db
def test_a_buried_body_that_is_sent_again_is_read_after_all() -> None:
    people = cast()
    push(people, STAMPED[:10])
    with organization_scope(people.operator.pk):
        Batch.objects.update(state="dead", attempt_count=3)
    push(people, STAMPED[:10])
    drain.take_turn(organization_id=people.operator.pk, clock=lambda: 0.0, now=lambda: NOW)
    with organization_scope(people.operator.pk):
        assert [batch.state for batch in Batch.objects.all()] == ["interpreted"]
        assert Event.objects.count() > 0


@pytest.mark.django_db
def test_a_flood_is_a_few_rows_that_count() -> None:
    people = cast()
    flood = [(START + number * 10_000_000, xid(0)[:19] + xid(0)[25:]) for number in range(1000)]
    push(people, flood)
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        rows = list(Event.objects.select_related("stream").order_by("order_key"))
        assert VoiceExtent.objects.get().line_count == 1000
    told = [event_rows.event_of(row=row, origin=Origin(source="stream")) for row in rows]
    assert len(told) < 30
    assert sum(one.count for one in told) > 900
    assert (told[0].line.number, told[-1].line.number) == (1, 1000)


@pytest.mark.django_db
def test_a_file_whose_times_go_back_is_read_once_in_its_own_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    monkeypatch.setattr(accept, "BATCH_BYTES", 1000)
    monkeypatch.setattr(drain, "GROUP_BYTES", 1000)
    monkeypatch.setattr(stream_reading, "read_again", lambda **said: pytest.fail("read again"))
    backwards = LINES[::-1]
    push_text(people.token(people.operator), "\n".join(backwards), **LABELS)
    drain_all(people.operator)
    with organization_scope(people.operator.pk):
        chunks = LogChunk.objects.order_by("first_key", "id")
        texts = [
            unpacked_chunk(body=bytes(each.body), line_count=each.line_count, is_stamped=False)[0]
            for each in chunks
        ]
        events = Event.objects.order_by("order_key").values_list("body__fields__pid", flat=True)
        assert len(texts) > 2
        assert b"\n".join(texts).decode().split("\n") == backwards
        assert list(events) == [str(number) for number in range(29, -1, -1)]
