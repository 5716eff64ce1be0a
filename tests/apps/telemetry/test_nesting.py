"""Messages are counted on the wire as the parser would make them, however they are written."""

import pytest

from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.otlp import otlp_logs
from apps.telemetry.formats.otlp.otlp_log_messages import REQUEST
from apps.telemetry.formats.protobuf.nesting import check_messages, shape_of
from apps.telemetry.formats.protobuf.wire import encoded

SHAPE = shape_of(message=REQUEST)
RECORD = encoded(5, encoded(1, b'\n\x12"*2:B' * 9))  # letters that could begin messages


def test_letters_of_lines_are_no_messages() -> None:
    body = encoded(1, encoded(2, encoded(2, RECORD) * 10))
    check_messages(body=body, shape=SHAPE, most=22)
    with pytest.raises(TooBig, match="21 messages"):
        check_messages(body=body, shape=SHAPE, most=21)


@pytest.mark.parametrize(
    "body",
    [
        b"\x0a\x00" * 9,
        b"\x8a\x00\x00" * 9,  # a number written longer than needed
        b"\x7b\x7c" + b"\x0a\x00" * 9,  # behind a group that nobody knows
    ],
)
def test_messages_count_however_their_number_is_written(body: bytes) -> None:
    request = REQUEST()
    request.ParseFromString(body)
    assert len(request.resource_logs) == 9
    with pytest.raises(TooBig):
        check_messages(body=body, shape=SHAPE, most=8)


@pytest.mark.parametrize("body", [b"\x0a", b"\x0a\xff", b"\x0f" * 20, b"\x0a" * 20])
def test_what_is_no_protocol_buffer_is_left_to_the_parser(body: bytes) -> None:
    check_messages(body=body, shape=SHAPE, most=10)


def test_a_chain_as_deep_as_its_body_ends_the_count() -> None:
    body = b"x"
    for _ in range(200):
        body = encoded(5, encoded(1, body))
    with pytest.raises(TooBig):
        check_messages(
            body=encoded(1, encoded(2, encoded(2, encoded(5, body)))), shape=SHAPE, most=50
        )


def test_the_bound_of_logs_leaves_room_for_twice_an_honest_body() -> None:
    assert otlp_logs.KIND.messages_limit >= 2 * 40_000 * 8
