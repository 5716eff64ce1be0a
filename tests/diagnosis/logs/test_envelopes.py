"""Collectors' wrappings come off before anything is searched, and lines keep their numbers."""
# ruff: noqa: E501  lines of logs keep their length

import json
from datetime import UTC, datetime

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
