"""Two hundred days in a minute: the disk stays flat, nothing young goes, old citations open."""

import pytest

from apps.telemetry.models import KeptLines
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.days import Days, sizes
from tests.cast.pushes import cast

DAYS = 200


@pytest.mark.django_db(transaction=True)
def test_two_hundred_days_leave_the_disk_flat_and_every_citation_open() -> None:
    days = Days(people=cast(), lines=200, xids=4)
    raw, events = {}, {}
    for day in days.live(days=DAYS):
        if day % 5 == 0 or day == DAYS - 1:
            measured = sizes()
            raw[day], events[day] = measured["telemetry_logchunk"], measured["telemetry_event"]

    # A day is whole until its class is over: 14 and 180 days, and the one that runs.
    batches, chunks, read = days.days_kept()
    assert (batches, chunks) == (181, 15)
    assert 181 <= read <= 181 + DAYS // 20
    assert raw[DAYS - 1] <= max(raw[day] for day in raw if day < 60)
    # Indexes whose keys come in no order settle for a while after the rows have.
    assert events[DAYS - 1] <= 1.1 * events[185]
    assert len(days.cited) >= 10
    assert days.lost() == []
    with organization_scope(days.people.operator.pk):
        assert KeptLines.objects.count() >= 8
