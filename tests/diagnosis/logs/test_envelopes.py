"""Collectors' wrappings come off before anything is searched, and lines keep their numbers."""
# ruff: noqa: E501  lines of logs keep their length

import json
from datetime import UTC, datetime

import pytest

from apps.diagnosis.logs import escaped_line_ends
from apps.diagnosis.logs.envelopes import DEPTH, FIELD_LIMIT, MOST_VALUES, SHORTEST, Unwrapper
from apps.diagnosis.model import Event, Origin, Stream
from apps.diagnosis.signatures.read import StreamReader, read_source

LOST = "NVRM: Xid (PCI:0000:c4:00): 79, GPU has fallen off the bus."


def the_only(text: str) -> Event:
    (event,) = read_source(origin=Origin(source="log"), text=text).events
    return event


def docker(log: str) -> str:
    return json.dumps({"log": log, "stream": "stderr", "time": "2026-11-09T03:12:44.123456789Z"})


def test_docker_lines_are_unwrapped() -> None:
    event = the_only(
        docker("hello\n")
        + "\n"
        + docker("\x1b[31mRuntimeError: CUDA error: \x1b[0muncorrectable ECC error encountered\n")
    )
    assert (event.signature, event.line.number) == ("cuda-ecc", 2)
    assert event.line.at == datetime(2026, 11, 9, 3, 12, 44, 123456, tzinfo=UTC)


def test_a_docker_line_in_two_parts_is_joined() -> None:
    event = the_only(docker("[ 1.5] NVRM: Xid (PCI:0000:c4") + "\n" + docker(":00): 79, GPU has\n"))
    assert (event.signature, event.line.number) == ("nvrm-xid-79", 2)


def test_a_docker_line_in_two_batches_is_joined() -> None:
    reader = StreamReader(origin=Origin(source="log"))
    reader.feed(text=docker("NVRM: Xid (PCI:0000:c4"), first_number=1)
    again = StreamReader(origin=Origin(source="log"), state=reader.state)
    assert not again.feed(text=docker(":00): 62, x\n"), first_number=2).progress
    assert again.close().events == ()


def test_split_cri_lines_are_joined() -> None:
    text = "2026-11-09T03:12:44Z stderr P NVRM: Xid (PCI:0000:c4\n2026-11-09T03:12:45Z stderr F :00): 62, x"
    assert the_only(text).fields["pci"] == "0000:c4:00.0"


def test_journald_json_with_bytes_is_decoded() -> None:
    entry = {"MESSAGE": list(LOST.replace("79", "62").encode()), "__REALTIME_TIMESTAMP": "1794197564123456",
             "_HOSTNAME": "n7", "_TRANSPORT": "kernel"}  # fmt: skip
    event = the_only(json.dumps(entry))
    assert (event.line.host, event.line.stream) == ("n7", Stream.KERNEL)
    assert event.line.at is not None


def test_a_journald_message_too_large_to_print_is_skipped() -> None:
    text = json.dumps({"MESSAGE": None, "__REALTIME_TIMESTAMP": "1794197564123456"})
    assert read_source(origin=Origin(source="log"), text=text).events == ()


EXPORT = f"__REALTIME_TIMESTAMP=1794197564123456\n_HOSTNAME=n7\n_TRANSPORT=kernel\nMESSAGE={LOST.replace('79', '62')}\n"


def test_a_journald_export_is_read_block_by_block() -> None:
    event = the_only(EXPORT + "\n__REALTIME_TIMESTAMP=1794197565000000\nMESSAGE=fine\n")
    assert (event.line.host, event.signature) == ("n7", "nvrm-xid")


def test_the_last_block_of_an_export_needs_no_blank_line() -> None:
    assert the_only(EXPORT.rstrip("\n")).line.host == "n7"


def test_a_json_log_line_gives_its_message_and_time() -> None:
    entry = {
        "timestamp": "2026-11-09T12:12:44+09:00",
        "level": "ERROR",
        "message": "oops " + LOST.replace("79", "62"),
    }
    assert the_only(json.dumps(entry)).line.at == datetime(2026, 11, 9, 3, 12, 44, tzinfo=UTC)


