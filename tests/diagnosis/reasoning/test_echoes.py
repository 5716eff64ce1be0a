"""dmesg, syslog and journal of one host tell the same lines: a fact told three times is one."""

from datetime import timedelta

import pytest

from apps.diagnosis.model import Event, Origin, Stream
from apps.diagnosis.reasoning.observations.echoes import without_echoes
from apps.diagnosis.signatures.read import read_source

XID = "NVRM: Xid (PCI:0000:b7:00): 79, pid=41, name=llm, GPU has fallen off the bus."
AER = "pcieport 0000:16:01.0: AER: Corrected error received: 0000:18:00.0"


def said(source: str, text: str, host: str = "n12") -> list[Event]:
    origin = Origin(source=source, stream=Stream.KERNEL, host=host)
    return list(read_source(origin=origin, text=text).events)


def once(events: list[Event]) -> list[str]:
    kept = without_echoes(
        events=events,
        instant=lambda event: (event.line.at, timedelta(0)),
        host_of=lambda event: event.line.host or event.line.origin.host,
    )
    return [event.line.origin.source for event in kept]


def test_the_same_line_in_three_logs_of_a_host_is_one() -> None:
    events = [
        *said("dmesg", f"[ 1843.308145] {XID}"),
        *said("kern.log", f"Nov  9 03:12:44 n12 kernel: [ 1843.308145] {XID}"),
        *said("journal", f"2026-11-09T03:12:44+00:00 n12 kernel: {XID}"),
    ]
    assert once(events) == ["dmesg"]
    assert once(events[::-1]) == ["dmesg"]


def test_times_may_differ_by_the_drift_of_dmesg() -> None:
    events = [
        *said("a", f"2026-11-09T03:12:44+00:00 n12 kernel: {XID}"),
        *said("b", f"2026-11-09T03:12:47+00:00 n12 kernel: {XID}"),
    ]
    assert once(events) == ["a"]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        (f"2026-11-09T03:42:44+00:00 n12 kernel: {XID}", "n12"),
        (f"2026-11-09T03:12:44+00:00 n13 kernel: {XID}", "n13"),
        (f"2026-11-09T03:12:44+00:00 n12 kernel: {XID.replace('b7', 'b8')}", "n12"),
    ],
)
def test_another_time_host_or_part_is_another_fact(text: str, host: str) -> None:
    first = said("a", f"2026-11-09T03:12:44+00:00 n12 kernel: {XID}")
    assert once([*first, *said("b", text, host)]) == ["a", "b"]


def test_repeats_in_one_log_all_count() -> None:
    storm = "\n".join(f"2026-11-09T03:12:4{second}+00:00 n12 kernel: {AER}" for second in range(4))
    assert once([*said("a", storm), *said("b", storm)]) == ["a"] * 4


def test_a_log_that_begins_later_adds_what_only_it_has() -> None:
    storm = [f"2026-11-09T03:12:0{second}+00:00 n12 kernel: {AER}" for second in range(3)]
    later = f"2026-11-09T03:20:00+00:00 n12 kernel: {AER}"
    events = [*said("a", "\n".join(storm)), *said("b", f"{storm[2]}\n{later}")]
    assert once(events) == ["a", "a", "a", "b"]
