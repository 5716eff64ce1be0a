"""Held lines → rows of the page."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from apps.diagnosis.signatures.load import load_catalog
from apps.telemetry.held_logs.values import HeldLine, HeldStream, LineGap, LineMark
from apps.web import words
from apps.web.display.instants import dated
from apps.web.display.layers import layer_mark
from apps.web.logs.page import LineRow, MarkRow, StreamEntry
from apps.web.sources.rows import UNKNOWN_KIND
from apps.wording import said

Citing = Mapping[str, Sequence[str]]  # reference of a line → incidents that rest on it


def stream_entry(stream: HeldStream, *, beside_query: str = "") -> StreamEntry:
    """Return one log as lists and columns name it."""
    place = stream.host or _("all hosts")
    if stream.rank is not None:
        place += ", " + _("rank %(n)s") % {"n": stream.rank}
    return StreamEntry(
        key=stream.key,
        name=place,
        kind=words.said(words.STREAMS, stream.kind, UNKNOWN_KIND),
        session=stream.session,
        session_name=stream.session_name,
        lines=f"{stream.line_count:,}",
        covers=covers(stream),
        beside_query=beside_query,
    )


def covers(stream: HeldStream) -> str:
    """Return over which time a log was heard, as far as its lines tell."""
    if stream.first_at is None or stream.last_at is None:
        return _("without times")
    first, last = (dated(each, seconds=True) for each in (stream.first_at, stream.last_at))
    return f"{first} – {last}"  # noqa: RUF001  a span


def line_rows(
    lines: Sequence[HeldLine],
    gaps: Sequence[LineGap] = (),
    *,
    asked: int | None = None,
    cited: Citing,
) -> tuple[LineRow, ...]:
    """Return lines and what is missing between them, in their order."""
    rows = [line_row(line, asked=asked, cited=cited) for line in lines]
    rows += [_gap_row(gap) for gap in gaps]
    return tuple(sorted(rows, key=lambda row: row.number))


def line_row(line: HeldLine, *, asked: int | None, cited: Citing) -> LineRow:
    """Return one line."""
    at, note = _time(line)
    return LineRow(
        number=line.number,
        at=at,
        at_note=note,
        rank="" if line.rank is None else str(line.rank),
        level=line.level,
        level_word=level_words().get(line.level, ""),
        text=line.text,
        is_cut=line.is_cut,
        is_asked=line.number == asked,
        marks=tuple(_mark(each, cited) for each in line.marks),
    )


def references(lines: Collection[HeldLine]) -> frozenset[str]:
    """Return how incidents would cite these lines."""
    return frozenset(mark.reference for line in lines for mark in line.marks)


def level_words() -> dict[str, str]:
    """Return the levels of loggers in the reader's language."""
    return {
        "error": _("error"),
        "warning": _("warning"),
        "info": _("info"),
        "debug": _("debug"),
    }


def _time(line: HeldLine) -> tuple[str, str]:
    if line.at is not None:
        note = _("time of its sender") if line.is_envelope_time else _("time that the line prints")
        return _clock(line.at.astimezone(UTC)), note
    if line.local_at is not None:
        return _clock(line.local_at), _("local time, its zone is not known")
    return "", _("the line prints no time")


def _clock(at: datetime) -> str:
    return f"{at:%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"


def _mark(mark: LineMark, cited: Citing) -> MarkRow:
    known = load_catalog().get(mark.signature)
    return MarkRow(
        signature=mark.signature,
        meaning=said(known.fact_of(fields=mark.fields)) if known else "",
        layer=layer_mark(mark.layer) if mark.layer else None,
        incidents=tuple(cited.get(mark.reference, ())),
    )


def _gap_row(gap: LineGap) -> LineRow:
    told = _("Lines %(first)s to %(last)s are not kept any more: this is no silence.")
    return LineRow(
        number=gap.first,
        at="",
        at_note="",
        rank="",
        level="",
        level_word="",
        text="",
        is_cut=False,
        is_asked=False,
        marks=(),
        gap=told % {"first": f"{gap.first:,}", "last": f"{gap.last:,}"},
    )