def test_json_that_is_itself_the_message_stays_as_it_is() -> None:
    event = the_only('{"event": "agent_terminated", "source": "i-n7", "reason": "agent-lost"}')
    assert event.signature == "bai-agent-lost"


def test_broken_json_is_a_line_like_any_other() -> None:
    assert the_only('{"log":"' + LOST.replace("79", "62")).signature == "nvrm-xid"


def unwrapped(text: str) -> str:
    return Unwrapper().unwrap(text=text)[0]


def test_an_export_tells_its_time_and_stands_where_its_block_ends() -> None:
    event = the_only(f"{EXPORT}stray words\n\n")
    assert event.line.at == datetime(2026, 11, 9, 4, 12, 44, 123456, tzinfo=UTC)
    assert event.line.number == 6


def test_an_export_may_begin_behind_other_lines() -> None:
    assert unwrapped(f"before\n{EXPORT}\nx").split("\n")[0] == "before"
    assert the_only(f"before\n{EXPORT}\n").line.host == "n7"


def test_a_field_of_an_export_has_a_name_a_sign_and_a_value() -> None:
    reading = Unwrapper()
    reading.unwrap(text="__REALTIME_TIMESTAMP=1\nstray\nnot-a-name=1\nMESSAGE=a=b")
    assert reading.fields == {"__REALTIME_TIMESTAMP": "1", "MESSAGE": "a=b"}


def test_a_block_of_an_export_has_so_many_fields() -> None:
    reading = Unwrapper()
    reading.unwrap(text="__CURSOR=1\n" + "\n".join(f"F{n}=1" for n in range(FIELD_LIMIT * 2)))
    assert len(reading.fields) == FIELD_LIMIT


def test_a_message_of_an_export_is_longer_than_other_fields() -> None:
    text = f"__CURSOR=1\nOTHER={'o' * 400}\nMESSAGE={'m' * 400}"
    reading = Unwrapper()
    reading.unwrap(text=text)
    assert {name: len(value) for name, value in reading.fields.items()} == {
        "__CURSOR": 1,
        "OTHER": 300,
        "MESSAGE": 400,
    }


def test_a_record_may_begin_with_a_space_behind_other_lines() -> None:
    assert unwrapped('before\n{ "ts": 1, "log": "words" }') == "before\nwords"


def test_the_shortest_record_shows_its_empty_text() -> None:
    shortest = '{"ts":1,"log":""}'
    assert len(shortest) == SHORTEST
    assert unwrapped(shortest) == ""


def nested(depth: int) -> str:
    """Return words in so many records, one in the other."""
    text = "words"
    for _ in range(depth):
        text = json.dumps({"ts": 1, "log": text})
    return text


def test_records_in_records_are_opened_so_deep() -> None:
    assert unwrapped(nested(DEPTH + 1)) == "words"
    assert unwrapped(nested(DEPTH + 2)) == nested(1)


@pytest.mark.parametrize(("more", "is_opened"), [(0, True), (MOST_VALUES, False)])
def test_a_record_of_endless_values_stays_a_line(more: int, *, is_opened: bool) -> None:
    line = json.dumps({"ts": 1, "log": "words", "values": [0] * more, "pad": "x" * MOST_VALUES})
    assert unwrapped(line) == ("words" if is_opened else line)


@pytest.mark.parametrize(("spare", "is_behind"), [(0, True), (-1, False)])
def test_lines_of_a_record_stand_behind_its_prefix_unless_that_repeats_it_without_end(
    monkeypatch: pytest.MonkeyPatch, spare: int, *, is_behind: bool
) -> None:
    prefix = "2026-11-09T03:12:45Z stderr F "
    monkeypatch.setattr(escaped_line_ends, "MOST_REPEATED", 2 * len(prefix) + spare)
    shown = unwrapped(prefix + json.dumps({"ts": 1, "log": "one\ntwo"}))
    assert shown == (f"{prefix}one\r{prefix}two" if is_behind else "one\rtwo")


def test_lines_that_were_wrapped_are_told_from_others() -> None:
    _, wrappings = Unwrapper().unwrap(text=f"before\n{nested(1)}")
    assert [index in wrappings for index in (0, 1)] == [False, True]
