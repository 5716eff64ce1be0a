"""Numbers and times of outsiders: ASCII digits, within bounds, or not said."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis import input_values as values
from tests.fuzz.values import DIGITS, NUMBERS, TIMES

ROOT = Path(__file__).parents[2]
# Where digits are not an outsider's number: names of metrics, words of a page, our own processes.
ALLOWED = {
    *("apps/diagnosis/input_values.py", "apps/telemetry/formats/otlp/otlp_names.py"),
    *(
        "apps/wording/names.py",
        "apps/operations/servers/supervisor.py",
        "apps/operations/servers/address.py",
        "apps/operations/setup/yaml_nodes.py",
    ),
    "apps/offline/management/commands/detect.py",
    # Letters of texts in which names are hidden.
    *(f"apps/sharing/redaction/{each}.py" for each in ("known_names", "pseudonyms", "steps/hosts")),
}
DIGIT_TESTS = re.compile(r"\.is(?:digit|decimal|numeric)\(")


@pytest.mark.parametrize("text", [*DIGITS[:9], *NUMBERS, "", None, 7, ["7"]])
def test_what_is_no_small_number_in_ascii_is_no_number(text: object) -> None:
    number = values.whole_number(text)

    assert number is None or (str(number) == text and number <= values.MOST)


def test_a_number_with_zeros_in_front_is_one() -> None:
    assert values.whole_number("007") == 7


@pytest.mark.parametrize("text", [text for text in TIMES if text[:4] not in {"2026", "2016"}])
def test_a_time_outside_the_bounds_is_not_said(text: str) -> None:
    at = values.instant(text)

    assert at is None or values.EARLIEST <= at < values.LATEST


def test_a_time_is_in_utc() -> None:
    assert values.instant("2026-11-21T11:00:00+09:00") == datetime(2026, 11, 21, 2, tzinfo=UTC)


@given(st.datetimes(timezones=st.timezones()))
def test_a_time_within_the_bounds_leaves_no_calendar(at: datetime) -> None:
    # The widest reach of the code: days of history, and 68 years of seconds that 31 bits count.
    reach = timedelta(days=70 * 366)

    assert values.cut(at) - reach < values.cut(at) + reach


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_seconds_are_a_time_or_nothing(seconds: float) -> None:
    at = values.instant_of(seconds)

    assert at is None or abs(at.timestamp() - seconds) < 1


@given(st.text(st.characters(codec=None)))
def test_a_text_is_made_one_that_a_database_keeps(text: str) -> None:
    kept = values.storable(text)

    assert "\0" not in kept
    assert kept.encode().decode() == kept


def test_nobody_asks_python_whether_a_text_is_a_number() -> None:
    found = {
        str(file.relative_to(ROOT))
        for folder in ("apps", "portal")
        for file in (ROOT / folder).rglob("*.py")
        if "simulator" not in file.parts and DIGIT_TESTS.search(file.read_text(encoding="utf-8"))
    }

    assert found <= ALLOWED


@pytest.mark.parametrize(("ahead", "said"), [(-60, False), (0, False), (300, False), (301, True)])
def test_an_instant_is_still_to_come_beyond_what_a_clock_may_go_ahead(
    ahead: int, *, said: bool
) -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC)
    assert values.is_future(now + timedelta(seconds=ahead), now=now) is said
