"""A day of raw text goes whole, with what is cited kept; a wrong call loses nothing."""

import contextlib
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from threading import Event as Signal
from threading import Thread

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction

from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.lines.line_blocks import LinePiece
from apps.telemetry.logs import accept
from apps.telemetry.logs.interpretation import interpret
from apps.telemetry.logs.raw_lines import lines_around
from apps.telemetry.models import (
    Batch,
    BatchState,
    Deletion,
    Event,
    KeptLines,
    LogChunk,
    LogStream,
    ReleasedDay,
    Usage,
)
from apps.telemetry.retention import references as citing
from apps.telemetry.retention import usage
from apps.telemetry.retention.deletions import PurgeCount
from apps.telemetry.retention.purge import days
from apps.telemetry.retention.references import Citation
from apps.tenancy.access import Actor, Right
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import RAW, come_in, come_in_stamped, retire, xid
from tests.cast.pushes import Cast, cast

# Long ago: the database goes by its own clock.
AT = datetime(2026, 3, 2, 2, tzinfo=UTC)
DAY = AT.date()
LINES = [xid(number, AT) for number in range(60)]
KERNEL = {"stream": "kernel", "host": "gpu001"}


@pytest.fixture
def people(db: None) -> Cast:
    """Two parties with a kernel log and a session's log of one day, which has a part of its own."""
    made = cast()
    call("make", DAY)
    come_in(made.operator, made.cluster, LINES, at=AT, **KERNEL)
    come_in(made.tenant, made.cluster, LINES, at=AT, session="run", host="gpu001")
    settle()
    return made


@pytest.fixture
def cites() -> Iterator[list[str]]:
    """References that somebody cites while the test runs."""
    references: list[str] = []

    def citer(*, organization_id: int, after: Mapping[str, int]) -> list[Citation]:
        return [Citation(reference=each, margin=2) for each in references]

    citing.CITERS.append(citer)
    yield references
    citing.CITERS.remove(citer)


def call(verb: str, day: date | str | None) -> bool:
    """Call one of the two functions with the owner's rights."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT telemetry_{verb}_chunk_day(%s)", [day])  # our own names
        return bool(cursor.fetchone()[0])


def today() -> date:
    """Return the day as the database has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (now() AT TIME ZONE 'UTC')::date")
        found: date = cursor.fetchone()[0]
    return found


def settle() -> None:
    """Let foreign keys be checked now: a table with open checks is not dropped."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def drop(day: date = DAY, *, now: datetime = AT + RAW) -> bool:
    """Drop a day as the retention does."""
    return days.drop(day=day, now=now)


def chunk_count(*organizations: Organization) -> int:
    """Return how many chunks these organizations have together."""
    with organization_scope(*(each.pk for each in organizations)):
        return LogChunk.objects.count()


def release(organization: Organization, **changes: object) -> None:
    """Say that an organization's part of the day may go, as `days` does."""
    chunks = LogChunk.objects.for_organization(organization).filter(arrived_on=DAY)
    ids = sorted(chunks.values_list("id", flat=True))
    said = {"day": DAY, "days": 14, "row_count": len(ids), "newest_id": ids[-1], **changes}
    ReleasedDay.objects.create(organization=organization, **said)


def test_a_day_goes_at_once_and_is_recorded_for_each_organization(people: Cast) -> None:
    for each in (people.operator, people.tenant):
        with organization_scope(each.pk):
            usage.measure(organization_id=each.pk, now=AT)

    assert drop()

    assert chunk_count(people.operator, people.tenant) == 0
    assert DAY not in days.parts()
    for each in (people.operator, people.tenant):
        with organization_scope(each.pk):
            (told,) = Deletion.objects.all()
            assert (told.kind, told.days, told.row_count, told.oldest_at) == ("raw", 14, 1, AT)
            left = Usage.objects.get(table="telemetry_logchunk")
            assert (left.row_count, left.byte_count) == (0, 0)
            assert not ReleasedDay.objects.exists()


def test_what_is_cited_of_the_day_stays_readable(people: Cast, cites: list[str]) -> None:
    with organization_scope(people.operator.pk):
        stream = LogStream.objects.get().pk
    cites += [f"stream:{stream}/30", f"stream:{stream}/32"]

    assert drop()

    actor = Actor(organization=people.operator, rights=frozenset({Right.READ}))
    with organization_scope(people.operator.pk):
        found = lines_around(actor=actor, stream_id=stream, number=31, margin=5)
        assert KeptLines.objects.count() == 1
    assert [(each.number, each.text) for each in found] == [
        (number, LINES[number - 1]) for number in range(28, 35)
    ]


