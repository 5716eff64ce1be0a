"""A dump becomes lines of a log and comes back from them; anything else is left alone."""

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.dumps import dump_lines, rank_sets
from apps.diagnosis.dumps.dump_lines import as_text, looks_like_dump
from apps.diagnosis.dumps.flight.flight_lines import record_lines, records_of
from apps.diagnosis.dumps.flight.flight_recorder import records
from apps.diagnosis.model import Origin
from apps.diagnosis.signatures.read import read_source
from apps.offline.reading.source_reading import read_source as read_file
from apps.telemetry.files.text_sources import open_paths
from tests.diagnosis.dumps.dumping import as_json, call, dump, pickled

NOW = datetime(2026, 11, 21, tzinfo=UTC)
DUMP = dump(
    1,
    call("1", 8, order=90, sizes=(4, 16)),
    call("0", 5, "send 1->3", order=95),
    call("0", 6, "recv 1<-2", order=96, state="started"),
    status={"0": (6, 4), "1": (8, 7), "4": (3, 3)},
)


def _text(data: bytes, name: str = "nccl_trace_rank_1") -> str:
    text = as_text(data=data, name=name)
    assert text is not None
    return text


def test_pickle_and_json_of_one_dump_are_the_same_line() -> None:
    assert _text(pickled(DUMP)) == _text(as_json(DUMP)) == _text(pickled(DUMP, protocol=4))


def test_a_record_comes_back_from_its_lines() -> None:
    found = records(dump=DUMP, name="rank1")
    assert records_of(texts=_text(as_json(DUMP)).split("\n")) == found


def test_a_line_is_an_event_of_its_rank_at_the_last_call() -> None:
    (event,) = read_source(origin=Origin(source="d"), text=_text(pickled(DUMP))).events
    assert (event.signature, event.line.rank) == ("flight-recorder-unfinished", 1)
    assert event.line.at == datetime(2026, 9, 21, 14, 13, 20, 96000, tzinfo=UTC)
    assert records_of(texts=[event.line.text]) == records(dump=DUMP, name="rank1")


def test_a_dump_in_which_all_had_finished_is_idle() -> None:
    text = _text(as_json(dump(1, call("1", 8, state="completed"))))
    (event,) = read_source(origin=Origin(source="d"), text=text).events
    assert event.signature == "flight-recorder-idle"


def test_a_record_of_many_groups_takes_several_lines_that_a_log_may_have() -> None:
    groups = {str(i): (f"group {i} " * 12, tuple(range(0, 64, i + 1))) for i in range(200)}
    value = dump(0, *[call(str(i), i, order=i, groups=groups) for i in range(200)], groups=groups)
    (record,) = records(dump=value, name="rank0")
    found = record_lines(record=record)
    assert len(found) > 1
    assert max(map(len, found)) < 8192
    back = records_of(texts=Random(3).sample(found, len(found)))  # noqa: S311  repeatable
    assert standing(back) == standing([record])


def standing(found: list[Any]) -> list[Any]:
    """Return records without the order of their groups."""
    return [(one.rank, one.until_ns, sorted(map(repr, one.groups))) for one in found]


def test_a_pickle_that_holds_more_gives_a_line_that_says_so() -> None:
    text = _text(b"\x80\x02cos\nsystem\n(U\x02idtR.", "up/rank3.pkl")
    (event,) = read_source(origin=Origin(source="d"), text=text).events
    assert (event.signature, event.fields["file"]) == ("dump-refused", "up/rank3.pkl")
    assert "opcode GLOBAL" in event.fields["why"]


@pytest.mark.parametrize("value", [{"a": 1}, [1, 2], {"entries": 4}, "text"])
def test_other_pickles_are_refused_and_other_json_is_left_alone(value: Any) -> None:
    assert dump_lines.REFUSED in _text(pickled(value))
    assert as_text(data=as_json(value), name="rank1") is None


@pytest.mark.parametrize(
    ("head", "is_dump"),
    [
        (pickled(DUMP)[:40], True),
        (as_json(DUMP)[:200], True),
        (b'\n {"entries":[{"collective_seq_id":4', True),
        (b'{"log":"step 1","stream":"stdout"}', False),
        (b"[rank0]: starting", False),
        (b"\x80\xff\x00", False),
        (b"", False),
    ],
)
def test_a_dump_is_recognised_by_how_it_begins(*, head: bytes, is_dump: bool) -> None:
    assert looks_like_dump(head=head) is is_dump


@pytest.mark.parametrize(
    "text",
    [
        "faultline.flight-recorder unfinished {",
        'faultline.flight-recorder unfinished {"rank":"x"}',
        "faultline.flight-recorder unfinished " + "[" * 5000,
        'faultline.flight-recorder idle {"rank":1,"entries":0,"since":null,"until":0,"groups":[1]}',
        (
            'faultline.flight-recorder idle {"rank":1,"entries":0,"since":null,"until":0,"groups":'
            '[["a","b","0-999999999",1,1,1,1,0,[]]]}'
        ),
    ],
)
def test_a_line_that_somebody_else_wrote_says_nothing(text: str) -> None:
    assert records_of(texts=[text]) == []


def test_json_that_would_fill_the_memory_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_lines, "MOST_MEMORY", -10_000_000)
    assert as_text(data=as_json({str(i): dump(i) for i in range(4)}), name="all") is None


@given(data=st.binary(max_size=200), name=st.text(max_size=20))
def test_any_bytes_give_lines_or_nothing(data: bytes, name: str) -> None:
    for each in (data, b"\x80\x02" + data, b'{"pg_config":' + data):
        text = as_text(data=each, name=name)
        assert text is None or "\n" not in text


@given(found=st.sets(st.integers(0, 400), max_size=60))
def test_sets_of_ranks_come_back(found: set[int]) -> None:
    assert rank_sets.unpacked(text=rank_sets.packed(ranks=found)) == tuple(sorted(found))


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (range(8), "0-7"),
        (range(0, 64, 8), "0-56:8"),
        ((3, 9), "3,9"),
        ((), ""),
        ((0, 1, 2, 9, 12, 15), "0-2,9-15:3"),
    ],
)
def test_sets_of_ranks_are_short(found: range | tuple[int, ...], text: str) -> None:
    assert rank_sets.packed(ranks=found) == text


def test_a_line_is_small_beside_its_dump() -> None:
    value = dump(1, *[call("1", i, order=i) for i in range(500)])
    assert len(_text(as_json(value))) < len(json.dumps(value)) / 50


def test_lines_that_differ_in_numbers_only_are_not_told_as_one(tmp_path: Path) -> None:
    groups = {str(i): ("tensor", (0, 1)) for i in range(300)}
    calls = [call(str(i), 7, order=i, groups=groups) for i in range(300)]
    path = tmp_path / "nccl_trace_rank_0"
    path.write_bytes(pickled(dump(0, *calls, groups=groups)))
    readings = [read_file(source=one) for one in open_paths(paths=[str(path)], now=NOW)]
    texts = [one.line.text for reading in readings for one in reading.events]
    assert len(texts) > 2
    assert standing(records_of(texts=texts)) == standing(
        records(dump=dump(0, *calls, groups=groups), name="rank0")
    )
