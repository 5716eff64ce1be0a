"""What logs one holds of a session: whose lines, how many, over which time; many fold by kind."""

from collections.abc import Iterator, Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.telemetry.values import StreamView
from apps.web import words
from apps.web.display.instants import dated
from apps.web.session.page import StreamFold, StreamRow
from apps.web.sources.rows import UNKNOWN_KIND

FOLDED_FROM: Final = 13  # fewer are read at a glance
Logs = Sequence[StreamView]  # of one kind and host


def stream_folds(streams: Sequence[StreamView]) -> tuple[StreamFold, ...]:
    """Return a row for each kind of log and host, however many ranks speak there: by kind where
    there are many.
    """
    logs: dict[tuple[str, str], list[StreamView]] = {}
    for stream in streams:
        logs.setdefault((stream.kind, stream.host), []).append(stream)
    if len(logs) < FOLDED_FROM:
        return (_unfolded(list(logs.values())),) if logs else ()
    kinds: dict[str, list[Logs]] = {}
    for (kind, _host), members in logs.items():
        kinds.setdefault(kind, []).append(members)
    return tuple(_fold(kind, members) for kind, members in kinds.items())


def _unfolded(logs: Sequence[Logs]) -> StreamFold:
    return StreamFold(key="", name="", amount="", covers="", rows=tuple(map(_row, logs)))


def _fold(kind: str, logs: Sequence[Logs]) -> StreamFold:
    lines = sum(stream.line_count for one in logs for stream in one)
    return StreamFold(
        key=kind,
        name=words.said(words.STREAMS, kind, UNKNOWN_KIND),
        amount=ngettext("%(n)s log, %(lines)s lines", "%(n)s logs, %(lines)s lines", len(logs))
        % {"n": len(logs), "lines": f"{lines:,}"},
        covers=_covers([stream for one in logs for stream in one]),
        rows=tuple(map(_row, logs)),
    )


def _row(members: Logs) -> StreamRow:
    return StreamRow(
        name=", ".join(_whose(members)),
        kind=words.said(words.STREAMS, members[0].kind, UNKNOWN_KIND),
        lines=f"{sum(stream.line_count for stream in members):,}",
        covers=_covers(members),
    )


def _whose(members: Logs) -> Iterator[str]:
    ranks = {stream.rank for stream in members if stream.rank is not None}
    yield members[0].host or _("all hosts")
    if len(ranks) == 1:
        yield _("rank %(n)s") % {"n": min(ranks)}
    elif ranks:
        yield _("%(n)s ranks from %(first)s") % {"n": len(ranks), "first": min(ranks)}


def _covers(members: Logs) -> str:
    first = min((stream.first_at for stream in members if stream.first_at), default=None)
    last = max((stream.last_at for stream in members if stream.last_at), default=None)
    if first is None or last is None:
        return _("without times")
    return f"{dated(first, seconds=True)} – {dated(last, seconds=True)}"  # noqa: RUF001  a span
