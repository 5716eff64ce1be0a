"""A source read in any cuts says the same; set-up noise is told once; winners are the most
specific."""
# ruff: noqa: E501  lines of logs keep their length

import time
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.model import Event, Origin, Reading, Role
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.read import StreamReader, read_source
from apps.diagnosis.signatures.reader_state import STATE_LIMIT
from tests.diagnosis.signatures.record_texts import CHAIN, TABLE, TRIPLE

ORIGIN = Origin(source="log")
RECORDS = "\n".join((CHAIN, "noise", TABLE, TRIPLE, "more noise", CHAIN.replace("rank3", "rank4")))
EXAMPLES = [example for one in load_catalog().values() for example in one.examples]


def told(readings: list[Reading]) -> dict[tuple[int, str], Event]:
    """Return the union of all events, the later progress replacing the earlier."""
    events = {
        (one.line.number, one.signature): one for reading in readings for one in reading.events
    }
    progress = {
        (one.line.host, one.line.rank, one.signature): one
        for reading in readings
        for one in reading.progress
    }
    return events | {(one.line.number, one.signature): one for one in progress.values()}


def in_cuts(*, text: str, cuts: list[int]) -> list[Reading]:
    lines = text.split("\n")
    edges = [0, *sorted({cut % len(lines) for cut in cuts} - {0}), len(lines)]
    state, readings = None, []
    for start, end in pairwise(edges):
        reader = StreamReader(origin=ORIGIN, state=state)
        readings.append(reader.feed(text="\n".join(lines[start:end]), first_number=start + 1))
        state = reader.state
    return [*readings, StreamReader(origin=ORIGIN, state=state).close()]


@given(cuts=st.lists(st.integers(0, 200), max_size=12))
@settings(max_examples=60, deadline=None)
def test_cutting_a_source_anywhere_gives_the_same_events(cuts: list[int]) -> None:
    assert told(in_cuts(text=RECORDS, cuts=cuts)) == told(
        [read_source(origin=ORIGIN, text=RECORDS)]
    )


