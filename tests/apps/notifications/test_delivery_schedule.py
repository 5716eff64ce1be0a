"""When somebody is told: quiet hours, digests, and the clocks of zones."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.notifications.notification_kinds import Rhythm
from apps.notifications.preferences.delivery_schedule import DeliverySchedule, after_quiet, due_at

SEOUL = ZoneInfo("Asia/Seoul")
BERLIN = ZoneInfo("Europe/Berlin")


def utc(text: str) -> datetime:
    """Return an instant."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


NIGHT = DeliverySchedule(zone=SEOUL, quiet_from=time(22), quiet_until=time(7))
NOON = DeliverySchedule(quiet_from=time(12), quiet_until=time(13))


@pytest.mark.parametrize(
    ("pace", "now", "due"),
    [
        (DeliverySchedule(), "2026-11-22 03:14:15", "2026-11-22 03:14:15"),
        # 22:00 in Seoul is 13:00 UTC.
        (NIGHT, "2026-11-22 12:59:59", "2026-11-22 12:59:59"),
        (NIGHT, "2026-11-22 13:00:00", "2026-11-22 22:00:00"),
        (NIGHT, "2026-11-22 17:00:00", "2026-11-22 22:00:00"),
        (NIGHT, "2026-11-22 21:59:59", "2026-11-22 22:00:00"),
        (NIGHT, "2026-11-22 22:00:00", "2026-11-22 22:00:00"),
        (NOON, "2026-11-22 12:30:00", "2026-11-22 13:00:00"),
        (NOON, "2026-11-22 13:00:00", "2026-11-22 13:00:00"),
        (DeliverySchedule(rhythm=Rhythm.HOURLY), "2026-11-22 03:14:15", "2026-11-22 04:00:00"),
        (DeliverySchedule(rhythm=Rhythm.HOURLY), "2026-11-22 23:59:59", "2026-11-23 00:00:00"),
        (
            DeliverySchedule(rhythm=Rhythm.DAILY, zone=SEOUL),
            "2026-11-22 22:59:00",
            "2026-11-22 23:00:00",
        ),
        (
            DeliverySchedule(rhythm=Rhythm.DAILY, zone=SEOUL),
            "2026-11-22 23:00:00",
            "2026-11-23 23:00:00",
        ),
        (
            DeliverySchedule(
                rhythm=Rhythm.HOURLY, zone=SEOUL, quiet_from=time(22), quiet_until=time(7)
            ),
            "2026-11-22 12:30:00",
            "2026-11-22 22:00:00",
        ),
    ],
)
def test_when_it_is_sent(pace: DeliverySchedule, now: str, due: str) -> None:
    assert due_at(pace=pace, wakes=False, now=utc(now)) == utc(due)


def test_what_wakes_knows_no_quiet_hours() -> None:
    now = utc("2026-11-22 17:00:00")
    assert due_at(pace=NIGHT, wakes=True, now=now) == now


@pytest.mark.parametrize(
    ("now", "due"),
    [
        # Clocks go forward at 02:00 on 29 March 2026 and back at 03:00 on 25 October.
        ("2026-03-28 23:00:00", "2026-03-29 05:00:00"),
        ("2026-10-24 23:00:00", "2026-10-25 06:00:00"),
    ],
)
def test_the_morning_is_that_of_the_wall_clock(now: str, due: str) -> None:
    pace = DeliverySchedule(zone=BERLIN, quiet_from=time(22), quiet_until=time(7))
    assert due_at(pace=pace, wakes=False, now=utc(now)) == utc(due)


def test_quiet_hours_that_end_in_the_hour_shown_twice_end_on_that_day() -> None:
    # 02:40 for the second time, ten minutes before they end.
    pace = DeliverySchedule(zone=BERLIN, quiet_from=time(22), quiet_until=time(2, 50))
    now, due = utc("2026-10-25 01:40:00"), utc("2026-10-25 01:50:00")
    assert due_at(pace=pace, wakes=False, now=now) == due


@pytest.mark.parametrize(
    ("ends", "due"),
    [
        # At 02:00 the clock jumps to 03:00: what it skips is over then, and not half an hour later.
        (time(2), "2026-03-29 01:00:00"),
        (time(2, 30), "2026-03-29 01:00:00"),
        (time(3), "2026-03-29 01:00:00"),
        (time(3, 1), "2026-03-29 01:01:00"),
    ],
)
def test_quiet_hours_that_end_at_a_time_the_clock_skips_end_as_it_jumps(
    ends: time, due: str
) -> None:
    pace = DeliverySchedule(zone=BERLIN, quiet_from=time(22), quiet_until=ends)
    assert due_at(pace=pace, wakes=False, now=utc("2026-03-29 00:40:00")) == utc(due)


def test_a_day_that_a_zone_skipped_holds_up_no_digest() -> None:
    # Samoa went from the evening of 29 December 2011 into the 31st.
    pace = DeliverySchedule(rhythm=Rhythm.DAILY, zone=ZoneInfo("Pacific/Apia"))
    now, due = utc("2011-12-29 20:00:00"), utc("2011-12-30 10:00:00")
    assert due_at(pace=pace, wakes=False, now=now) == due


@pytest.mark.parametrize("day", ["2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25"])
def test_a_daily_digest_comes_once_a_day_also_when_the_clock_changes(day: str) -> None:
    pace = DeliverySchedule(rhythm=Rhythm.DAILY, zone=BERLIN)
    first = due_at(pace=pace, wakes=False, now=utc(f"{day} 00:00:00"))
    second = due_at(pace=pace, wakes=False, now=first)
    for at in (first, second):
        assert at.astimezone(BERLIN).time() == time(8)
    assert second.astimezone(BERLIN).date() - first.astimezone(BERLIN).date() == timedelta(days=1)


@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no bad test
@given(
    now=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),  # noqa: DTZ001  set below
    begins=st.times().map(lambda each: each.replace(second=0, microsecond=0)),
    ends=st.times().map(lambda each: each.replace(second=0, microsecond=0)),
    rhythm=st.sampled_from(Rhythm),
    zone=st.sampled_from([SEOUL, BERLIN, ZoneInfo("America/St_Johns"), ZoneInfo("UTC")]),
)
def test_it_is_never_lost_and_never_late_by_more_than_two_days(
    now: datetime, begins: time, ends: time, rhythm: Rhythm, zone: ZoneInfo
) -> None:
    pace = DeliverySchedule(rhythm=rhythm, zone=zone, quiet_from=begins, quiet_until=ends)
    at = now.replace(tzinfo=UTC)
    due = due_at(pace=pace, wakes=False, now=at)
    assert after_quiet(pace=pace, at=due) == due
    assert at <= due <= at + timedelta(days=2, hours=1)
