"""What a body may unfold to, counted on its bytes before it is parsed."""

import codecs
from typing import Final

from apps.diagnosis.json_weight import has_more_values, is_heavier
from apps.telemetry.formats.lines.complaints import TooBig
from apps.telemetry.formats.lines.line_blocks import STEP_BYTES

MEBIBYTE: Final = 2**20
# Of one body's values as objects, beside the letters of its texts: much for a small one, and for a
# larger one what short lines with their times take.
JSON_BYTES: Final = 40 * MEBIBYTE
JSON_BYTES_A_BYTE: Final = 3
JSON_BODY_BYTES: Final = 16 * MEBIBYTE


def check_json(*, body: bytes, most: int | None = None) -> None:
    """Raise TooBig for a JSON text that would take more than `most` bytes as objects."""
    most = JSON_BYTES + JSON_BYTES_A_BYTE * len(body) if most is None else most
    if is_heavier(text=body, most=most):
        room = f"{most // MEBIBYTE} MiB"
        raise TooBig(f"the values of the body take more than {room} in memory; send it in parts")


def check_values(*, body: bytes, most: int) -> None:
    """Raise TooBig for a JSON text of more than `most` keys and values."""
    if has_more_values(text=body, most=most):
        raise TooBig(f"the body has more than {most} keys and values; send it in parts")


def as_utf8(*, body: bytes, most: int) -> bytes:
    """Return a body with U+FFFD for what is not UTF-8, which takes three bytes for one.

    Raises TooBig where that makes it larger than `most`.
    """
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    parts: list[bytes] = []
    size = 0
    for start in range(0, len(body), STEP_BYTES):
        part = decode(body[start : start + STEP_BYTES], start + STEP_BYTES >= len(body)).encode()
        size += len(part)
        if size > most:
            raise TooBig(f"with U+FFFD for what is not UTF-8 the body has more than {most} bytes")
        parts.append(part)
    return b"".join(parts)