@given(
    lines=st.lists(st.sampled_from(EXAMPLES), min_size=2, max_size=25),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
@settings(max_examples=80, deadline=None)
def test_any_mixture_of_known_lines_may_be_cut(lines: list[str], cuts: list[int]) -> None:
    text = "\n".join(lines)
    assert told(in_cuts(text=text, cuts=cuts)) == told([read_source(origin=ORIGIN, text=text)])


WRAPPED = [
    '{"log":"NVRM: Xid (PCI:0000:c4","stream":"stderr","time":"2026-11-09T03:12:44Z"}',
    '{"log":":00): 62, x\\n","stream":"stderr","time":"2026-11-09T03:12:45Z"}',
    '{"log":"hello\\n","stream":"stdout","time":"2026-11-09T03:12:45Z"}',
    "2026-11-09T03:12:44Z stderr P NVRM: Xid (PCI:0000:c4",
    "2026-11-09T03:12:45Z stderr F :00): 62, x",
    "plain",
    '{"level": "info"}',
]


@given(
    lines=st.lists(st.sampled_from(WRAPPED), min_size=2, max_size=20),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
@settings(max_examples=80, deadline=None)
def test_wrapped_lines_may_be_cut_anywhere(lines: list[str], cuts: list[int]) -> None:
    text = "\n".join(lines)
    assert told(in_cuts(text=text, cuts=cuts)) == told([read_source(origin=ORIGIN, text=text)])


def test_a_journal_export_may_be_cut_anywhere() -> None:
    block = "__CURSOR=a\n__REALTIME_TIMESTAMP=1794197564123456\nMESSAGE=NVRM: Xid (PCI:0000:c4:00): {}, x\n"
    text = "\n".join(block.format(code) for code in (62, 79, 48))
    for cut in range(1, text.count("\n")):
        assert told(in_cuts(text=text, cuts=[cut])) == told([read_source(origin=ORIGIN, text=text)])


def test_a_silent_record_ends_and_lets_the_rest_be_skipped() -> None:
    text = "[ 1.5] NVRM: The NVIDIA GPU 0000:c4:00.0\n" + "innocent\n" * 500
    reader = StreamReader(origin=ORIGIN)
    reader.feed(text=text, first_number=1)
    assert reader.close().events == ()


def test_an_xid_gets_the_uuid_that_the_driver_named_before() -> None:
    text = (
        "NVRM: GPU at PCI:0000:c4:00: GPU-1F3C7B20-94de-4a61-8b0a-6c2e5d7f9a13\n"
        "NVRM: Xid (PCI:0000:C4:00): 62, x"
    ).replace("1F3C7B20", "1f3c7b20")
    _, event = read_source(origin=ORIGIN, text=text).events
    assert event.fields["uuid"] == "1f3c7b20-94de-4a61-8b0a-6c2e5d7f9a13"


def test_the_state_stays_small() -> None:
    reader = StreamReader(origin=ORIGIN)
    start = "n{0}:{0}:9 [0] NCCL INFO ncclCommInitRankConfig comm 0x55 rank {0} nranks 9000 cudaDev 0 nvmlDev 0 busId c4000 commId 0xabc - Init START\n[rank{0}]: Traceback (most recent call last):"
    reader.feed(text="\n".join(start.format(number) for number in range(3000)), first_number=1)
    assert len(reader.state) <= STATE_LIMIT


def test_set_up_facts_are_told_once_a_process() -> None:
    line = "n7:91:95 [2] NCCL INFO Channel {:02}/0 : 11[3] -> 19[3] [send] via NET/IB/3/GDRDMA"
    text = "\n".join(line.format(channel) for channel in range(16))
    assert len(read_source(origin=ORIGIN, text=text).events) == 1


def test_of_progress_only_the_latest_is_told() -> None:
    line = " [2026-11-09 03:12:{0}] iteration {0}/ 90 | consumed samples: 5 | elapsed time per iteration (ms): 8.0 |"
    reading = read_source(
        origin=ORIGIN, text="\n".join(line.format(number) for number in range(10, 40))
    )
    (latest,) = reading.progress
    assert (latest.role, latest.fields["iteration"], reading.events) == (Role.PROGRESS, "39", ())


def test_of_hosts_that_only_an_envelope_names_each_has_its_own_progress() -> None:
    line = '{{"log":" iteration {0}/ 90 | consumed samples: 5 | elapsed time per iteration (ms): 8.0 |\\n","stream":"stdout","time":"2026-11-09T03:12:1{0}Z","hostname":"gpu{1}"}}'
    text = "\n".join(line.format(number, number % 2) for number in range(1, 9))
    reading = read_source(origin=ORIGIN, text=text)
    assert {one.line.host: one.fields["iteration"] for one in reading.progress} == {
        "gpu0": "8",
        "gpu1": "7",
    }


VOICES = (
    "{}",
    "[rank{rank}]:{}",
    "[rank{rank}]: {at} {}",
    "{rank}: {}",
    "[{at}] [INFO] [logging.py:107:log_dist] [Rank {rank}] {}",
    "[default{rank}]:[{at}] {}",
    "gpu00{rank}:{rank}:{rank} [0] NCCL INFO {}",
    "{at} gpu00{rank} trainer[4{rank}]: {}",
    "{at}Z stdout F {}",
    '{"log":"{}\\n","stream":"stdout","time":"{at}Z","hostname":"gpu{rank}"}',
    "Nov  9 {clock} gpu00{rank} trainer[4{rank}]: {}",
    " 12%|#  |\r{}",
)
PROGRESS = [
    example.replace('"', "'")
    for one in load_catalog().values()
    for example in one.examples
    if one.role is Role.PROGRESS
]
INIT = "gpu00{0}:{0}:{0} [0] NCCL INFO ncclCommInitRank comm 0x5{0} rank {0} nranks 9 cudaDev 0 nvmlDev 0 busId {0}000 commId 0xabc - Init COMPLETE"


@st.composite
def spoken(draw: st.DrawFn) -> str:
    rank, clock = draw(st.integers(0, 3)), f"03:12:{draw(st.integers(10, 59))}"
    said = draw(st.sampled_from(VOICES)).replace("{}", draw(st.sampled_from(PROGRESS)))
    line = said.replace("{rank}", str(rank)).replace("{at}", f"2026-11-09T{clock}")
    return draw(st.sampled_from([line.replace("{clock}", clock)] * 9 + [INIT.format(rank)]))


@given(lines=st.lists(spoken(), min_size=2, max_size=40))
@settings(max_examples=150, deadline=None)
def test_progress_of_many_voices_is_that_of_a_reading_line_by_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    line_by_line = told(in_cuts(text=text, cuts=list(range(len(lines)))))
    assert line_by_line == told([read_source(origin=ORIGIN, text=text)])


def test_progress_is_of_the_rank_that_was_known_when_it_was_printed() -> None:
    step = "gpu001:1:1 [0] NCCL INFO AllReduce: opCount {} sendbuff 0x7f recvbuff 0x7e count 4096 datatype 7 op 0 root 0 comm 0x51 [nranks=8] stream 0x55"
    text = "\n".join([step.format(1), step.format(2), INIT.format(1), step.format(3)])
    reading = read_source(origin=ORIGIN, text=text)
    launches = {(one.line.rank, one.line.number) for one in reading.progress}
    assert {(None, 2), (1, 4)} <= launches


def test_steps_that_wait_are_told_before_a_restart_forgets_their_times() -> None:
    bar = " {}%|#  | {}/1000 [08:21<1:01:18,  4.18s/it]"
    lines = [f"gpu001: {bar.format(12, 120 + each)}" for each in range(3)]
    text = "\n".join(
        [
            *lines,
            "gpu001:1:1 [0] NCCL INFO ncclCommInitRank comm 0x51 rank 1 nranks 9 cudaDev 0 nvmlDev 0 busId 1000 commId 0xabc - Init START",
        ]
    )
    line_by_line = told(in_cuts(text=text, cuts=[0, 1, 2, 3]))
    assert told([read_source(origin=ORIGIN, text=text)]) == line_by_line


def test_a_record_of_an_earlier_part_is_heard_there_and_told_when_it_ends() -> None:
    xid = "2026-11-{} gpu007 kernel: NVRM: Xid (PCI:0000:{}:00): 79, pid=1, GPU has fallen off the bus."
    reader = StreamReader(origin=ORIGIN)
    reader.feed(text=xid.format("09T03:12:41+00:00", "3b"), first_number=1)
    later = reader.feed(text=xid.format("12T03:12:41+00:00", "5e"), first_number=2)
    assert [event.line.number for event in later.events] == [1]
    assert [str(each.first_at)[:10] for each in later.extents] == ["2026-11-12"]


def test_no_record_begins_with_progress() -> None:
    for example in PROGRESS:
        reader = StreamReader(origin=ORIGIN)
        reader.feed(text=example, first_number=1)
        assert not reader._book.open


def test_an_error_behind_a_progress_bar_is_seen() -> None:
    text = " 12%|#  | 120/1000 [08:21<1:01:18,  4.18s/it]\rRuntimeError: DataLoader worker (pid 51) is killed by signal: Killed. "
    assert [event.signature for event in read_source(origin=ORIGIN, text=text).events] == [
        "dataloader-killed"
    ]


def test_an_error_deep_in_a_long_line_of_redraws_is_seen() -> None:
    text = "50%|#####\r" * 5000 + "NVRM: Xid (PCI:0000:c4:00): 62, x"
    assert [event.signature for event in read_source(origin=ORIGIN, text=text).events] == [
        "nvrm-xid"
    ]


def test_line_numbers_count_from_the_number_given() -> None:
    reader = StreamReader(origin=ORIGIN)
    reading = reader.feed(text="a\nb\nNVRM: Xid (PCI:0000:c4:00): 62, x\nc", first_number=1001)
    assert [event.line.number for event in reading.events] == [1003]


def test_an_empty_source_says_nothing() -> None:
    reading = read_source(origin=ORIGIN, text="")
    assert (reading.events, reading.progress) == ((), ())


def test_a_line_made_of_every_literal_costs_little() -> None:
    literals = [literal for one in load_catalog().values() for literal in one.literals]
    started = time.process_time()
    read_source(origin=ORIGIN, text="\n".join([" ".join(literals)[:8000]] * 20))
    assert time.process_time() - started < 2