def test_chunks_of_later_days_that_overlap_go_on_with_their_numbers(
    people: Cast, cites: list[str]
) -> None:
    second = 1_000_000_000
    stamped = [(int(AT.timestamp() + n) * second, line) for n, line in enumerate(LINES)]
    later = AT + timedelta(days=5)
    labels = {**KERNEL, "host": "gpu002"}
    come_in_stamped(people.operator, people.cluster, stamped[:30:2], at=AT, **labels)
    come_in_stamped(people.operator, people.cluster, stamped[1:30:2], at=later, **labels)
    come_in_stamped(people.operator, people.cluster, stamped[29:], at=later, **labels)
    settle()
    with organization_scope(people.operator.pk):
        stream = LogStream.objects.get(host="gpu002").pk
    cites.append(f"stream:{stream}/10")

    assert drop()

    actor = Actor(organization=people.operator, rights=frozenset({Right.READ}))
    with organization_scope(people.operator.pk):
        kept = lines_around(actor=actor, stream_id=stream, number=10, margin=1)
        left = lines_around(actor=actor, stream_id=stream, number=50, margin=1)
    assert [line.text for line in kept if line.number == 10] == [LINES[9]]
    assert [line.text for line in left] == LINES[48:51]


def test_the_run_makes_days_ahead_and_drops_those_past_their_time(people: Cast) -> None:
    now = AT + RAW

    retire(people.operator, now=now - timedelta(days=1))
    assert DAY in days.parts()
    retire(people.operator, now=now)

    made = {now.date() + timedelta(days=ahead) for ahead in range(days.AHEAD + 1)}
    assert made <= days.parts()
    assert DAY not in days.parts()


def test_days_are_made_ahead_also_where_nothing_can_go(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    def citer(*, organization_id: int, after: Mapping[str, int]) -> list[Citation]:
        raise DatabaseError("who cites can't answer")

    monkeypatch.setattr(citing, "CITERS", [citer])
    now = AT + timedelta(days=3)

    with pytest.raises(DatabaseError, match="can't answer"):
        retire(people.operator, now=now)

    assert now.date() in days.parts()


def test_after_a_week_without_days_the_next_have_theirs_and_the_rest_goes(people: Cast) -> None:
    # As after a restore, too: the rows of today lie in the default part already.
    week = [AT + timedelta(days=10 + number) for number in range(8)]
    for at in week:
        labels = {**KERNEL, "host": f"gpu1{at.day}"}
        come_in(people.operator, people.cluster, LINES[:3], at=at, **labels)
    settle()

    retire(people.operator, now=week[-1])

    assert week[-1].date() not in days.parts()
    assert (week[-1] + timedelta(days=1)).date() in days.parts()
    with organization_scope(people.operator.pk):
        for at in week:
            assert LogChunk.objects.filter(arrived_on=at.date()).exists()
    settle()
    retire(people.operator, now=week[-1] + RAW)
    assert chunk_count(people.operator) == 0


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_table_that_somebody_reads_is_asked_for_once_a_run(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with transaction.atomic(using="owner"), connections["owner"].cursor() as reader:
        reader.execute("SELECT count(*) FROM telemetry_logchunk")
        days.make_ahead(now=AT + timedelta(days=20))

    assert [record.message for record in caplog.records] == ["raw.day_stays"]


def test_what_has_no_part_of_its_own_goes_row_by_row(people: Cast) -> None:
    before = AT - timedelta(days=2)
    come_in(people.operator, people.cluster, LINES[:3], at=before, stream="kernel", host="gpu007")
    settle()

    assert not call("make", before.date())
    retire(people.operator, now=before + RAW)

    assert chunk_count(people.operator) == 1


@pytest.mark.parametrize("day", [None, date.max, "1969-12-31", "1999-12-31"])
def test_a_day_that_is_none_is_not_made(db: None, day: date | str | None) -> None:
    with pytest.raises(DatabaseError, match=r"no day|out of range"), transaction.atomic():
        call("make", day)


def test_a_day_that_nobody_released_stays(people: Cast) -> None:
    with pytest.raises(DatabaseError, match="nobody released"), transaction.atomic():
        call("drop", DAY)

    with organization_scope(people.operator.pk, people.tenant.pk):
        release(people.operator)
        with pytest.raises(DatabaseError, match="nobody released"), transaction.atomic():
            call("drop", DAY)
    assert chunk_count(people.operator, people.tenant) == 2


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"days": 100_000}, id="younger than its class"),
        pytest.param({"row_count": 2}, id="a row went or came"),
        pytest.param({"newest_id": 1}, id="another row came"),
        pytest.param({"released_at": AT}, id="released by a former transaction"),
        pytest.param({"day": date(2026, 3, 1)}, id="another day was released"),
    ],
)
def test_a_day_stays_that_was_released_otherwise_than_it_is(
    people: Cast, changes: dict[str, object]
) -> None:
    with organization_scope(people.operator.pk, people.tenant.pk):
        release(people.operator)
        release(people.tenant, **changes)
        with pytest.raises(DatabaseError, match="nobody released"), transaction.atomic():
            call("drop", DAY)

    assert chunk_count(people.operator, people.tenant) == 2


