"""Times read as numbers are the times that were written."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.tenancy.database.microseconds import EPOCH, Microseconds, instant_of
from apps.tenancy.models import Organization
from tests.cast import make


@pytest.mark.django_db
def test_a_time_comes_back_as_it_was_written() -> None:
    organization = make.organization()
    rows = Organization.objects.filter(pk=organization.pk)
    assert instant_of(rows.values_list(Microseconds("created_at"), flat=True).get()) == make.AT


@pytest.mark.parametrize(
    "at",
    [datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(2262, 4, 11, 0, 0, 0, 1, UTC)],
)
def test_no_microsecond_is_lost_before_1970_and_far_after(at: datetime) -> None:
    assert instant_of((at - EPOCH) // timedelta(microseconds=1)) == at
