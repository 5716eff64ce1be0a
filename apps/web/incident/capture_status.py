"""How captures stand, in words: what is being kept, what failed and when it is tried again."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.telemetry.evidence.capture_status import CaptureStatus

SOON = gettext_noop(
    "The metrics around this are being read now; the charts appear here in a moment."
)


def told(*, standings: Sequence[CaptureStatus], now: datetime) -> tuple[str, ...]:
    """Return a sentence for each source of which not everything was kept."""
    names = dict.fromkeys(each.source for each in standings)
    said = (
        _of_source([each for each in standings if each.source == name], now=now) for name in names
    )
    return tuple(dict.fromkeys(sentence for sentence in said if sentence))


def mark(*, standings: Iterable[CaptureStatus]) -> str:
    """Return a text that changes whenever a capture gets on."""
    return "".join(f".{each.state[0]}{each.attempt_count}" for each in standings)


def _of_source(rows: Sequence[CaptureStatus], *, now: datetime) -> str:
    kept = [row for row in rows if row.state == "captured"]
    open_ = [row for row in rows if row.state != "captured"]
    if not open_:
        return f"{kept[-1].source}: {kept[-1].error}." if kept[-1].error else ""
    row = open_[0]
    told = {"name": row.source, "when": _when(row, now), "n": row.attempt_count, "why": row.error}
    awaited = _(SOON) if row.due_at <= now else _("%(name)s is read %(when)s.")
    text = {
        "removed": "" if kept else _("%(name)s was removed before its metrics were kept."),
        "given-up": _("%(name)s could not be read %(n)s times: %(why)s"),
        "failed": _("%(name)s could not be read yet: %(why)s. Tried again %(when)s."),
        "due": _("%(name)s: the minutes after the stop follow %(when)s.") if kept else awaited,
    }.get(row.state, "")
    return text % told


def _when(row: CaptureStatus, now: datetime) -> str:
    return _("now") if row.due_at <= now else _("at %(at)s UTC") % {"at": f"{row.due_at:%H:%M}"}