def test_a_day_of_which_a_body_waits_stays_and_nothing_is_recorded(people: Cast) -> None:
    with organization_scope(people.tenant.pk):
        Batch.objects.update(state=BatchState.ACCEPTED)

    assert not drop()

    assert chunk_count(people.operator, people.tenant) == 2
    assert days.late(now=AT + RAW) == (DAY,)
    with organization_scope(people.operator.pk, people.tenant.pk):
        assert not Deletion.objects.exists()
        assert not ReleasedDay.objects.exists()


def test_today_and_days_to_come_are_not_dropped(people: Cast) -> None:
    for day in (today(), date(9999, 1, 1), None):
        with pytest.raises(DatabaseError, match="not over"), transaction.atomic():
            call("drop", day)


def test_no_other_day_than_one_of_raw_text_can_be_named(people: Cast) -> None:
    assert not call("drop", date(2026, 3, 1))


@pytest.mark.parametrize("day", ["2026-03-02 BC", "-infinity"])
def test_a_day_before_christ_does_not_pass_for_another(people: Cast, day: str) -> None:
    with pytest.raises(DatabaseError, match="no day"), transaction.atomic():
        call("drop", day)

    assert chunk_count(people.operator, people.tenant) == 2


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_part_that_was_taken_out_to_be_kept_is_not_dropped() -> None:
    # What DETACH PARTITION leaves: a table of that name, which is none of the parts.
    with connections["owner"].cursor() as owner:
        owner.execute(f"CREATE TABLE {days.PART}20260302 (LIKE telemetry_logchunk)")
        try:
            assert not call("drop", DAY)
            owner.execute("SELECT to_regclass(%s) IS NULL", [f"{days.PART}20260302"])
            assert owner.fetchone() == (False,)
        finally:
            owner.execute(f"DROP TABLE IF EXISTS {days.PART}20260302")


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_rows_that_an_old_snapshot_does_not_show_are_not_dropped_with_the_day() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with pytest.raises(DatabaseError, match="read committed"):
            call("drop", DAY)
        transaction.set_rollback(True)


def test_the_version_before_goes_on_writing_rows_without_a_day(people: Cast) -> None:
    with organization_scope(people.operator.pk), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO telemetry_logchunk (organization_id, stream_id, batch_id, part, first_key,"
            " last_key, first_number, line_count, body) SELECT organization_id, stream_id,"
            " batch_id, 1, 1, 1, 61, 1, body FROM telemetry_logchunk RETURNING arrived_on, id"
        )
        day, pk = cursor.fetchone()
        assert LogChunk.objects.order_by("-id").values_list("id", flat=True)[0] == pk
    assert day == today()


def test_what_is_cited_while_a_run_goes_on_stays(people: Cast) -> None:
    with organization_scope(people.operator.pk):
        stream = LogStream.objects.get().pk
    looks = []

    def citer(*, organization_id: int, after: Mapping[str, int]) -> list[Citation]:
        looks.append(after.get("late", 0))
        reference = f"stream:{stream}/30"
        return [Citation(reference=reference, table="late", id=7)] * (len(looks) == 2)

    citing.CITERS.append(citer)
    try:
        retire(people.operator, now=AT + timedelta(days=200))
    finally:
        citing.CITERS.remove(citer)

    with organization_scope(people.operator.pk):
        assert list(KeptLines.objects.values_list("first_number", flat=True)) in ([30], [])
        numbers = people_events(people.operator)
    assert numbers == [30]
    assert looks[:3] == [0, 0, 7]


