"""Lines that an agent read late stand where they were printed; what it followed stays."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Origin, Reading, Stream
from apps.diagnosis.reasoning.timing.clocks.late_lines import redated
from apps.diagnosis.signatures.read import read_source

READ = datetime(2026, 11, 22, 12, 7, 13, tzinfo=UTC)
HOUR = timedelta(hours=1)
WARN = "misc/socket.cc:57 NCCL WARN socketProgress: Connection closed by remote peer gpu021<40161>"


def line(printed: datetime, zone: timedelta = timedelta(0)) -> str:
    """Return what NCCL prints: a local time without a zone."""
    return f"[{printed + zone:%Y-%m-%d %H:%M:%S}] gpu017:2203:2300 [0] {WARN}"


def read(lines: Sequence[tuple[datetime, str]], zone: str | None = None) -> Reading:
    """Return what a pushed stream says; each line with the time at which an agent read it."""
    origin = Origin(source="stream:1", stream=Stream.SESSION, host="gpu017", rank=136, zone=zone)
    text = "\n".join(text for _, text in lines)
    return read_source(origin=origin, text=text, stamps=[at for at, _ in lines])


def dated(reading: Reading, **zones: str) -> tuple[list[Event], timedelta | None]:
    """Return the events as they are placed, and the doubt about their source."""
    found, doubts = redated(readings=[reading], zones=zones, aliases={})
    return list(found[0].events), doubts.get("stream:1")


def times(reading: Reading, **zones: str) -> list[datetime | None]:
    """Return when the events were, as they are placed."""
    return [event.line.at for event in dated(reading, **zones)[0]]


PRINTED = [READ - timedelta(seconds=89), READ - timedelta(seconds=87)]


@pytest.mark.parametrize("hours", [0, 9, -5, 5.5])
def test_lines_read_a_minute_late_stand_where_they_were_printed(hours: float) -> None:
    reading = read([(READ, line(at, HOUR * hours)) for at in PRINTED])
    assert times(reading) == PRINTED
    assert dated(reading)[1] is None


@pytest.mark.parametrize("hours", [0, 9, -5])
def test_lines_of_a_followed_log_keep_the_time_of_reading(hours: float) -> None:
    written = [READ + timedelta(seconds=each) for each in (0, 30, 60)]
    reading = read([(at, line(at - timedelta(seconds=1), HOUR * hours)) for at in written])
    assert redated(readings=[reading], zones={}, aliases={}) == ([reading], {})


def test_a_log_of_the_morning_that_is_read_now_is_of_the_morning_and_its_zone_in_doubt() -> None:
    morning = [READ - HOUR * 3.3 + timedelta(seconds=each) for each in (0, 5)]
    reading = read([(READ, line(at)) for at in morning])
    events, doubt = dated(reading)
    local = [at.replace(tzinfo=None, microsecond=0) for at in morning]
    assert [(event.line.at, event.line.local_at) for event in events] == [
        (None, at) for at in local
    ]
    assert doubt is not None
    assert HOUR * 3 < doubt < HOUR * 4
    diagnosis = diagnose(readings=[reading])
    moment = next(one for one in diagnosis.timeline if one.event)
    assert moment.at is not None
    assert abs(moment.at - morning[0]) < timedelta(seconds=6)
    assert moment.clock_error == doubt


def test_the_end_of_a_log_that_is_followed_tells_the_zone_of_what_was_read_late() -> None:
    early = READ - HOUR * 2.4
    reading = read([(READ, line(early, HOUR * 9)), (READ + HOUR, line(READ + HOUR, HOUR * 9))])
    assert times(reading) == [early.replace(microsecond=0), READ + HOUR]
    assert dated(reading)[1] is None


def test_a_host_whose_zone_is_told_needs_no_guess() -> None:
    early = READ - HOUR * 2.4
    reading = read([(READ, line(early, HOUR * 9))])
    assert times(reading, gpu017="Asia/Seoul") == [early.replace(microsecond=0)]
    assert dated(reading, gpu017="Asia/Seoul")[1] is None


def test_a_line_is_never_placed_after_it_was_read() -> None:
    early = READ - HOUR * 2.4
    reading = read([(READ, line(early, HOUR * 9))])
    events, doubt = dated(reading)
    assert events[0].line.at is not None
    assert events[0].line.at <= READ
    assert doubt is not None
    assert abs(events[0].line.at - early) <= doubt


def test_a_printed_time_that_no_zone_explains_changes_nothing() -> None:
    reading = read([(READ, line(READ + HOUR * 40))])
    assert redated(readings=[reading], zones={}, aliases={}) == ([reading], {})


def test_a_line_without_a_time_in_a_log_that_was_read_late_has_none() -> None:
    first = read([(READ, line(READ - HOUR * 3.3))])
    bare = replace(first.events[0], line=replace(first.events[0].line, local_at=None, number=2))
    reading = replace(first, events=(*first.events, bare))
    assert times(reading) == [None, None]


def test_one_line_that_tells_an_earlier_time_takes_no_time_from_a_followed_log() -> None:
    written = [READ + timedelta(seconds=each) for each in (0, 30, 60)]
    followed = read([(at, line(at)) for at in written])
    bare, *others = followed.events
    bare = replace(bare, line=replace(bare.line, local_at=None))
    dead = others[-1].line
    assert dead.local_at is not None
    dead = replace(dead, local_at=dead.local_at - timedelta(seconds=20))
    reading = replace(followed, events=(bare, others[0], replace(others[-1], line=dead)))
    assert times(reading) == [written[0], written[1], written[2] - timedelta(seconds=20)]


@pytest.mark.parametrize("hours", [0, 9, -5])
def test_a_followed_log_that_hung_and_died_without_a_time_ends_when_it_was_read(
    hours: float,
) -> None:
    written = [READ + timedelta(seconds=each) for each in (0, 30, 60)]
    followed = read([(at, line(at, HOUR * hours)) for at in written])
    died = READ + timedelta(minutes=31)
    bare = replace(followed.events[0].line, at=died, local_at=None)
    reading = replace(
        followed,
        events=(replace(followed.events[0], line=bare),),
        extents=tuple(replace(each, last_at=died) for each in followed.extents),
    )
    assert redated(readings=[reading], zones={}, aliases={}) == ([reading], {})


def test_a_label_with_the_zone_decides() -> None:
    early = READ - HOUR * 2.4
    reading = read([(READ, line(early, HOUR * 9))], zone="Asia/Seoul")
    assert times(reading) == [early.replace(microsecond=0)]
