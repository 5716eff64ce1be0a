"""Many rows written at once hold what was said of each, and nothing is cut to fit."""

import pytest
from django.db import DataError, transaction

from apps.telemetry.models import LogStream
from apps.tenancy.row_updates import ROWS_AT_ONCE, update_rows
from apps.tenancy.scope import organization_scope
from tests import make

FIELDS = ["kind", "line_count", "reader_state", "open_from", "first_at"]


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
