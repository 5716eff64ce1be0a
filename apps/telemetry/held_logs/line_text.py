"""The text of held lines as it came in, to be taken away as a file."""

from typing import Final

from apps.telemetry.held_logs.line_parts import parts_from, text_of
from apps.telemetry.held_logs.stream_access import access_stream
from apps.tenancy.access import Actor

MOST_LINES: Final = 100_000
MOST_BYTES: Final = 16 * 2**20


def text_between(*, actor: Actor, key: str, first: int, last: int) -> tuple[bytes, int]:
    """Return the text of these lines, each with its end, and the number of the last one.

    What is not kept any more says so in a line of its own. Raises NotFound. Needs the scope.
    """
    stream = access_stream(actor=actor, key=key)
    last = min(last, first + MOST_LINES - 1)
    found: list[bytes] = []
    size, position = 0, max(1, first)
    for part in parts_from(stream, position):
        if part.first > last or size > MOST_BYTES:
            break
        if part.first > position:
            found.append(_missing(position, part.first - 1))
            position = part.first
        text = text_of(stream, part)
        for index in range(position - part.first, min(last, part.last) - part.first + 1):
            found.append(text.line(index) + b"\n")
            size += len(found[-1])
            position += 1
            if size > MOST_BYTES:
                break
    return b"".join(found), position - 1


def _missing(first: int, last: int) -> bytes:
    return f"# lines {first} to {last} are not kept any more\n".encode()
