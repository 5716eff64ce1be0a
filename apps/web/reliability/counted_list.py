"""What one figure of a period counts, as a list that leads to each of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.incidents.facade.reads import list_incidents
from apps.incidents.words import spoken
from apps.reliability.period.scopes import Counted, CountedKind
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.incidents.page import IncidentRow
from apps.web.incidents.rows import incident_rows
from apps.web.reliability.asked import AskedPeriod
from apps.web.reliability.counted_sessions import CountedSession, counted_sessions

MOST_SHOWN: Final = 100
FIGURES: Final = {
    "sessions": gettext_lazy("Sessions that were counted"),
    "incidents": gettext_lazy("Incidents"),
    "sessions-without-steps": gettext_lazy("Sessions of which no step is known"),
    "retry-chains": gettext_lazy("Sessions with retries"),
    "time-to-failure-hours": gettext_lazy("Attempts that failed"),
    "infrastructure-time-to-failure-hours": gettext_lazy("Failures of the infrastructure"),
    "failures-per-1000-node-days": gettext_lazy("Failures of the infrastructure"),
    "goodput": gettext_lazy("Sessions in the goodput"),
    "ettr": gettext_lazy("Sessions in the effective training time"),
    "mfu-percent": gettext_lazy("Attempts that tell their MFU"),
    "lost-gpu-hours": gettext_lazy("Incidents that cost GPU-hours"),
    "lost-progress-gpu-hours": gettext_lazy("Incidents that cost progress"),
    "downtime-gpu-hours": gettext_lazy("Incidents that cost downtime"),
    "slow-gpu-hours": gettext_lazy("Incidents that cost slow steps"),
    "disputed-gpu-hours": gettext_lazy("Incidents whose verdict is contested"),
    "checkpoint-interval-seconds": gettext_lazy("Attempts with several saves"),
    "save-seconds": gettext_lazy("Attempts whose steps waited for saves"),
    "restart-seconds": gettext_lazy("Attempts that another one followed"),
    "burnt-gpu-hours": gettext_lazy("Sessions with retries"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedPage:
    """What a figure counts. More than are shown are in the file."""

    title: str
    caption: str
    back: str
    incidents: tuple[IncidentRow, ...]
    sessions: tuple[CountedSession, ...]
    is_of_attempts: bool
    more_count: int


def counted_list(
    request: OrganizationRequest,
    *,
    counted: Counted,
    asked: AskedPeriod,
    figure: str,
    name: str,
    now: datetime,
) -> CountedPage:
    """Return the list; incidents as the reader reads them."""
    is_of_incidents = counted.kind is CountedKind.INCIDENTS
    shown = counted.ids[:MOST_SHOWN]
    return CountedPage(
        title=_title(figure, name),
        caption=_("%(n)s counted, %(first)s to %(last)s")
        % {"n": counted.count, "first": asked.first_day, "last": asked.last_day},
        back=asked.query(),
        incidents=_incidents(request, shown, now) if is_of_incidents else (),
        sessions=() if is_of_incidents else counted_sessions(request, shown, now=now),
        is_of_attempts=counted.kind is CountedKind.ATTEMPTS,
        more_count=counted.count - len(shown),
    )


def _title(figure: str, name: str) -> str:
    if figure == "layer":
        return _("Incidents: %(name)s") % {"name": words.layer(name)}
    if figure == "cause":
        return _("Incidents: %(name)s") % {"name": spoken(name).name}
    if name:
        return _("Incidents: %(name)s") % {"name": name}
    return str(FIGURES.get(figure, figure))


def _incidents(
    request: OrganizationRequest, ids: tuple[str, ...], now: datetime
) -> tuple[IncidentRow, ...]:
    listed = list_incidents(actor=request.actor).filter(Q(shown_id__in=ids))
    headers = listed[:MOST_SHOWN]
    return tuple(incident_rows(actor=request.actor, headers=headers, now=now, is_folded=False))
