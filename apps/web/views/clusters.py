"""The clusters of an organization: who takes part, whose projects, what hosts are called."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from apps.fleet.access import access_cluster, access_clusters, access_node, access_nodes
from apps.fleet.aliases import BadAlias, find_hosts, may_name, rename
from apps.fleet.models import Cluster
from apps.fleet.participants import participants
from apps.fleet.projects import (
    BadProject,
    access_projects,
    access_tenants,
    map_project,
    may_map,
    sees_map,
    unmap_project,
)
from apps.tenancy.audit import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.compose.basics import place
from apps.web.compose.clusters import (
    ClusterCard,
    HostRow,
    HostsPage,
    alias_problem,
    host_row,
    participant_row,
    project_problem,
    project_rows,
)
from apps.web.tabs import show_tab

HOSTS_SHOWN = 50
NAMES_LENGTH = 6000


@require_GET
def clusters(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the clusters that the organization in the path takes part in."""
    return _show(request)


@require_http_methods(["GET", "HEAD", "POST"])
def projects(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Give a project to a tenant, or take it away. For those who run the cluster."""
    found = access_cluster(actor=request.actor, slug=cluster)
    if request.method != "POST":
        return redirect("web:clusters", org)
    project, tenant = request.POST.get("project", ""), request.POST.get("tenant", "")
    if request.POST.get("deed") == "take":
        if unmap_project(actor=request.actor, cluster=found, project=project):
            _note(request, "project.unmapped", f"{cluster} {project}")
            messages.info(request, _("Sessions of before stay with whom they were."))
        return redirect("web:clusters", org)
    try:
        is_new = map_project(actor=request.actor, cluster=found, project=project, tenant=tenant)
    except BadProject as error:
        problem = project_problem(error=error, name=project)
        return _show(request, typed=(cluster, project, tenant, problem), status=422)
    if is_new:
        _note(request, "project.mapped", f"{cluster} {project.strip()} {tenant}")
        messages.info(request, _("Its sessions belong to this tenant from now on."))
    return redirect("web:clusters", org)


@require_http_methods(["GET", "HEAD", "POST"])
def hosts(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Show what the hosts of the organization are called too, or change it for one."""
    found = access_cluster(actor=request.actor, slug=cluster)
    if request.method != "POST":
        return _hosts(request, found)
    host, typed = request.POST.get("host", ""), request.POST.get("names", "")[:NAMES_LENGTH]
    aliases = typed.replace(",", " ").split()
    try:
        is_new = rename(actor=request.actor, cluster=found, host=host, aliases=aliases)
    except BadAlias as error:
        return _refused(request, found, host=host, typed=typed, error=error)
    if is_new:
        _note(request, "host.named", f"{cluster} {host}")
        messages.info(request, _("Saved: lines under these names join %(host)s.") % {"host": host})
    return redirect("web:hosts", org, cluster)


def _show(
    request: OrganizationRequest,
    *,
    typed: tuple[str, str, str, str] = ("", "", "", ""),
    status: int = 200,
) -> HttpResponse:
    cards = tuple(
        _card(request, each, typed if typed[0] == each.slug else ("", "", "", ""))
        for each in access_clusters(actor=request.actor)
    )
    return show_tab(
        request,
        "web/settings/clusters.html",
        tab="clusters",
        now=timezone.now(),
        status=status,
        cards=cards,
    )


def _card(
    request: OrganizationRequest, cluster: Cluster, typed: tuple[str, str, str, str]
) -> ClusterCard:
    actor = request.actor
    can_map = may_map(actor=actor, cluster=cluster)
    tenants = access_tenants(actor=actor, cluster=cluster) if can_map else []
    return ClusterCard(
        slug=cluster.slug,
        name=cluster.name,
        participants=tuple(
            participant_row(participant=each, reader=actor.organization)
            for each in participants(actor=actor, cluster=cluster)
        ),
        sees_all=sees_map(actor=actor, cluster=cluster),
        projects=project_rows(projects=access_projects(actor=actor, cluster=cluster)),
        may_map=can_map,
        tenants=tuple(place(each) for each in tenants),
        host_count=access_nodes(actor=actor, cluster=cluster.slug).count(),
        typed_project=typed[1],
        typed_tenant=typed[2],
        problem=typed[3],
    )


def _hosts(
    request: OrganizationRequest, cluster: Cluster, *, first: HostRow | None = None
) -> HttpResponse:
    actor, wanted = request.actor, request.GET.get("q", "").strip().lower()[:253]
    nodes = find_hosts(actor=actor, cluster=cluster, wanted=wanted)
    rows = [host_row(node=node) for node in nodes[:HOSTS_SHOWN]]
    if first is not None:
        rows = [first, *(row for row in rows if row.name != first.name)]
    page = HostsPage(
        cluster=cluster.slug,
        cluster_name=cluster.name,
        rows=tuple(rows),
        wanted=wanted,
        more_count=max(nodes.count() - HOSTS_SHOWN, 0),
        may_name=may_name(actor=actor, cluster=cluster),
    )
    return show_tab(
        request,
        "web/settings/hosts.html",
        tab="clusters",
        now=timezone.now(),
        status=422 if first else 200,
        page=page,
    )


def _refused(
    request: OrganizationRequest, cluster: Cluster, *, host: str, typed: str, error: BadAlias
) -> HttpResponse:
    node = access_node(actor=request.actor, cluster=cluster.slug, name=host)
    first = host_row(node=node, typed=typed, problem=alias_problem(error=error))
    return _hosts(request, cluster, first=first)


def _note(request: OrganizationRequest, action: str, subject: str) -> None:
    record_act(
        actor=request.actor, action=action, subject=subject, request=request, now=timezone.now()
    )
