"""Why files that were named tell nothing: one sentence a person can act on."""

from collections.abc import Sequence
from pathlib import Path

from apps.diagnosis.logs.shape import has_shape
from apps.diagnosis.model import Reading
from apps.telemetry.kinds import kind_of
from apps.telemetry.unpacked import decompressed

WANTED = (
    "name what the session printed, the kernel's log (dmesg, journalctl -k) "
    "or the scheduler's (files, folders, tars or -)"
)
MOST_NAMES = 3
HEAD_BYTES = 64


def complaint(*, paths: Sequence[str], readings: Sequence[Reading]) -> str | None:
    """Return what the input is lacking as logs, None if anything in it looks like one."""
    if any(has_shape(reading=one) for one in readings):
        return None
    count = sum(extent.line_count for one in readings for extent in one.extents)
    if count:
        where = "it" if len(paths) == 1 else "them"
        return (
            f"{_listed(paths)}: no line in {where} ({count} read) has a shape that training, "
            "kernel or scheduler logs have: no time, no rank or host, no message that is known; "
            f"{WANTED}"
        )
    told = [f"{path}: {said}" for path in paths if (said := _said(Path(path)))]
    return "; ".join([*told[:MOST_NAMES], WANTED]) if told else f"nothing to read: {WANTED}"


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
    return f"it is {kind}" if (kind := kind_of(head=head)) else "no line of text"
