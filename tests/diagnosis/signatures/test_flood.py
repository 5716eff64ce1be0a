"""What a source repeats without end is a few events that count, and no word of it is lost."""
# ruff: noqa: E501  lines of logs keep their length

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Origin, Reading
from apps.diagnosis.signatures.lines import flood
from apps.diagnosis.signatures.read import read_source

ORIGIN = Origin(source="log")
KERNEL = "2026-11-09T03:{:02}:{:02}+00:00 n1 kernel: "
XID = "NVRM: Xid (PCI:0000:c4:00): {}, pid=51, name=python, Ch 0000001b"
AER = [
    "nvidia 0000:c4:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
    "nvidia 0000:c4:00.0:   device [10de:2330] error status/mask=00000001/0000a000",
    "nvidia 0000:c4:00.0:    [ 0] RxErr                  (First)",
]
REPEATED = {
    "xid": XID.format(94),
    "off the bus": "NVRM: Xid (PCI:0000:c4:00): 79, pid=51, GPU has fallen off the bus.",
    "assertion": "NVRM: nvAssertFailedNoLog: Assertion failed: 0 @ gpu.c:12",
    "link": "mlx5_core 0000:3b:00.0 ens1f0np0: Link down",
    "file server": "nfs: server storage01 not responding, still trying",
    "memory": "Out of memory: Killed process 12 (python) total-vm:123kB, anon-rss:12kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:0",
    "hung task": "INFO: task python:12 blocked for more than 120 seconds.",
}
SPOKEN = st.builds(
    lambda text, minute, second: KERNEL.format(minute, second) + text,
    st.sampled_from([*REPEATED.values(), *AER, XID.format(31), XID.format(45)]),
    st.integers(0, 2),
    st.integers(0, 59),
)


def counted(events: Sequence[Event]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for event in events:
        counts[event.signature] += event.count
    return counts


def read(lines: list[str]) -> Reading:
    return read_source(origin=ORIGIN, text="\n".join(lines))


def at(event: Event) -> tuple[int, int]:
    assert event.line.at is not None
    return event.line.at.minute, event.line.at.second


@pytest.mark.parametrize("text", REPEATED.values(), ids=REPEATED.keys())
def test_a_line_that_is_repeated_is_a_few_events_that_count(text: str) -> None:
    times = [(minute, second) for minute in range(2) for second in range(60) for _ in range(25)]
    told = read([KERNEL.format(*each) + text for each in times]).events
    assert len(told) < 2 * (flood.EQUAL + 2)
    # An echo of a GPU that is lost is no further event; every other line counts.
    assert 0.9 * len(times) <= sum(one.count for one in told) <= len(times)
    assert {(0, 0), (0, 59), (1, 0), (1, 59)} <= set(map(at, told))
    assert read([KERNEL.format(0, 0) + text]).events[0].fields.items() <= told[0].fields.items()


def test_what_is_repeated_in_other_words_is_told_by_its_part() -> None:
    fault = (
        "NVRM: Xid (PCI:0000:c4:00): 31, pid={0}, name=python, MMU Fault: faulted @ 0x7f_{0:08x}"
    )
    lines = [KERNEL.format(5, n % 60) + fault.format(n) for n in range(1000)]
    lines[600] = KERNEL.format(5, 30) + XID.format(62)
    lines[700] = lines[701].replace("c4", "c5")
    told = read(lines).events
    assert len(told) <= flood.FULL + 4
    assert sum(one.count for one in told) == 1000
    # Neither another code nor another device drowns in it.
    assert [one.line.number for one in told if one.fields["xid"] == "62"] == [601]
    assert [one.line.number for one in told if one.fields["pci"] == "0000:c5:00.0"] == [701]


def test_made_up_parts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flood, "MOST_PARTS", 50)
    line = KERNEL.format(5, 1) + "NVRM: Xid (PCI:{:04x}:c4:00): 94, pid=1, Contained: L1"
    told = read([line.format(n) for n in range(500)]).events
    assert (len(told), sum(one.count for one in told)) == (51, 500)


def test_another_end_of_a_record_does_not_drown() -> None:
    usual = [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in <module>',
        "ValueError: a",
    ]
    other = [*usual[:2], "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."]
    told = read([*usual * 200, *other, *usual * 200]).events
    assert counted(told)["py-traceback"] == 401
    assert [one.line.number for one in told if one.signature == "oom-words"] == [603]


def test_records_of_processes_are_told_up_to_a_bound_and_counted_beyond() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "a.py", line {0}, in <module>\nValueError: a'
    )
    told = read([trace.format(n) for n in range(1500)]).events
    begun = [one for one in told if one.signature == "py-traceback"]
    assert flood.FULL_RECORDS <= len(begun) <= flood.FULL_RECORDS + 2
    assert sum(one.count for one in begun) == 1500


def test_what_a_scheduler_says_of_jobs_is_told_each_time() -> None:
    line = "[2026-11-09T03:05:01.000] sched: Allocate JobId={} NodeList=gpu00[1-4] #CPUs=64 Partition=main"
    told = read([line.format(n) for n in range(500)]).events
    assert len({one.fields["job"] for one in told}) == 500


def test_lines_that_envelopes_tell_apart_are_not_equal() -> None:
    text = "\n".join([XID.format(94)] * 200)
    stamps = [datetime(2026, 11, 9, 3, n // 50, n % 50, tzinfo=UTC) for n in range(200)]
    told = read_source(origin=ORIGIN, text=text, stamps=stamps).events
    assert {at(one) for one in told} >= {(n, s) for n in range(4) for s in (0, 49)}
    wrapped = '{{"time":"2026-11-09T03:05:0{}Z","hostname":"n{}","log":"' + XID.format(94) + '"}}'
    told = read([wrapped.format(n % 3, n % 5) for n in range(500)]).events
    assert Counter(one.line.host for one in told for _ in range(one.count)) == {
        f"n{n}": 100 for n in range(5)
    }


@given(lines=st.lists(SPOKEN, min_size=2, max_size=80))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_verdict_can_not_tell_the_difference(
    lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flood, "EQUAL", 10**6)
    whole = read(lines)
    monkeypatch.setattr(flood, "EQUAL", 3)
    few = read(lines)
    assert set(counted(few.events)) == set(counted(whole.events))
    long, short = diagnose(readings=[whole]), diagnose(readings=[few])
    assert (short.verdict, short.failed_at, short.restart) == (
        long.verdict,
        long.failed_at,
        long.restart,
    )
