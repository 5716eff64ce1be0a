"""What is past its time goes, nothing younger does, and what an incident cites stays readable."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connections
from django.db.models import F

from apps.telemetry import tasks
from apps.telemetry.logs.interpretation import interpret
from apps.telemetry.logs.raw_lines import lines_around
from apps.telemetry.models import (
    Anomaly,
    Batch,
    BatchState,
    Deletion,
    Event,
    KeptLines,
    LogChunk,
    LogStream,
    Progress,
    Source,
    Usage,
    VoiceExtent,
)
from apps.telemetry.retention import references as citing
from apps.telemetry.retention import usage
from apps.telemetry.retention.classes import RetentionClass, old_before
from apps.telemetry.retention.purge import facts
from apps.telemetry.retention.references import Citation, Citing
from apps.tenancy.access import Actor, Right
from apps.tenancy.database.advisory_locks import Lock
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import EVENTS, RAW, come_in, come_in_stamped, retire, xid
from tests.cast import make
from tests.cast.pushes import Cast, cast

AT = make.AT
LINES = [xid(number, AT) for number in range(60)]
KERNEL = {"stream": "kernel", "host": "gpu001"}
SECOND = 1_000_000_000
START = int(AT.timestamp()) * SECOND


@pytest.fixture
def people(db: None) -> Cast:
    """The parties, with the operator's kernel log of one day."""
    made = cast()
    come_in(made.operator, made.cluster, LINES, at=AT, **KERNEL)
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


def counts(organization: Organization) -> tuple[int, int, int]:
    """Return how many batches, chunks and events there are."""
    with organization_scope(organization.pk):
        return Batch.objects.count(), LogChunk.objects.count(), Event.objects.count()


def text_around(organization: Organization, number: int) -> list[tuple[int, str]]:
    """Return what its holder reads around a line of its only stream."""
    actor = Actor(organization=organization, rights=frozenset({Right.READ}))
    with organization_scope(organization.pk):
        stream = LogStream.objects.get()
        found = lines_around(actor=actor, stream_id=stream.pk, number=number, margin=5)
    return [(line.number, line.text) for line in found]


def test_raw_text_goes_after_its_time_and_what_was_read_of_it_after_its_own(people: Cast) -> None:
    retire(people.operator, now=AT + timedelta(days=14, hours=21))
    assert counts(people.operator) == (1, 1, 60)
    retire(people.operator, now=AT + RAW)
    assert counts(people.operator) == (1, 0, 60)
    retire(people.operator, now=AT + EVENTS - timedelta(days=1))
    assert counts(people.operator) == (1, 0, 60)
    retire(people.operator, now=AT + EVENTS)
    assert counts(people.operator) == (0, 0, 0)
    with organization_scope(people.operator.pk):
        left = [model.objects.exists() for model in (LogStream, Progress, VoiceExtent)]
    assert left == [False, False, False]


def test_a_day_becomes_old_as_a_whole_at_midnight() -> None:
    now = AT.replace(hour=23, minute=59)

    assert old_before(kind=RetentionClass.RAW, now=now) == AT.replace(hour=0) - timedelta(days=14)
    assert now - old_before(kind=RetentionClass.RAW, now=now) >= timedelta(days=14)


def test_each_run_says_what_went_by_which_rule(people: Cast) -> None:
    retire(people.operator, now=AT + RAW)
    retire(people.operator, now=AT + RAW + timedelta(hours=1))

    with organization_scope(people.operator.pk):
        run = Deletion.objects.get()
    assert (run.kind, run.days, run.row_count, run.oldest_at) == ("raw", 14, 1, AT)
    assert run.before == old_before(kind=RetentionClass.RAW, now=AT + RAW)
    assert run.byte_count > 500


@pytest.mark.django_db(databases=["default", "owner"])
def test_of_two_runs_at_once_one_ends_and_takes_nothing() -> None:
    made = cast()
    come_in(made.operator, made.cluster, LINES, at=AT, **KERNEL)
    key = [int(Lock.RETENTION), made.operator.pk]
    with connections["owner"].cursor() as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", key)
        is_more = retire(made.operator, now=AT + RAW)
        other.execute("SELECT pg_advisory_unlock(%s, %s)", key)

    assert (is_more, counts(made.operator)) == (False, (1, 1, 60))
    retire(made.operator, now=AT + RAW)
    assert counts(made.operator) == (1, 0, 60)


