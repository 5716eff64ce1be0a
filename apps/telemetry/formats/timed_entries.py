"""Entries that carry a time each, as Loki and OpenTelemetry send them → one piece."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.lines.complaints import Complaints, TooBig
from apps.telemetry.formats.lines.line_blocks import CUT_MARK, LINE_LIMIT_BYTES, LinePiece, clean

Stamps = NDArray[np.int64]
LINES_LIMIT = 450_000  # of one body: apart they take a hundred bytes each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entries:
    """Texts of one set of labels with their times in nanoseconds, and the texts joined by lines."""

    stamps: NDArray[np.int64]
    lines: Sequence[str]
    text: str


def piece_of(
    *, labels: Mapping[str, str], entries: Entries, complaints: Complaints
) -> LinePiece | None:
    """Return entries as lines in order of their stamps; None where none can be kept.

    Raises TooBig.
    """
    stamps, lines, text = entries.stamps, entries.lines, entries.text
    if not lines:
        return None
    try:
        named = naming.canonical(labels=labels)
    except naming.BadLabels as error:
        complaints.add(line=0, code="bad_labels", detail=str(error))
        return None
    line_count = text.count("\n") + 1
    if line_count > LINES_LIMIT:
        raise TooBig(f"the body has more than {LINES_LIMIT} lines; send it in parts")
    # Senders may send in any order; one batch is brought into order here, ties as sent.
    if len(stamps) > 1 and bool((np.diff(stamps) < 0).any()):
        order = np.argsort(stamps, kind="stable")
        stamps, lines = stamps[order], [lines[each] for each in order]
        text = "\n".join(lines)
    if line_count != len(lines):
        stamps, text = _one_line_each(stamps, lines)
    raw = text.encode(errors="replace")
    if _has_long_line(raw):
        raw = _with_cut_lines(raw, complaints)
    raw = clean(text=raw, first_line=1, complaints=complaints)
    return LinePiece(
        labels=named, text=raw, line_count=len(stamps), stamps=stamps.astype("<i8").tobytes()
    )


def in_order(*, pieces: list[LinePiece]) -> list[LinePiece]:
    """Return the pieces of one set of labels so that no stamp goes back; the list is used up."""
    stamps = [np.frombuffer(piece.stamps or b"", "<i8") for piece in pieces]
    if all(one[-1] <= other[0] for one, other in pairwise(stamps)):
        return pieces
    labels = pieces[0].labels
    lines: list[bytes] = []
    for _ in stamps:
        lines += pieces.pop(0).text.split(b"\n")
    together = np.concatenate(stamps)
    order = np.argsort(together, kind="stable")
    text = b"\n".join([lines[each] for each in order])
    return [
        LinePiece(labels=labels, text=text, line_count=len(lines), stamps=together[order].tobytes())
    ]


def _one_line_each(stamps: Stamps, lines: Sequence[str]) -> tuple[Stamps, str]:
    """Give each printed line of a multi-line entry the entry's stamp."""
    whole = [line.removesuffix("\n") for line in lines]
    counts = np.fromiter((line.count("\n") + 1 for line in whole), np.int64, len(whole))
    return np.repeat(stamps, counts), "\n".join(whole)


def _has_long_line(raw: bytes) -> bool:
    if len(raw) <= LINE_LIMIT_BYTES:
        return False
    ends = np.flatnonzero(np.frombuffer(raw, np.uint8) == ord("\n"))
    return bool((np.diff(ends, prepend=-1, append=len(raw)) > LINE_LIMIT_BYTES + 1).any())


def _with_cut_lines(raw: bytes, complaints: Complaints) -> bytes:
    lines = raw.split(b"\n")
    for number, line in enumerate(lines):
        if len(line) > LINE_LIMIT_BYTES:
            lines[number] = line[:LINE_LIMIT_BYTES] + CUT_MARK
            complaints.add(line=number + 1, code="line_too_long", detail="cut at 1 MiB")
    return b"\n".join(lines)
