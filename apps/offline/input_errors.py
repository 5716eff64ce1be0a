"""Why files that were named tell nothing: one sentence a person can act on."""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from pathlib import Path

from apps.diagnosis.model import Reading
from apps.offline.log_likeness import has_shape
from apps.telemetry.files.decompression import decompressed
from apps.telemetry.files.file_magic import kind_of
from apps.telemetry.files.named_files import found

WANTED = (
    "name what the session printed, the kernel's log (dmesg, journalctl -k) "
    "or the scheduler's (files, folders, tars or -)"
)
MOST_NAMES, MOST_LEFT_OUT = 3, 10
HEAD_BYTES = 64
PROBED_BYTES = 4096
# Tab, line feed, form feed, carriage return, escape, bell, backspace.
TEXT_CONTROLS = frozenset({7, 8, 9, 10, 12, 13, 27})
MOST_ODD = 0.03


def complaint(*, paths: Sequence[str], readings: Sequence[Reading]) -> str | None:
    """Return why the input can't be read as text, None if any of it can."""
    if any(has_shape(reading=one) for one in readings):
        return None
    files = [Path(path) for path in paths if path != "-"]
    if _line_count(readings) and not (files and all(_is_binary(each) for each in files)):
        return None
    told = [f"{path}: {said}" for path in paths if (said := _said(Path(path)))]
    return "; ".join([*told[:MOST_NAMES], WANTED]) if told else f"nothing to read: {WANTED}"


def remark(*, paths: Sequence[str], readings: Sequence[Reading]) -> str | None:
    """Return a word of caution about text that looks like no log; it is read all the same."""
    if any(has_shape(reading=one) for one in readings):
        return None
    where = "it" if len(paths) == 1 else "them"
    return (
        f"{_listed(paths)}: no line in {where} ({_line_count(readings)} read) has a shape that "
        "training, kernel or scheduler logs have: no time, no rank or host, no message that is "
        f"known. If that is not all there is, {WANTED}"
    )


def left_out(*, paths: Sequence[str], readings: Sequence[Reading]) -> str | None:
    """Return which files beside others hold no text, each with the reason, None for none.

    In a folder an empty file is nothing to speak of: workers leave many.
    """
    silent = {one.origin.source for one in readings if not one.extents}
    told: list[str] = []
    for path in map(Path, (path for path in paths if path != "-")):
        if path.is_dir():
            inside = [found(root=path, inside=name) for name in sorted(silent)]
            told += [f"{one}: {said}" for one in inside if (said := _odd(one))]
        elif any(f"/{path.absolute()}".endswith(f"/{one}") for one in silent) and (
            said := _said(path)
        ):
            told.append(f"{path}: {said}")
    more = f"; and {len(told) - MOST_LEFT_OUT} more" if len(told) > MOST_LEFT_OUT else ""
    return f"not read: {'; '.join(told[:MOST_LEFT_OUT])}{more}" if told else None


def _odd(path: Path) -> str:
    """Return what a file of a folder is, nothing for an empty one."""
    return _said(path) if path.is_file() and path.stat().st_size else ""


def _line_count(readings: Sequence[Reading]) -> int:
    return sum(extent.line_count for one in readings for extent in one.extents)


def _is_binary(path: Path) -> bool:
    """Say whether a file begins as no text does, in whatever encoding."""
    if not path.is_file():
        return False
    with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
        head = plain.read(PROBED_BYTES)
    # A terminal's own signs and UTF-16 have some; what is random or packed has many more.
    odd = sum(1 for byte in head if byte < 32 and byte not in TEXT_CONTROLS)
    return odd > len(head) * MOST_ODD and not head.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def _listed(paths: Sequence[str]) -> str:
    names = ["standard input" if one == "-" else one for one in paths]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _said(path: Path) -> str:
    """Return what is wrong with one path that holds no line."""
    if path.is_dir():
        return "no file of text in this folder"
    if not path.is_file():
        return ""
    with path.open("rb") as raw, decompressed(raw, path.stat().st_size) as plain:
        head = plain.read(HEAD_BYTES)
    if not head:
        return "it is empty"
    if kind := kind_of(head=head):
        return f"it is {kind}"
    return "it holds bytes that are no text" if _is_binary(path) else "no line of text"
