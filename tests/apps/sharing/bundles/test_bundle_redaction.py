"""What of a text and of a series goes into a bundle: spans line by line, points of its time."""

from datetime import UTC, datetime, timedelta

import numpy as np

from apps.diagnosis.model import Device
from apps.sharing.bundles.bundle_redaction import _lines
from apps.sharing.bundles.bundle_texts import series_table
from apps.sharing.redaction.draft import RedactedSpan
from apps.sharing.redaction.kinds import Kind
from apps.telemetry.evidence.captured_series import CapturedSeries

AT = datetime(2026, 11, 21, 2, tzinfo=UTC)


def span(start: int, end: int) -> RedactedSpan:
    return RedactedSpan(start=start, end=end, kind=Kind.HOST)


def test_what_is_hidden_is_told_in_the_letters_of_its_own_line() -> None:
    assert [*_lines("ab\n\ncd", [span(1, 2), span(4, 5)])] == [
        ("ab", [(1, 2, "host")]),
        ("", []),
        ("cd", [(0, 1, "host")]),
    ]


def test_what_begins_with_the_end_of_a_line_or_ends_with_it_belongs_to_one_line() -> None:
    assert [*_lines("ab\ncd", [span(2, 4)])] == [("ab", []), ("cd", [(0, 1, "host")])]
    assert [*_lines("ab\ncd", [span(1, 3)])] == [("ab", [(1, 2, "host")]), ("cd", [])]


def test_a_series_goes_from_the_first_instant_to_the_last_and_no_further() -> None:
    at = np.array([AT.timestamp() + minute * 60 for minute in range(-1, 4)])
    series = CapturedSeries(
        entity=Device(kind="gpu", host="gpu001"),
        signal="temperature",
        meaning="temperature",
        layer="gpu",
        family="heat",
        unit="C",
        at=at,
        values=np.array([1, 2, np.nan, 4, 5], dtype=np.float32),
        peers={},
    )
    table, count = series_table(series, AT, AT + timedelta(minutes=2))
    assert count == 3
    assert [row.rpartition(",")[2] for row in table.decode().splitlines()] == [
        "value",
        "2",
        "",
        "4",
    ]
