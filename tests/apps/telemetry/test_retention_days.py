"""Two months with short classes: the disk stays flat, nothing young goes, old citations open.

Two hundred days with the classes as they come run with `make chaos`.
"""

from typing import Any

import pytest

from apps.telemetry.models import KeptLines
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.days import Days, sizes
from tests.cast.pushes import cast

DAYS, RAW_DAYS, EVENTS_DAYS = 50, 4, 30


@pytest.mark.sweep
@pytest.mark.django_db(transaction=True)
def test_two_months_leave_the_disk_flat_and_every_citation_open(settings: Any) -> None:
    settings.PORTAL_KEEP_RAW_DAYS, settings.PORTAL_KEEP_EVENTS_DAYS = RAW_DAYS, EVENTS_DAYS
    days = Days(people=cast(), lines=100, xids=4)
    raw = {}
    for day in days.live(days=DAYS):
        if day % 5 == 0 or day == DAYS - 1:
            raw[day] = sizes()["telemetry_logchunk"]

    # A day is whole until its class is over, and the one that runs.
    batches, chunks, read = days.days_kept()
    assert (batches, chunks) == (EVENTS_DAYS + 1, RAW_DAYS + 1)
    assert EVENTS_DAYS + 1 <= read <= EVENTS_DAYS + 1 + DAYS // 20
    assert raw[DAYS - 1] <= max(raw[day] for day in raw if day < DAYS // 2)
    assert len(days.cited) >= 3
    assert days.lost() == []
    with organization_scope(days.people.operator.pk):
        assert KeptLines.objects.count() >= 2