def test_what_was_replaced_is_counted_once_from_the_next_night_on(people: Cast) -> None:
    noon = AT.replace(hour=12)
    retire(people.operator, now=noon)
    with organization_scope(people.operator.pk):
        exact = usage.stored_bytes(organization_id=people.operator.pk)
        # As after a span that was read again: its events were counted, and those before them.
        Usage.objects.filter(table=Event._meta.db_table).update(byte_count=F("byte_count") * 2)

    retire(people.operator, now=noon + timedelta(hours=12))

    with organization_scope(people.operator.pk):
        assert usage.stored_bytes(organization_id=people.operator.pk) == exact


def test_what_others_keep_is_left_alone(people: Cast) -> None:
    come_in(people.tenant, people.cluster, LINES, at=AT, session="run-1")

    retire(people.operator, now=AT + EVENTS)

    assert counts(people.tenant) == (1, 1, 60)


def test_a_batch_that_waits_is_never_dropped(people: Cast) -> None:
    with organization_scope(people.operator.pk):
        LogChunk.objects.all().delete()
        Batch.objects.update(state=BatchState.ACCEPTED)

    retire(people.operator, now=AT + 3 * EVENTS)

    assert counts(people.operator)[0] == 1


def test_a_body_nobody_could_read_goes_with_the_raw_text(people: Cast) -> None:
    with organization_scope(people.operator.pk):
        LogChunk.objects.all().delete()
        Batch.objects.update(state=BatchState.DEAD)

    retire(people.operator, now=AT + RAW)

    assert counts(people.operator)[0] == 0


def test_a_body_sent_again_after_its_text_went_is_known_still(people: Cast) -> None:
    retire(people.operator, now=AT + RAW)

    come_in(people.operator, people.cluster, LINES, at=AT + RAW, **KERNEL)

    assert counts(people.operator) == (1, 0, 60)


def test_lines_around_a_citation_stay_readable(people: Cast, cites: list[str]) -> None:
    with organization_scope(people.operator.pk):
        stream = LogStream.objects.get().pk
    cites += [f"stream:{stream}/30", f"stream:{stream}/32", f"stream:{stream}/1"]

    for later in (RAW, EVENTS, 2 * EVENTS):
        retire(people.operator, now=AT + later)

        assert text_around(people.operator, 31) == [(n, LINES[n - 1]) for n in range(28, 35)]
        assert text_around(people.operator, 1) == [(n, LINES[n - 1]) for n in range(1, 4)]
    with organization_scope(people.operator.pk):
        assert list(Event.objects.values_list("order_key", flat=True).order_by("order_key")) == [
            *(1, 30, 32)
        ]
        assert KeptLines.objects.count() == 2
        assert {run.kind: run.cited_count for run in Deletion.objects.order_by("at")[:2]} == {
            "raw": 10,
            "events": 3,
        }


def test_a_cited_anomaly_stays(people: Cast, cites: list[str]) -> None:
    kept, going = (anomaly(people) for _ in range(2))
    cites.append(f"anomaly:{kept}")

    retire(people.operator, now=AT + EVENTS)

    with organization_scope(people.operator.pk):
        assert list(Anomaly.objects.values_list("id", flat=True)) == [kept]
    assert going != kept


def test_findings_go_a_few_at_a_time_past_those_that_are_cited(
    people: Cast, cites: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "ROWS_AT_ONCE", 2)
    kept = [anomaly(people) for _ in range(3)]
    cites += [f"anomaly:{each}" for each in kept]
    for _ in range(5):
        anomaly(people)

    retire(people.operator, now=AT + EVENTS)

    with organization_scope(people.operator.pk):
        assert list(Anomaly.objects.order_by("id").values_list("id", flat=True)) == kept


def test_who_can_not_say_what_is_cited_stops_the_run_and_nothing_is_lost(people: Cast) -> None:
    def fails(*, organization_id: int, after: Mapping[str, int]) -> list[Citation]:
        raise RuntimeError("the incidents can't be read")

    citing.CITERS.append(fails)
    try:
        with pytest.raises(RuntimeError):
            retire(people.operator, now=AT + EVENTS)
    finally:
        citing.CITERS.remove(fails)
    assert counts(people.operator) == (1, 1, 60)


