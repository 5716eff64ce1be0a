"""What an organization has to be told of requests for evidence: those that wait, and answers."""

from dataclasses import dataclass
from datetime import datetime

from apps.incidents.evidence_requests.request_views import EvidenceRequestView, views_of
from apps.incidents.evidence_requests.requests import access_requests
from apps.incidents.evidence_requests.states import RequestState
from apps.incidents.models import EvidenceRequest, EvidenceRequestAct
from apps.incidents.states import RequestActKind
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization

ANSWERS = (
    RequestActKind.GRANTED,
    RequestActKind.NARROWED,
    RequestActKind.DECLINED,
    RequestActKind.ANSWERED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestNews:
    """A request that waits for the organization, or an answer to one of its own."""

    view: EvidenceRequestView
    cluster_id: int | None
    is_simulated: bool


def request_news(
    *, organization: Organization, since: datetime, now: datetime
) -> tuple[RequestNews, ...]:
    """Return what was asked since then and still waits, and what was answered. Needs the scope."""
    asked = EvidenceRequest.objects.filter(counterpart=organization, at__gt=since)
    answered = EvidenceRequestAct.objects.filter(
        counterpart=organization, kind__in=ANSWERS, at__gt=since
    )
    wanted = {*asked.values_list("pk", flat=True), *answered.values_list("request_id", flat=True)}
    if not wanted:
        return ()
    reader = Actor(organization=organization, rights=frozenset({Right.READ}))
    rows = list(access_requests(actor=reader).filter(pk__in=wanted))
    views = views_of(actor=reader, rows=rows, now=now)
    return tuple(
        RequestNews(
            view=view, cluster_id=row.incident.cluster_id, is_simulated=row.incident.is_simulated
        )
        for row, view in zip(rows, views, strict=True)
        if view.waits_for_reader or (view.is_asker and view.state is not RequestState.WAITING)
    )