def people_events(organization: Organization) -> list[int]:
    """Return the lines whose events are there."""
    with organization_scope(organization.pk):
        return list(Event.objects.values_list("order_key", flat=True))


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_nothing_goes_while_somebody_is_about_to_cite(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    other = connections["owner"]
    with transaction.atomic(using="owner"), other.cursor() as cursor:
        key = [int(Lock.CITATIONS), people.operator.pk]
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", key)
        monkeypatch.setattr(citing, "WAITS", "10ms")
        monkeypatch.setattr(citing, "PAUSE_SECONDS", 0)
        with (
            pytest.raises(DatabaseError, match="lock timeout"),
            organization_scope(people.operator.pk),
        ):
            citing.citing_of(organization_id=people.operator.pk)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_who_waits_for_one_organizations_diagnosis_keeps_none_of_its_cluster_waiting() -> None:
    people = cast()
    tried = Signal()

    def drop() -> None:
        tried.set()
        with contextlib.suppress(DatabaseError), organization_scope(people.operator.pk):
            citing.citing_of(organization_id=people.operator.pk)
        connections.close_all()

    waiting = Thread(target=drop)
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        key = [int(Lock.CITATIONS), people.operator.pk]
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", key)
        waiting.start()
        tried.wait()
        # As often as it takes to be behind the one who waits.
        for _ in range(8):
            with organization_scope(people.tenant.pk), connection.cursor() as own:
                own.execute("SELECT set_config('lock_timeout', '2s', true)")
                citing.hold_off(organization_ids=[people.operator.pk, people.tenant.pk])
            Signal().wait(0.05)
    waiting.join()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_a_body_that_two_workers_read_at_once_is_there_once_whatever_the_day() -> None:
    people = cast()
    text = "\n".join(LINES).encode()
    with organization_scope(people.operator.pk):
        accept.accept(
            organization_id=people.operator.pk,
            cluster_id=people.cluster.pk,
            protocol=accept.UPLOAD,
            pieces=[LinePiece(labels=KERNEL, text=text, line_count=len(LINES), stamps=None)],
            complaints=Complaints(),
            now=AT,
        )
        batch = Batch.objects.get()
    read: list[int] = []

    def work() -> None:
        try:
            with organization_scope(people.operator.pk):
                read.append(
                    interpret.interpret_batches(
                        organization_id=people.operator.pk, batch_ids=[batch.pk], now=AT
                    )
                )
        finally:
            connections.close_all()

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(read) == [0, 0, 0, 60]
    with organization_scope(people.operator.pk):
        assert LogChunk.objects.get().arrived_on == DAY


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_what_goes_while_it_is_counted_is_not_counted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    own = people.operator.pk
    come_in(people.operator, people.cluster, LINES, at=AT, **KERNEL)
    with organization_scope(own):
        usage.measure(organization_id=own, now=AT)

    def go() -> None:
        try:
            with organization_scope(own):
                gone = PurgeCount(row_count=1)
                usage.take_off(organization_id=own, model=LogChunk, gone=gone)
        finally:
            connections.close_all()

    going = Thread(target=go)
    counted = usage._counted

    def slowly(*, row: Usage, table: usage.Table, now: datetime) -> Usage:
        if not going.ident:
            going.start()
            going.join(timeout=1)  # it waits until the count is written
        return counted(row=row, table=table, now=now)

    monkeypatch.setattr(usage, "_counted", slowly)
    with organization_scope(own):
        usage.measure(organization_id=own, now=AT)
    going.join()

    with organization_scope(own):
        assert Usage.objects.get(table="telemetry_logchunk").row_count == 0


def test_a_year_of_days_can_be_looked_at_by_many_at_once(people: Cast) -> None:
    if not settings.PORTAL_EMBEDS_DATABASE:
        pytest.skip("the server is not ours to set: unset PORTAL_DATABASE_URL")
    with organization_scope(people.operator.pk), connection.cursor() as cursor:
        assert LogChunk.objects.order_by("first_key").first()
        cursor.execute(
            "SELECT (SELECT count(DISTINCT relation) FROM pg_locks JOIN pg_class c ON c.oid ="
            " relation WHERE pid = pg_backend_pid() AND relname LIKE 'telemetry_logchunk\\_d%'),"
            " (SELECT count(*) FROM pg_inherits WHERE inhparent = 'telemetry_logchunk'::regclass),"
            " current_setting('max_locks_per_transaction')::int"
            " * current_setting('max_connections')::int"
        )
        locks, parts, room = cursor.fetchone()

    assert locks >= 5 * parts
    assert locks / parts * (365 + days.AHEAD) * 12 < room