@pytest.mark.django_db
def test_a_late_line_leaves_what_was_read_of_text_that_went() -> None:
    people = cast()
    days = {0: range(5), 10: range(70, 75), 9: range(80, 83)}
    said = {day: [xid(n, AT + timedelta(days=day)) for n in days[day]] for day in days}
    for day in (0, 10):
        at = AT + timedelta(days=day)
        come_in(people.operator, people.cluster, said[day], at=at, **KERNEL)
    retire(people.operator, now=AT + RAW)
    before = keys(people.operator)

    come_in(people.operator, people.cluster, said[9], at=AT + RAW, **KERNEL)

    # Behind the lines whose text went, in front of those whose text is there.
    after = keys(people.operator)
    assert [key for key, _ in after] == list(range(1, 14))
    assert after[:5] == before[:5]
    assert [text for _, text in after[8:]] == [text for _, text in before[5:]]


def test_reading_again_with_a_new_catalog_keeps_what_has_no_text_any_more(people: Cast) -> None:
    with organization_scope(people.operator.pk):
        stream = LogStream.objects.get().pk
    retire(people.operator, now=AT + RAW)
    before = keys(people.operator)

    with organization_scope(people.operator.pk):
        interpret.read_stream_again(
            organization_id=people.operator.pk, stream_id=stream, now=AT + RAW
        )
        extents = VoiceExtent.objects.count()

    assert keys(people.operator) == before
    assert extents == 1


def test_chunks_that_overlap_what_went_go_on_with_their_numbers(cites: list[str], db: None) -> None:
    people = cast()
    stamped = [(START + n * SECOND, line) for n, line in enumerate(LINES)]
    later = AT + timedelta(days=5)
    come_in_stamped(people.operator, people.cluster, stamped[:30:2], at=AT, **KERNEL)
    come_in_stamped(people.operator, people.cluster, stamped[1:30:2], at=AT, **KERNEL)
    come_in_stamped(people.operator, people.cluster, stamped[29:], at=later, **KERNEL)
    with organization_scope(people.operator.pk):
        stream = LogStream.objects.get().pk
    cites.append(f"stream:{stream}/10")

    retire(people.operator, now=AT + RAW)

    assert text_around(people.operator, 10) == [(n, LINES[n - 1]) for n in range(8, 13)]
    assert text_around(people.operator, 50)[0] == (45, LINES[44])


def test_citations_are_cut_to_what_is_there() -> None:
    found = Citing(
        Citation(reference=each, margin=3)
        for each in (
            "stream:1/2",
            "stream:1/9",
            "stream:1/5",
            "stream:2/4",
            "",
            "odd",
            "stream:x/y",
        )
    )

    assert found.within(stream_id=1, span=(1, 100)) == [(1, 12)]
    assert found.within(stream_id=1, span=(11, 100)) == [(11, 12)]
    assert found.within(stream_id=2, span=(8, 9)) == []
    assert found.has_line(stream_id=2, number=4)
    assert not found.has_line(stream_id=2, number=5)


def test_of_two_citations_of_a_line_the_wider_counts() -> None:
    found = Citing(Citation(reference="stream:1/30", margin=margin) for margin in (2, 9, 0))

    assert found.within(stream_id=1, span=(1, 100)) == [(21, 39)]


def keys(organization: Organization) -> list[tuple[int, str]]:
    """Return where each event stands, and its text."""
    with organization_scope(organization.pk):
        rows = Event.objects.order_by("order_key").values_list("order_key", "body__text")
        return [(int(key), str(text)) for key, text in rows]


def anomaly(people: Cast) -> int:
    """Make a finding of the operator's metrics; return its id."""
    with organization_scope(people.operator.pk):
        number = Anomaly.objects.count()
        source = Source.objects.create(
            organization=people.operator,
            public_id=f"SRC-{number}",
            cluster=people.cluster,
            kind="prometheus",
            name=f"source {number}",
            created_at=AT,
        )
        return Anomaly.objects.create(
            organization=people.operator,
            source=source,
            cluster=people.cluster,
            fingerprint=bytes([number]) * 16,
            kind="increase",
            signal="gpu.xid",
            family="xid",
            layer="gpu",
            role="initiating",
            host="gpu001",
            entity={"kind": "gpu", "host": "gpu001"},
            starts_at=AT,
        ).pk


@pytest.mark.django_db
def test_sign_ins_that_ran_out_go_with_the_hourly_look() -> None:
    for key, ends in (("old", AT - timedelta(days=9000)), ("new", AT + timedelta(days=9000))):
        Session.objects.create(session_key=key, session_data="", expire_date=ends)

    tasks.retire()

    assert list(Session.objects.values_list("session_key", flat=True)) == ["new"]
