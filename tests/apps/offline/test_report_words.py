"""Words of a note that depend on how many there are, and on what is known of a time or a host."""

from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing import Value

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, LogLine, Origin, Reading, Stream
from apps.diagnosis.signatures.read import read_source
from apps.offline import report
from apps.offline.condensed_reading import Condenser
from apps.offline.reading.reading_worker import is_free
from apps.offline.report.wording import MOST_NAMES, some
from apps.wording import ENGLISH
from tests.diagnosis.events import event

ORIGIN = Origin(source="rank0.log", stream=Stream.SESSION, host="n1")
QUIET = "[2026-11-09 03:04:05,123] [INFO] step 7: loss 1.25\n" * 3
FAILED = "2026-11-09 03:04:05,123 ERROR RuntimeError: CUDA error: out of memory\n"
ZONE = "states no time zone"


def _read(text: str) -> Diagnosis:
    return diagnose(readings=[read_source(origin=ORIGIN, text=text)])


@pytest.mark.parametrize("left", [0, 1, 2])
def test_names_beyond_the_first_few_are_counted_also_where_it_is_one(left: int) -> None:
    names = [f"gpu{number:03}" for number in range(MOST_NAMES + left)]
    said = some(names, speaker=ENGLISH)
    assert said.startswith(", ".join(names[:MOST_NAMES]))
    assert (names[-1] in said, f"{left} more" in said) == (not left, bool(left))


@pytest.mark.parametrize("hosts", [(), ("n1", "n2")])
def test_what_is_missing_names_its_hosts_where_they_are_known(hosts: tuple[str, ...]) -> None:
    found = _read(QUIET)
    (first, *others) = found.hypotheses
    lacking = replace(first.missing[0], hosts=hosts)
    asked = replace(found, hypotheses=(replace(first, missing=(lacking,)), *others))
    text = report.as_text(diagnosis=asked)
    told = "scheduler-log of n1, n2, held" if hosts else "scheduler-log, held"
    assert told in text
    assert "of , held" not in text


def test_the_zone_of_printed_times_is_said_where_any_time_is() -> None:
    found = _read(FAILED)
    assert ZONE in report.as_text(diagnosis=replace(found, timeline=()))
    assert ZONE in report.as_text(diagnosis=replace(found, failed_at=None))
    assert ZONE not in report.as_text(diagnosis=replace(found, failed_at=None, timeline=()))
    assert ZONE not in report.as_text(diagnosis=_read(QUIET))


def _condensed(*lines: LogLine) -> int:
    condenser = Condenser(origin=ORIGIN)
    events = tuple(replace(event("cuda-oom"), line=line) for line in lines)
    condenser.add(Reading(origin=ORIGIN, events=events))
    return len(condenser.reading().events)


def test_lines_of_two_minutes_stay_apart_in_any_clock() -> None:
    line = replace(event("cuda-oom").line, at=None, local_at=None, uptime_seconds=None)
    first = datetime(2026, 11, 9, 3, 4, tzinfo=UTC)
    later = first.replace(minute=9)
    times = [first, first, first, later]
    zoned = [replace(line, at=at, number=place) for place, at in enumerate(times)]
    printed = [
        replace(each, at=None, local_at=at.replace(tzinfo=None))
        for each, at in zip(zoned, times, strict=True)
    ]
    booted = [
        replace(line, uptime_seconds=at, number=place)
        for place, at in enumerate([61.0, 62.0, 63.0, 3600.0])
    ]
    assert [_condensed(*some) for some in (zoned, printed, booted)] == [3, 3, 3]


def test_a_source_is_read_by_one_process_alone() -> None:
    taken = Value("i", 0)
    assert [is_free(index, taken) for index in (0, 0, 1, 3, 2, 3, 4)] == [
        *(True, False, True, True),
        *(False, False, True),
    ]
