"""How far each voice was heard, without reading every line."""

from datetime import UTC, datetime

import pytest

from apps.diagnosis.model import Extent, Origin
from apps.diagnosis.signatures.read import read_source


def local(*parts: int) -> datetime:
    """Return a time as printed, whose zone nobody said."""
    return datetime(*parts)  # type: ignore[arg-type]  # noqa: DTZ001  naive on purpose


def extents(text: str, *, host: str | None = None) -> tuple[Extent, ...]:
    return read_source(origin=Origin(source="log", host=host), text=text).extents


def test_a_source_of_one_voice_has_one_extent() -> None:
    text = "\n".join(
        ["banner", *(f"[2026-11-09T03:{minute:02}:00] x" for minute in range(50)), "tail"]
    )
    (extent,) = extents(text, host="n7")
    assert (extent.host, extent.line_count, extent.last_number) == ("n7", 52, 52)
    assert (extent.first_local_at, extent.last_local_at) == (
        local(2026, 11, 9, 3, 0),
        local(2026, 11, 9, 3, 49),
    )


def test_times_of_events_between_silent_ends_count() -> None:
    text = "\n".join(
        ["banner"] * 60
        + ["[2026-11-09T03:04:00] error: Nodes n7 not responding, setting DOWN"]
        + ["tail"] * 60
    )
    (extent,) = extents(text)
    assert extent.last_local_at == local(2026, 11, 9, 3, 4)


def test_a_source_without_text_has_no_extent() -> None:
    assert extents("") == ()


@pytest.mark.parametrize(
    "line",
    [
        "Nov  9 03:{minute:02}:00 {host} kernel: x",
        "Nov  9 03:{minute:02}:00.109368 {host} kernel: x",
        '{{"__REALTIME_TIMESTAMP": "17941975{minute:02}000000", "_HOSTNAME": "{host}", "_TRANSPORT": "kernel", "MESSAGE": "x"}}',  # noqa: E501  one line of a log
    ],
)
def test_each_host_of_a_relay_has_its_own_extent(line: str) -> None:
    text = "\n".join(
        line.format(minute=minute, host=host) for minute in range(30) for host in ("n1", "n2")
    )
    assert sorted((one.host or "", one.line_count) for one in extents(text)) == [
        ("n1", 30),
        ("n2", 30),
    ]


def test_each_rank_has_its_own_extent() -> None:
    text = "\n".join(
        f"[rank{rank}]:[I1109 03:{minute:02}:00.0 a.cpp:1] x"
        for minute in range(30)
        for rank in (0, 1, 2)
        if rank != 2 or minute < 7
    )
    found = {
        one.rank: one
        for one in read_source(
            origin=Origin(source="log", received_at=datetime(2026, 11, 10, tzinfo=UTC)), text=text
        ).extents
    }
    assert {rank: one.line_count for rank, one in found.items()} == {0: 30, 1: 30, 2: 7}
    assert found[2].last_local_at == local(2026, 11, 9, 3, 6)
    assert found[0].last_local_at == local(2026, 11, 9, 3, 29)


def test_lines_without_a_rank_are_counted_apart() -> None:
    found = {one.rank: one.line_count for one in extents("[rank0]: a\nplain\n[rank0]: b")}
    assert found == {0: 2, None: 1}


def test_labelled_tasks_are_voices() -> None:
    assert {one.rank: one.line_count for one in extents("0: a\n1: b\n0: c")} == {0: 2, 1: 1}


def test_the_hosts_of_a_relay_are_voices() -> None:
    text = (
        "Nov  9 03:12:44 n7 kernel: a\nNov  9 03:12:45 n8 kernel: b\nNov  9 03:12:46 n7 kernel: c"
    )
    assert {one.host: one.line_count for one in extents(text)} == {"n7": 2, "n8": 1}
