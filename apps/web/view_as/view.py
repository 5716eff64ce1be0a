"""What another party would see of what the organization in the path holds.

There is no mode that one is in: the pages have addresses of their own, and nothing below them can
be written to. Each look is in the audit record of the viewer's organization.
"""

from dataclasses import dataclass, replace

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET

from apps.incidents.facade.view_as import headers_as, incident_as
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.values import OrganizationName
from apps.web.charts.evidence_charts import charts_as
from apps.web.incident.circumstances.read import changed_around
from apps.web.incident.compose import compose
from apps.web.incident.contributions.annotations import Written
from apps.web.incident.query_params import PageReader
from apps.web.incident.read import wish_of
from apps.web.incidents.rows import incident_row
from apps.web.shell.render import show, zone_of

PAGE_SIZE = 30
ACTION = "sharing.viewed_as"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewAsBar:
    """Whose view it is, and where one's own is."""

    party: OrganizationName
    incident: str = ""  # its public id
    waiting: int | None = None  # the number of the terms that wait for a signature
    is_proposed: bool = False  # they are taken as signed


@require_GET
def incidents(request: OrganizationRequest, org: str, party: str) -> HttpResponse:
    """Show the newest incidents that the other party reads, too, as it would read them."""
    now = timezone.now()
    other, headers = headers_as(actor=request.actor, slug=party, most=PAGE_SIZE)
    _note(request, other.slug)
    return show(
        request,
        "web/view_as/incidents.html",
        section="sharing",
        now=now,
        bar=ViewAsBar(party=other),
        rows=[incident_row(header=each, now=now) for each in headers],
    )


@require_GET
def incident(request: OrganizationRequest, org: str, party: str, public_id: str) -> HttpResponse:
    """Show one of them."""
    return _incident(request, org, party, public_id, proposed=False)


@require_GET
def proposed_incident(
    request: OrganizationRequest, org: str, party: str, public_id: str
) -> HttpResponse:
    """Show one of them as if the terms that wait for a signature were signed."""
    return _incident(request, org, party, public_id, proposed=True)


def _incident(
    request: OrganizationRequest, org: str, party: str, public_id: str, *, proposed: bool
) -> HttpResponse:
    now, actor = timezone.now(), request.actor
    found = incident_as(actor=actor, public_id=public_id, slug=party, now=now, proposed=proposed)
    header = found.view.header
    if header.incident.public_id != public_id or proposed != found.is_proposed:
        name = "web:incident_as_proposed" if found.is_proposed else "web:incident_as"
        return redirect(name, org, party, header.incident.public_id)
    # What is only proposed, too, is on record as that.
    terms = f" proposed {found.waiting}" if found.is_proposed else ""
    _note(request, f"{header.reader.slug} {public_id}{terms}")
    page = compose(
        view=found.view,
        written=Written(histories={}, unread=frozenset(), links={}),
        charts=charts_as(
            shared=found.charts,
            incident=header.incident,
            culprits=header.culprits or (),
            timeline=found.view.timeline,
        ),
        log_lines={},
        wish=wish_of(request),
        reader=PageReader(can_write=False, may_resolve=False, now=now, zone=zone_of(request)),
        around=changed_around(found.changes, header=header, hosts=found.hosts, now=now),
    )
    return show(
        request,
        "web/view_as/incident.html",
        section="sharing",
        now=now,
        bar=ViewAsBar(
            party=header.reader,
            incident=public_id,
            waiting=found.waiting,
            is_proposed=found.is_proposed,
        ),
        # What the parties say of the verdict is theirs to read: it is not told here.
        page=replace(page, standing=None),
    )


def _note(request: OrganizationRequest, subject: str) -> None:
    record_act(
        actor=request.actor,
        action=ACTION,
        subject=subject,
        request=request,
        now=timezone.now(),
    )
