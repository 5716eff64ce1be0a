"""Bodies of requests at their bounds."""

import json
from io import BytesIO
from typing import Any

import pytest
from rest_framework.exceptions import ParseError

from apps.api.v1.parsing import MAX_BYTES, BodyTooBig, BoundedJSONParser


def parsed(body: bytes) -> Any:
    """Return what is read of a body."""
    return BoundedJSONParser().parse(BytesIO(body))


def text_of(size: int) -> bytes:
    """Return a JSON text of so many bytes."""
    return json.dumps("x" * (size - 2)).encode()


def test_a_body_of_just_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert len(parsed(text_of(MAX_BYTES))) == MAX_BYTES - 2
    with pytest.raises(BodyTooBig):
        parsed(text_of(MAX_BYTES + 1))


@pytest.mark.parametrize(
    "body", [b'"a\\u0000b"', b'{"\\u0000": 1}', b'"a\x00b"', b"[" * 100_000, b"{", b"NaN"]
)
def test_what_no_table_or_parser_holds_is_refused(body: bytes) -> None:
    with pytest.raises(ParseError):
        parsed(body)


def test_other_escapes_are_text() -> None:
    assert parsed(b'{"a": "\\u0001\\u00e9"}') == {"a": "\x01é"}
