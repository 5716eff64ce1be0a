"""Many rows written at once hold what was said of each, and nothing is cut to fit."""

import math

import pytest
from django.db import DataError, ProgrammingError, transaction

from apps.telemetry.models import Event, LogStream, Progress
from apps.tenancy.database.bulk_rows import (
    ROWS_AT_ONCE,
    insert_new_rows,
    insert_or_update_rows,
    update_rows,
)
from apps.tenancy.scope import organization_scope
from tests.cast import make

FIELDS = ["kind", "line_count", "reader_state", "open_from", "first_at"]
KEY = ["organization", "stream", "host", "rank", "signature"]
PROGRESS = ["host", "rank", "at", "order_key", "body"]


def streams(organization_id: int, count: int) -> list[LogStream]:
    """Make streams of an organization."""
    return LogStream.objects.bulk_create(
        LogStream(
            organization_id=organization_id, label_digest=number.to_bytes(4, "big"), labels={}
        )
        for number in range(count)
    )


@pytest.mark.django_db
def test_each_row_holds_its_own_values_and_its_other_fields_stay() -> None:
    organization = make.organization()
    with organization_scope(organization.pk):
        rows = streams(organization.pk, ROWS_AT_ONCE + 2)
        for number, row in enumerate(rows):
            row.kind, row.line_count = ("kernel", "")[number % 2], 2**40 + number
            row.reader_state = b"\x00\xff" * (number % 3)
            row.open_from = number if number % 2 else None
            row.first_at = make.AT if number % 3 else None
            row.host = "stays"
        update_rows(rows=rows[:-1], fields=FIELDS)
        written = list(LogStream.objects.order_by("pk").values_list(*FIELDS, "host"))

    told = [tuple(getattr(row, name) for name in FIELDS) for row in rows[:-1]]
    assert [(kind, count, bytes(state), *more) for kind, count, state, *more, _ in written] == [
        *told,
        ("", 0, b"", None, None),
    ]
    assert {host for *_, host in written} == {""}


@pytest.mark.django_db
def test_no_rows_are_nothing_and_text_that_is_too_long_is_refused() -> None:
    organization = make.organization()
    with organization_scope(organization.pk):
        update_rows(rows=[], fields=FIELDS)
        (row,) = streams(organization.pk, 1)
        row.kind = "k" * 13
        with pytest.raises(DataError), transaction.atomic():
            update_rows(rows=[row], fields=["kind"])


@pytest.mark.django_db
def test_new_rows_are_written_once_each_with_its_values() -> None:
    organization = make.organization()
    rows = [
        LogStream(
            organization_id=organization.pk,
            label_digest=number.to_bytes(4, "big"),
            labels={"a": "b", "n": [number, None, 'x"{}']},
            reader_state=b"\x00\xff" * (number % 3),
            rank=number if number % 2 else None,
            first_at=make.AT if number % 3 else None,
        )
        for number in range(ROWS_AT_ONCE + 2)
    ]
    with organization_scope(organization.pk):
        insert_new_rows(rows=[])
        insert_new_rows(rows=rows[:10])
        known = list(LogStream.objects.order_by("pk").values_list("pk", flat=True))
        insert_new_rows(rows=rows)
        written = list(LogStream.objects.order_by("pk"))

    assert [row.pk for row in written[:10]] == known
    assert [
        (bytes(row.label_digest), row.labels, bytes(row.reader_state), row.rank, row.first_at)
        for row in written
    ] == [(row.label_digest, row.labels, row.reader_state, row.rank, row.first_at) for row in rows]


@pytest.mark.django_db
def test_new_rows_of_another_organization_are_refused() -> None:
    mine, other = make.organization(), make.organization()
    row = LogStream(organization_id=other.pk, label_digest=b"1234", labels={})
    with organization_scope(mine.pk), pytest.raises(ProgrammingError), transaction.atomic():
        insert_new_rows(rows=[row])


@pytest.mark.django_db
def test_rows_of_another_organization_stay_as_they_are() -> None:
    mine, other = make.organization(), make.organization()
    with organization_scope(other.pk):
        (row,) = streams(other.pk, 1)
    row.line_count = 7
    with organization_scope(mine.pk):
        update_rows(rows=[row], fields=["line_count"])
    with organization_scope(other.pk):
        row.refresh_from_db()
    assert row.line_count == 0


@pytest.mark.django_db
def test_rows_of_a_known_key_are_written_over_and_the_others_are_new() -> None:
    organization = make.organization()
    with organization_scope(organization.pk):
        (stream,) = streams(organization.pk, 1)
        rows = [
            Progress(
                organization_id=organization.pk,
                stream=stream,
                host=f"gpu{number:04}",
                rank=number if number % 2 else None,
                signature="step",
                at=make.AT if number % 3 else None,
                order_key=number,
                body={"text": 'a\\b "c" %s \u2603', "n": [1.5, None]},
            )
            for number in range(ROWS_AT_ONCE + 2)
        ]
        insert_or_update_rows(rows=[], key=KEY, fields=["order_key"])
        insert_or_update_rows(rows=rows[:10], key=KEY, fields=["at", "order_key", "body"])
        for row in rows:
            row.order_key += 2**40
        rows[0].body = {"text": "other"}
        insert_or_update_rows(rows=rows, key=KEY, fields=["order_key"])
        written = list(Progress.objects.order_by("host").values_list(*PROGRESS))

    kept = [rows[0].host, rows[0].rank, rows[0].at, rows[0].order_key, rows[1].body]
    assert written[0] == tuple(kept)
    assert written[1:] == [tuple(getattr(row, name) for name in PROGRESS) for row in rows[1:]]


@pytest.mark.django_db
def test_a_number_without_an_end_is_written_as_it_is() -> None:
    organization = make.organization()
    with organization_scope(organization.pk):
        (stream,) = streams(organization.pk, 1)
        insert_new_rows(
            rows=[
                Event(
                    organization_id=organization.pk,
                    stream=stream,
                    fingerprint=b"\x01" * 20,
                    signature="s",
                    role="context",
                    severity="info",
                    received_at=make.AT,
                    order_key=1,
                    uptime_seconds=math.inf,
                    body={},
                )
            ]
        )
        assert Event.objects.get().uptime_seconds == math.inf
