"""Files that somebody sends as step traces → name and bytes, in bounded memory.

Plain, gzip or zstd; a tar holds the files of the ranks. What is larger is for the command line.
"""

import io
import tarfile
from collections.abc import Iterable, Iterator
from typing import Final

from apps.diagnosis.json_weight import weight_of
from apps.diagnosis.spelling import shown
from apps.telemetry.files.decompression import decompressed
from apps.telemetry.files.tar_members import members_of
from apps.telemetry.files.unusable_input import UnusableInput

MOST_BYTES: Final = 64 * 2**20  # unpacked, of all files together
MOST_FILES: Final = 2048
# Of all JSON together, as objects: lines and events of traces take four times their letters.
MOST_JSON_BYTES: Final = 256 * 2**20
TOO_MUCH: Final = (
    f"more than {MOST_BYTES // 2**20} MiB of traces: trace fewer steps, or use "
    "`faultline stragglers` where the files are"
)
USTAR: Final = slice(257, 262)


def trace_files(files: Iterable[tuple[str, bytes]]) -> tuple[tuple[str, bytes], ...]:
    """Return the files that were sent, unpacked; raises UnusableInput that says what to do."""
    found: list[tuple[str, bytes]] = []
    room = MOST_BYTES
    for name, raw in files:
        for inner, plain in _unpacked(name, raw, room):
            room -= len(plain)
            if room < 0 or len(found) >= MOST_FILES:
                raise UnusableInput(TOO_MUCH)
            found.append((shown(word=inner), plain))
    _check_json(found)
    if not any(plain for _, plain in found):
        raise UnusableInput("there is nothing in it")
    return tuple(found)


def _check_json(files: Iterable[tuple[str, bytes]]) -> None:
    """Raise UnusableInput for JSON that takes far more memory than its size is for."""
    weight = sum(weight_of(text=raw) for _, raw in files if raw.lstrip()[:1] in {b"{", b"["})
    if weight > MOST_JSON_BYTES:
        raise UnusableInput(TOO_MUCH)


def _unpacked(name: str, raw: bytes, room: int) -> Iterator[tuple[str, bytes]]:
    with decompressed(io.BytesIO(raw), len(raw)) as plain:
        body = plain.read(room + 1)
    if len(body) > room:
        raise UnusableInput(TOO_MUCH)
    if body[USTAR] != b"ustar":
        yield name, body
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(body), mode="r:") as archive:
            for member in members_of(archive=archive, size=len(body)):
                if member.isfile() and member.size and (inside := archive.extractfile(member)):
                    yield member.name, inside.read()
    except (tarfile.TarError, OSError) as error:
        raise UnusableInput(f"{shown(word=name)}: the tar can't be read") from error
