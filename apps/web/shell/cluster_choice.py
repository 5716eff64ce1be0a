"""The way to a page of one cluster: straight to the only one, else a list to choose from."""

from dataclasses import dataclass
from datetime import datetime

from django.http import HttpResponse
from django.shortcuts import redirect

from apps.fleet.access import access_clusters
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.render import show


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceOfCluster:
    """Which page a reader chooses a cluster for, in the reader's language."""

    address: str  # of the page, by its name; it takes an organization and a cluster
    title: str
    lead: str
    clusters: tuple[tuple[str, str], ...]  # slug, name


def choose_cluster(
    request: OrganizationRequest,
    *,
    now: datetime,
    address: str,
    title: str,
    lead: str = "",
    section: str = "",
) -> HttpResponse:
    """Lead to the page of the only cluster, or let the reader choose one."""
    found = tuple((each.slug, each.name) for each in access_clusters(actor=request.actor))
    if len(found) == 1:
        return redirect(address, request.actor.organization.slug, found[0][0])
    choice = ChoiceOfCluster(address=address, title=title, lead=lead, clusters=found)
    return show(request, "web/shell/cluster_choice.html", section=section, now=now, page=choice)
