"""A source that repeats itself becomes a few events that count, and the verdict stays the same."""
# ruff: noqa: E501  lines of logs keep their length

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Origin, Reading
from apps.diagnosis.signatures.read import StreamReader, read_source
from apps.offline.condensed_reading import FULL, Condenser
from apps.offline.steps_beside import SIGNS

ORIGIN = Origin(source="log", host="n1")
CLOSED = "[2026-11-09 03:{:02}:{:02}] n1:7:9 [0] misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer {}<4000>"
XID = "2026-11-09T03:{:02}:{:02}+00:00 n1 kernel: NVRM: Xid (PCI:0000:c4:00): 79, pid=51, GPU has fallen off the bus."
STEP = " [2026-11-09 03:{0:02}:{1:02}] iteration {1}/ 90 | consumed samples: 5 | elapsed time per iteration (ms): 8.0 |"
GONE = (
    "state=State(rank=3) InterruptionRecord(rank=16, interruption=<Interruption.HARD_TIMEOUT: 4>)"
)
LINES = st.builds(
    lambda text, minute, second, peer: text.format(minute, second, peer),
    st.sampled_from([CLOSED, XID, STEP]),
    st.integers(0, 3),
    st.integers(0, 59),
    st.sampled_from(["n2", "n3"]),
)


def readings(text: str) -> list[Reading]:
    reader, lines = StreamReader(origin=ORIGIN), text.split("\n")
    half = len(lines) // 2
    parts = [
        reader.feed(text="\n".join(lines[:half]), first_number=1),
        reader.feed(text="\n".join(lines[half:]), first_number=half + 1),
    ]
    return [*parts, reader.close()]


def condensed(parts: list[Reading]) -> Reading:
    condenser = Condenser(origin=ORIGIN)
    for part in parts:
        condenser.add(part)
    return condenser.reading()


def counted(events: tuple[Event, ...]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for event in events:
        counts[event.signature] += event.count
    return counts


@given(lines=st.lists(LINES, min_size=2, max_size=60))
@settings(max_examples=60, deadline=None)
def test_a_condensed_source_counts_the_same_and_gives_the_same_diagnosis(lines: list[str]) -> None:
    text = "\n".join(lines)
    whole = read_source(origin=ORIGIN, text=text)
    one = condensed([whole])
    assert counted(condensed(readings(text)).events) == counted(whole.events)
    long, short = diagnose(readings=[whole]), diagnose(readings=[one])
    assert (short.verdict, short.symptoms) == (long.verdict, long.symptoms)
    assert (short.failed_at, short.restart, short.coverage) == (
        long.failed_at,
        long.restart,
        long.coverage,
    )


def test_a_storm_of_one_minute_is_two_events() -> None:
    one = condensed(
        readings("\n".join(CLOSED.format(5, second % 60, "n2") for second in range(500)))
    )
    assert [event.count for event in one.events] == [499, 1]
    assert [event.line.number for event in one.events] == [1, 480]  # of second 0 and 59


def test_a_storm_in_ever_new_words_is_bounded() -> None:
    text = "\n".join(CLOSED.format(5, 1, f"n{number}") for number in range(FULL * 5))
    one = condensed(readings(text))
    assert len(one.events) == FULL + 2
    assert counted(one.events) == {"nccl-socket-closed": FULL * 5}


def test_extents_of_one_voice_become_one() -> None:
    text = "\n".join(STEP.format(minute, minute) for minute in range(60))
    (extent,) = condensed(readings(text)).extents
    assert (extent.line_count, extent.last_number) == (60, 60)
    assert extent.first_local_at is not None
    assert extent.last_local_at is not None
    assert (extent.first_local_at.minute, extent.last_local_at.minute) == (0, 59)


@given(
    lines=st.lists(st.one_of(LINES, st.just(GONE)), min_size=2, max_size=60),
    cut=st.integers(0, 60),
)
@settings(max_examples=60, deadline=None)
def test_steps_are_read_only_around_what_asks_for_them_and_say_the_same(
    lines: list[str], cut: int
) -> None:
    parts = [part for part in (lines[:cut], lines[cut:]) if part]
    kept = [
        condensed(_read(parts, points_beside=beside)).points for beside in (SIGNS, frozenset[str]())
    ]
    assert kept[0] == kept[1]
    has_steps = any("iteration" in line for line in lines)
    assert bool(kept[0]) == (GONE in lines and has_steps)


def _read(parts: list[list[str]], *, points_beside: frozenset[str]) -> list[Reading]:
    reader, number, found = StreamReader(origin=ORIGIN, points_beside=points_beside), 1, []
    for part in parts:
        found.append(reader.feed(text="\n".join(part), first_number=number))
        number += len(part)
    return [*found, reader.close()]
