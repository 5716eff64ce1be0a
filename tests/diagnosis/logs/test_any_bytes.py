"""Whatever bytes a source holds, however it is cut: reading doesn't raise and makes up no time."""

import io
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from apps.diagnosis.model import Event, LogLine, Origin, Reading
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.read import StreamReader
from apps.telemetry.files import text_pieces

ORIGIN = Origin(source="any")
EXAMPLES = [text for one in load_catalog().values() for text in one.examples]
ENVELOPES = (
    b"%s",
    b"2026-11-09T03:12:44.5Z stderr F %s",
    b"2026-11-09T03:12:44.5Z stdout P %s",
    b'{"log":"%s\\n","stream":"stderr","time":"2026-11-09T03:12:45.1Z"}',
    b'{"log":"%s","stream":"stdout","time":"2026-11-09T03:12:45.1Z"}',
    b'{"MESSAGE":"%s","_HOSTNAME":"n1","SYSLOG_IDENTIFIER":"kernel"}',
    b"__CURSOR=a\nMESSAGE=%s\n",
    b"MESSAGE\n\x10\x00\x00\x00\x00\x00\x00\x00%s\n",
    b"Nov  9 03:12:44 n1 kernel: [ 12.5] %s",
    b"<6>[ 12.5][T9] %s",
    b"6,1,1250,-;%s",
    b"[rank3]:[E1109 03:12:44.5 ProcessGroupNCCL.cpp:683] %s",
    b"\x1b[31m%s\x1b[0m",
    b" 12%%|# |\r%s",
    b"\x00\x00\x00%s\x00",
    b"  3: %s",
    b"%s n1:7:9 [0] NCCL INFO ",
    b"\xff\xfe%s\xc3",
)
SAID = st.one_of(
    st.sampled_from(EXAMPLES).map(str.encode),
    st.builds(lambda text, at: text[at:].encode(), st.sampled_from(EXAMPLES), st.integers(0, 60)),
    st.binary(max_size=80),
)
LINES = st.one_of(
    SAID,
    st.builds(lambda shape, said: shape.replace(b"%s", said), st.sampled_from(ENVELOPES), SAID),
)
SOURCES = st.lists(LINES, max_size=25).map(b"\n".join)
ALERT = "alert told by the webhook of Alertmanager: firing {} severity=critical gpu=3 id=4c1f2b"
# Two writers that end in the middle of a line, in this order.
UNFINISHED = (
    json.dumps(
        {"log": ALERT.format("GPUMissing"), "stream": "stdout", "time": "2026-11-09T03:12:45Z"}
    ),
    f"2026-11-09T03:12:44.5Z stdout P {ALERT.format('GpuXidError')}",
)


class Dripping(io.RawIOBase):
    """A file that gives as many bytes at a time as it pleases."""

    def __init__(self, raw: bytes, sizes: list[int]) -> None:
        self._raw, self._sizes = io.BytesIO(raw), [*sizes, 1 << 20]

    def read(self, size: int = -1) -> bytes:
        return self._raw.read(self._sizes.pop(0) if len(self._sizes) > 1 else size)


def fed(pieces: Iterator[str]) -> list[Reading]:
    """Return what a source says, each piece read by a reader that goes on from a stored state."""
    state, number, found = None, 1, []
    for piece in pieces:
        reader = StreamReader(origin=ORIGIN, state=state)
        found.append(reader.feed(text=piece, first_number=number))
        number += piece.count("\n") + 1
        state = reader.state
    return [*found, StreamReader(origin=ORIGIN, state=state).close()]


def told(readings: list[Reading]) -> dict[tuple[int, str], Event]:
    return {
        (event.line.number, event.signature): event
        for reading in readings
        for event in reading.events
    }


def times(readings: list[Reading]) -> set[datetime]:
    """Return every time that a reading tells, as printed or as an instant."""
    lines: list[LogLine] = [
        event.line for one in readings for event in (*one.events, *one.progress)
    ]
    spans = [extent for one in readings for extent in one.extents]
    ends = [
        at
        for one in spans
        for at in (one.first_at, one.last_at, one.first_local_at, one.last_local_at)
    ]
    return {at for at in [*ends, *(at for one in lines for at in (one.at, one.local_at))] if at}


@given(raw=SOURCES, sizes=st.lists(st.integers(1, 300), max_size=12))
@settings(max_examples=200, deadline=None)
def test_reading_any_bytes_in_any_portions_never_raises(raw: bytes, sizes: list[int]) -> None:
    drip = Dripping(raw, sizes)
    pieces = list(text_pieces.lines(drip))  # type: ignore[arg-type]  # reads like a file of bytes
    counted = sum(extent.line_count for one in fed(iter(pieces)) for extent in one.extents)
    # Two writers may have met on one line, which then counts for both.
    assert counted >= sum(piece.count("\n") + 1 for piece in pieces)
    assert "\n".join(pieces) == "\n".join(text_pieces.lines(io.BytesIO(raw)))


@example(raw="\n".join(UNFINISHED).encode(), cuts=[1])
@given(raw=SOURCES, cuts=st.lists(st.integers(0, 40), max_size=5))
@settings(max_examples=150, deadline=None)
def test_mixed_envelopes_may_be_cut_between_any_lines(raw: bytes, cuts: list[int]) -> None:
    lines = raw.decode("utf-8", "replace").split("\n")
    edges = sorted({0, len(lines), *(cut % len(lines) for cut in cuts)})
    pieces = ["\n".join(lines[start:end]) for start, end in pairwise(edges)]
    assert told(fed(iter(pieces))) == told(fed(iter(["\n".join(lines)])))


@given(raw=SOURCES)
@settings(max_examples=150, deadline=None)
def test_where_no_digit_stands_there_is_no_time(raw: bytes) -> None:
    text = re.sub(r"\d", "", raw.decode("utf-8", "replace"))
    assert times(fed(iter([text]))) == set()


@given(raw=SOURCES)
@settings(max_examples=150, deadline=None)
def test_a_time_that_is_told_stands_in_the_source(raw: bytes) -> None:
    text = re.sub(r"__REALTIME_TIMESTAMP", "", raw.decode("utf-8", "replace"))
    numbers = set(re.findall(r"(?=(\d\d))", text))
    for at in times(fed(iter([text]))):
        assert {f"{at.minute:02}", f"{at.second:02}"} <= numbers | {"59"}  # of a leap second


@pytest.mark.parametrize("stamp", ["Nov  9 03:12:44 n1 kernel: ", "[E1109 03:12:44.5 a.cpp:6] "])
def test_a_year_that_nobody_told_is_not_guessed(stamp: str) -> None:
    text = f"{stamp}NVRM: Xid (PCI:0000:c4:00): 79, pid=51, GPU has fallen off the bus."
    assert times(fed(iter([text]))) == set()
    reader = StreamReader(
        origin=Origin(source="any", received_at=datetime(2026, 11, 10, tzinfo=UTC))
    )
    assert {at.year for at in times([reader.feed(text=text, first_number=1)])} == {2026}
