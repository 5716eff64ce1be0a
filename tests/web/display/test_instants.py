"""Times as people say them, and the sources of an incident side by side."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils.translation import override

from apps.web.display.coverage import coverage_strip, note
from apps.web.display.instants import clock_length, dated, day_text, instant

NOW = datetime(2026, 3, 10, 2, 30, tzinfo=UTC)
SEOUL = ZoneInfo("Asia/Seoul")


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2026, 3, 10, 0, 0, tzinfo=UTC), "00:00:00"),
        (datetime(2026, 3, 10, 8, 0, tzinfo=SEOUL), "9 Mar 23:00:00"),
        (datetime(2026, 3, 10, 9, 0, 1, tzinfo=SEOUL), "00:00:01"),
        (datetime(2026, 3, 11, 0, 0, tzinfo=UTC), "11 Mar 00:00:00"),
    ],
)
def test_the_day_is_told_unless_it_is_todays_in_utc(at: datetime, text: str) -> None:
    assert instant(at, zone=None, now=NOW).text == text


def test_without_a_now_there_is_no_today() -> None:
    assert instant(NOW, zone=None).text == "10 Mar 02:30:00"


def test_the_local_time_stands_beside_it_where_there_is_a_zone() -> None:
    assert instant(NOW, zone=SEOUL).local == "10 Mar 11:30:00 KST"
    assert instant(NOW, zone=None).local == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "00:00:00"),
        (59.9, "00:00:59"),
        (3600 + 62, "01:01:02"),
        (86_399, "23:59:59"),
        (86_400, "1 d 00:00:00"),
    ],
)
def test_a_running_time_has_days_in_front_where_there_are_any(seconds: float, text: str) -> None:
    assert clock_length(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2026, 3, 10, 2, 3, 58, tzinfo=UTC), "today 02:03:58"),
        (datetime(2026, 3, 10, 8, 41, tzinfo=SEOUL), "yesterday 23:41"),
        (datetime(2026, 3, 8, 5, 44, tzinfo=UTC), "8 Mar 05:44"),
        (datetime(2026, 3, 11, 5, 44, tzinfo=UTC), "11 Mar 05:44"),
    ],
)
def test_a_day_is_called_as_one_calls_it(at: datetime, text: str) -> None:
    assert day_text(at, now=NOW) == text


def source(state: str, name: str = "kernel", **more: Any) -> dict[str, Any]:
    """Return how one kind of source stands."""
    return {"state": state, "source": name, **more}


@pytest.mark.parametrize(
    ("reach", "text"),
    [
        ({}, "present"),
        ({"hosts_expected": None}, "present"),
        ({"hosts_expected": 0, "missing_hosts": ["a"]}, "present"),
        ({"hosts_expected": 2, "hosts_present": 2}, "2 of 2 hosts"),
        ({"hosts_expected": 2, "missing_hosts": None}, "0 of 2 hosts"),
        (
            {"hosts_expected": 2, "hosts_present": 1, "missing_hosts": ["gpu017"]},
            "1 of 2 hosts, gpu017 missing",
        ),
    ],
)
def test_how_far_a_source_reaches(reach: dict[str, Any], text: str) -> None:
    assert note(source("present", **reach)) == text


def test_readable_sources_go_first_and_a_state_nobody_knows_is_absent() -> None:
    strip = coverage_strip(
        [source("odd", "fabric"), source("hidden"), source("stale", "storage"), source("present")]
    )
    assert [each.state for each in strip.cells] == ["present", "stale", "hidden", "absent"]
    assert [each.state for each in strip.lines] == ["present", "stale", "hidden", "absent"]
    assert (strip.count, strip.present_count) == (4, 1)


def test_what_one_readable_source_lacks_stands_in_its_line_and_of_two_in_neither() -> None:
    lacking: dict[str, Any] = {"hosts_expected": 2, "hosts_present": 1, "missing_hosts": ["gpu017"]}
    one = coverage_strip([source("present", **lacking), source("present", "storage")])
    assert one.lines[0].text.endswith("1 of 2 hosts, gpu017 missing")
    two = coverage_strip([source("present", name, **lacking) for name in ("kernel", "storage")])
    assert two.lines[0].text == "2 present"
    whole: dict[str, Any] = {"hosts_expected": 2, "hosts_present": 2, "missing_hosts": []}
    assert coverage_strip([source("present", **whole)]).lines[0].text == "1 present"


def test_of_sources_that_are_not_there_the_line_names_them() -> None:
    strip = coverage_strip([source("stale", "kernel"), source("stale", "storage")])
    assert strip.lines[0].text.partition(": ")[2].count(",") == 1


def test_equal_moments_of_two_zones_each_read_in_their_own() -> None:
    utc = datetime(2026, 3, 10, 23, 44, tzinfo=UTC)
    assert dated(utc) == "10 Mar 23:44"
    assert dated(utc.astimezone(SEOUL)) == "11 Mar 08:44"


def test_each_language_has_its_own_months() -> None:
    at = datetime(2026, 3, 10, 23, 44, tzinfo=UTC)
    assert dated(at) == "10 Mar 23:44"
    with override("ko"):
        assert dated(at) != "10 Mar 23:44"
