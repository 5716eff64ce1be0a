"""What logs one holds of a session: whose lines, how many, over which time."""

from collections.abc import Sequence
from itertools import islice

from django.utils.translation import gettext as _

from apps.telemetry.values import StreamView
from apps.web import words
from apps.web.display.instants import dated
from apps.web.session.page import StreamRow
from apps.web.sources.rows import UNKNOWN_KIND

STREAMS_SHOWN = 40


def stream_rows(streams: Sequence[StreamView]) -> tuple[StreamRow, ...]:
    """Return one line for each kind of log and host, however many ranks speak there."""
    groups: dict[tuple[str, str], list[StreamView]] = {}
    for stream in streams:
        groups.setdefault((stream.kind, stream.host), []).append(stream)
    return tuple(_stream(members) for members in islice(groups.values(), STREAMS_SHOWN))


def _stream(members: Sequence[StreamView]) -> StreamRow:
    ranks = {stream.rank for stream in members if stream.rank is not None}
    first = min((stream.first_at for stream in members if stream.first_at), default=None)
    last = max((stream.last_at for stream in members if stream.last_at), default=None)
    place = members[0].host or _("all hosts")
    if len(ranks) == 1:
        place += ", " + _("rank %(n)s") % {"n": min(ranks)}
    elif ranks:
        place += ", " + _("%(n)s ranks from %(first)s") % {"n": len(ranks), "first": min(ranks)}
    covers = (
        f"{dated(first, seconds=True)} – {dated(last, seconds=True)}"  # noqa: RUF001  a span
        if first and last
        else _("without times")
    )
    return StreamRow(
        name=place,
        kind=words.said(words.STREAMS, members[0].kind, UNKNOWN_KIND),
        lines=f"{sum(stream.line_count for stream in members):,}",
        covers=covers,
    )
