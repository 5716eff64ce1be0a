"""The small values that several pages share: layers, probabilities, times, coverage."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.diagnosis.odds import LIKELY, odds_text
from apps.tenancy.models import Organization
from apps.web import words
from apps.web.pages import (
    CoverageCell,
    CoverageLine,
    CoverageStrip,
    Instant,
    LayerMark,
    Place,
    Probability,
)

STATES = ("present", "stale", "hidden", "absent")


def layer_mark(slug: str) -> LayerMark:
    """Return the glyph and name of a layer; what is none of them is unknown."""
    known = slug if slug in words.LAYERS else "unknown"
    return LayerMark(slug=known, name=words.layer(known))


def place(organization: Organization) -> Place:
    """Return an organization as the switcher shows it."""
    return Place(slug=organization.slug, name=organization.name, mark=organization.mark)


def instant(at: datetime, *, zone: ZoneInfo | None, now: datetime | None = None) -> Instant:
    """Return a time in UTC, with the day where it is not today's, and the local time beside it."""
    utc = at.astimezone(UTC)
    is_today = now is not None and utc.date() == now.astimezone(UTC).date()
    text = utc.strftime("%H:%M:%S") if is_today else dated(utc, seconds=True)
    local = ""
    if zone:
        there = at.astimezone(zone)
        local = f"{dated(there, seconds=True)} {there:%Z}"
    return Instant(at=at, text=text, local=local)


def dated(at: datetime, *, seconds: bool = False) -> str:
    """Return a moment with its day, in its own zone: 10 Mar 05:44."""
    with_seconds = pgettext("date format", "j M H:i:s")
    return dateformat.format(at, with_seconds if seconds else pgettext("date format", "j M H:i"))


def clock_length(length: timedelta) -> str:
    """Return a running time as 00:14:32, with days in front where there are any."""
    seconds = max(int(length.total_seconds()), 0)
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02d}:{rest % 3600 // 60:02d}:{rest % 60:02d}"
    return _("%(d)s d %(clock)s") % {"d": days, "clock": clock} if days else clock


def day_text(at: datetime, *, now: datetime) -> str:
    """Return when something was, as one says it: today 02:03:58, yesterday 23:41, 10 Mar 05:44."""
    utc, today = at.astimezone(UTC), now.astimezone(UTC).date()
    days = (today - utc.date()).days
    if days == 0:
        return _("today %(at)s") % {"at": f"{utc:%H:%M:%S}"}
    if days == 1:
        return _("yesterday %(at)s") % {"at": f"{utc:%H:%M}"}
    return dated(utc)


def probability(*, value: float, status: str) -> Probability:
    """Return how sure the answer is. One that did not pass the gate has no number of its own."""
    if status in {"unknown", "no-failure"}:
        return Probability(text="–", word=words.said(words.CERTAINTY, status), value=0)  # noqa: RUF001  no number
    return Probability(
        text=odds_text(value),
        word=words.said(words.CERTAINTY, status, status),
        gate=LIKELY * 100,
        value=round(value * 100, 1),
    )


def odds_of(value: float, *, word: str = "") -> Probability:
    """Return the probability of one cause: the gate, and so its word, is for the answer."""
    return Probability(text=odds_text(value), word=word, value=round(value * 100, 1))


def coverage_strip(coverage: Sequence[Mapping[str, Any]]) -> CoverageStrip:
    """Return all kinds of source, the readable first, with one line for each state that occurs."""
    ordered = sorted(coverage, key=lambda entry: (STATES.index(_state(entry)), entry["source"]))
    cells = tuple(
        CoverageCell(state=_state(entry), name=words.source(entry["source"]), note=note(entry))
        for entry in ordered
    )
    partial = [
        entry for entry in ordered if entry.get("hosts_expected") and entry.get("missing_hosts")
    ]
    lines = tuple(
        line
        for state in STATES
        if (
            line := _line(
                state=state,
                cells=[cell for cell in cells if cell.state == state],
                partial=[entry for entry in partial if _state(entry) == state],
            )
        )
    )
    present = sum(1 for cell in cells if cell.state == "present")
    return CoverageStrip(cells=cells, lines=lines, present_count=present)


def note(entry: Mapping[str, Any]) -> str:
    """Return what is known about the reach of a source: 59 of 60 hosts, gpu017 missing."""
    expected = entry.get("hosts_expected") or 0
    if not expected:
        return words.said(words.COVERAGE, _state(entry))
    missing = entry.get("missing_hosts") or []
    reach = {"n": entry.get("hosts_present", 0), "all": expected}
    if not missing:
        return _("%(n)s of %(all)s hosts") % reach
    lacking = {"hosts": words.hosts_text(missing)}
    return _("%(n)s of %(all)s hosts, %(hosts)s missing") % {**reach, **lacking}


def _state(entry: Mapping[str, Any]) -> str:
    state = str(entry.get("state", "absent"))
    return state if state in STATES else "absent"


def _line(
    *, state: str, cells: Sequence[CoverageCell], partial: Sequence[Mapping[str, Any]]
) -> CoverageLine | None:
    if not cells:
        return None
    if state == "present":
        tail = ""
        if len(partial) == 1:
            name = words.inside(words.source(partial[0]["source"]))
            tail = f": {name} {note(partial[0])}"
        return CoverageLine(state=state, text=_counted(cells, state=state) + tail)
    names = ", ".join(words.inside(cell.name) for cell in cells)
    return CoverageLine(state=state, text=f"{_counted(cells, state=state)}: {names}")


def _counted(cells: Sequence[CoverageCell], *, state: str) -> str:
    said = words.said(words.COVERAGE, state)
    return _("%(n)s %(state)s") % {"n": len(cells), "state": said}
