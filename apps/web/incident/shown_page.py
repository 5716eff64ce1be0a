"""What an open page of an incident shows when it asks again, as it says itself."""

from dataclasses import dataclass
from datetime import datetime

from apps.incidents.facade.notes import annotations_of
from apps.incidents.projection.header_values import IncidentHeader
from apps.tenancy.access import Actor
from apps.tenancy.middleware import OrganizationRequest
from apps.web.charts import evidence_charts
from apps.web.incident import capture_status
from apps.web.incident.contributions.annotations import mark_of
from apps.web.live.page_mark import seen_mark


class NothingNew(Exception):
    """The page shows everything there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPage:
    """An open page, by the marks of what it shows; it may say anything, and is shown no more."""

    public_id: str
    seen: str  # of everything but annotations
    diagnosis: str = ""  # of what no act changes; empty: it wants all of it
    notes: str | None = None  # of annotations; None: it shows none

    def require_news(
        self, *, actor: Actor, header: IncidentHeader, shown: tuple[str, ...], now: datetime
    ) -> None:
        """Raise NothingNew where it shows everything; `shown` is by what others show of it."""
        incident = header.incident
        if incident.public_id != self.public_id:
            return
        standings = evidence_charts.standings_of(actor=actor, incident=incident)
        captures = capture_status.mark(standings=standings)
        mark = seen_mark(actor=actor, header=header, shown=shown, captures=captures, now=now)
        if self.seen != mark:
            return
        if self.notes is None or self.notes == mark_of(annotations_of(incident=incident)):
            raise NothingNew


def shown_page(request: OrganizationRequest, *, public_id: str) -> ShownPage | None:
    """Return what the page that asks shows; None where none is open yet."""
    seen = request.GET.get("seen")
    if not seen:
        return None
    return ShownPage(
        public_id=public_id,
        seen=seen,
        diagnosis=request.GET.get("diagnosis", ""),
        notes=request.GET.get("notes"),
    )
