"""Sources that are sent their metrics, in words."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.telemetry.samples.accept import KIND
from apps.telemetry.samples.window.window_status import WindowStatus
from apps.telemetry.values import SourceView
from apps.web import words
from apps.web.sources.page import SourceRow
from apps.web.sources.rows import pull_row
from apps.web.sources.source_page import SourceState

# Senders speak every few seconds; five minutes are what Prometheus takes for "not there".
STALE_AFTER: Final = timedelta(minutes=5)


def metrics_row(
    *, source: SourceView, standings: Mapping[int, WindowStatus], now: datetime
) -> SourceRow:
    """Return a source of metrics, whether it is read or sent."""
    standing = standings.get(source.id)
    if source.kind != KIND or standing is None:
        return pull_row(source=source, now=now)
    told = sent_state(source=source, standing=standing, now=now)
    return SourceRow(
        name=source.name,
        kind=_("sent here, %(cluster)s") % {"cluster": source.cluster.name},
        state=told.state,
        state_text=told.text,
        amount=_("%(count)s series") % {"count": f"{standing.series_count:,}"},
        note=told.detail or next(iter(remarks(standing)), ""),
        public_id=source.public_id,
    )


def sent_state(*, source: SourceView, standing: WindowStatus, now: datetime) -> SourceState:
    """Return whether samples come in: never yet, fresh, stale and switched off are four things."""
    if not source.is_enabled:
        return SourceState(state="off", text=_("switched off"))
    if standing.newest_at is None:
        return SourceState(state="waiting", text=_("waiting for the first sample"))
    age = now - standing.newest_at
    told = words.duration(max(age.total_seconds(), 0))
    if age > STALE_AFTER:
        return SourceState(state="stale", text=_("stale, %(age)s") % {"age": told})
    return SourceState(state="fresh", text=_("%(age)s ago") % {"age": told})


def remarks(standing: WindowStatus) -> tuple[str, ...]:
    """Return what its owner should know: what was left out, and how forwarding goes."""
    told = [text % {"n": f"{count:,}"} for count, text in _counted(standing) if count]
    if standing.forward_state == "failing":
        failing = _("sending on fails: %(error)s") % {"error": standing.forward_error}
        told.insert(0, failing)
    return tuple(told)


def _counted(standing: WindowStatus) -> Iterator[tuple[int, str]]:
    n = standing.refused_count
    yield (
        n,
        ngettext(
            "%(n)s sample of a series over the limit was left out",
            "%(n)s samples of series over the limit were left out",
            n,
        ),
    )
    n = standing.outside_count
    yield (
        n,
        ngettext(
            "%(n)s sample came from outside the window",
            "%(n)s samples came from outside the window",
            n,
        ),
    )
    n = standing.histogram_count
    yield (
        n,
        ngettext("%(n)s native histogram was left out", "%(n)s native histograms were left out", n),
    )
    n = standing.exemplar_count
    yield n, ngettext("%(n)s exemplar was left out", "%(n)s exemplars were left out", n)
    n = standing.forward_dropped_count
    yield n, ngettext("%(n)s body could not be sent on", "%(n)s bodies could not be sent on", n)
