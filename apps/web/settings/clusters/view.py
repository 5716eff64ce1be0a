"""The clusters of an organization: who takes part, whose projects, what hosts are called."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from apps.fleet.access import access_cluster, access_clusters, access_node, access_nodes
from apps.fleet.authority.project_owners import (
    BadProject,
    access_projects,
    access_tenants,
    map_project,
    may_map,
    sees_map,
    unmap_project,
)
from apps.fleet.hosts.host_aliases import BadAlias, find_hosts, may_name, rename_many
from apps.fleet.models import Cluster
from apps.fleet.parties.leave_cluster import is_last_operator
from apps.fleet.parties.participants import participants
from apps.fleet.parties.role_proposals import access_made, access_received, may_propose
from apps.tenancy.access import Actor, Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web import words
from apps.web.display.organizations import place
from apps.web.settings.clusters.page import (
    ClusterCard,
    HostRow,
    HostsPage,
    ParticipantRow,
    alias_problem,
    host_row,
    participant_row,
    project_problem,
    project_rows,
)
from apps.web.settings.clusters.participation import (
    MadeRow,
    TypedForm,
    made_row,
    offer_form,
    received_row,
)
from apps.web.settings.tabs import show_tab

HOSTS_SHOWN = 50
PROPOSALS_SHOWN = 100
NAMES_LENGTH = 6000


@require_GET
def clusters(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the clusters that the organization in the path takes part in."""
    return show_clusters(request)


@require_http_methods(["GET", "HEAD", "POST"])
def projects(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Give a project to a tenant, or take it away. For those who run the cluster."""
    found = access_cluster(actor=request.actor, slug=cluster)
    if request.method != "POST":
        return redirect("web:clusters", org)
    project, tenant = request.POST.get("project", ""), request.POST.get("tenant", "")
    if request.POST.get("act") == "take":
        if unmap_project(actor=request.actor, cluster=found, project=project):
            _note(request, "project.unmapped", f"{cluster} {project}")
            messages.info(request, _("Sessions of before stay with whom they were."))
        return redirect("web:clusters", org)
    try:
        is_new = map_project(actor=request.actor, cluster=found, project=project, tenant=tenant)
    except BadProject as error:
        problem = project_problem(error=error, name=project)
        return show_clusters(
            request,
            typed=TypedForm(cluster=cluster, project=project, tenant=tenant, problem=problem),
            status=422,
        )
    if is_new:
        _note(request, "project.mapped", f"{cluster} {project.strip()} {tenant}")
        messages.info(request, _("Its sessions belong to this tenant from now on."))
    return redirect("web:clusters", org)


@require_http_methods(["GET", "HEAD", "POST"])
def hosts(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Show what the hosts of the organization are called too, or change it for those sent."""
    found = access_cluster(actor=request.actor, slug=cluster)
    if request.method != "POST":
        return _hosts(request, found)
    typed = {
        host: names[:NAMES_LENGTH]
        for host, names in zip(
            request.POST.getlist("host")[:HOSTS_SHOWN],
            request.POST.getlist("names")[:HOSTS_SHOWN],
            strict=False,
        )
    }
    renamed = rename_many(
        actor=request.actor,
        cluster=found,
        hosts={host: names.replace(",", " ").split() for host, names in typed.items()},
    )
    for host in renamed.news:
        _note(request, "host.named", f"{cluster} {host}")
    if renamed.news:
        hosts = words.hosts_text(renamed.news)
        messages.info(request, _("Saved: lines under these names join %(host)s.") % {"host": hosts})
    if renamed.refused:
        return _refused(request, found, typed=typed, refused=renamed.refused)
    return redirect("web:hosts", org, cluster)


def show_clusters(
    request: OrganizationRequest, *, typed: TypedForm | None = None, status: int = 200
) -> HttpResponse:
    """Show the clusters, with what was typed where it can't be done."""
    now, actor = timezone.now(), request.actor
    typed = typed or TypedForm()
    cards = tuple(
        _card(actor, each, typed if typed.cluster == each.slug else TypedForm(), now=now)
        for each in access_clusters(actor=actor)
    )
    manages = Right.MANAGE in actor.rights
    received = access_received(actor=actor, now=now) if manages else ()
    return show_tab(
        request,
        "web/settings/clusters/page.html",
        tab="clusters",
        now=now,
        status=status,
        cards=cards,
        received=tuple(received_row(row=each) for each in received),
    )


def _card(actor: Actor, cluster: Cluster, typed: TypedForm, *, now: datetime) -> ClusterCard:
    can_map = may_map(actor=actor, cluster=cluster)
    tenants = access_tenants(actor=actor, cluster=cluster) if can_map else []
    can_propose = may_propose(actor=actor, cluster=cluster)
    return ClusterCard(
        slug=cluster.slug,
        name=cluster.name,
        participants=_participants(actor, cluster, can_propose=can_propose),
        sees_all=sees_map(actor=actor, cluster=cluster),
        projects=project_rows(projects=access_projects(actor=actor, cluster=cluster)),
        may_map=can_map,
        tenants=tuple(place(each) for each in tenants),
        host_count=access_nodes(actor=actor, cluster=cluster.slug).count(),
        typed=typed,
        made=_made(actor, cluster, now=now) if can_propose else (),
        form=offer_form(typed=typed) if can_propose else None,
    )


def _participants(
    actor: Actor, cluster: Cluster, *, can_propose: bool
) -> tuple[ParticipantRow, ...]:
    is_last = can_propose and is_last_operator(organization=actor.organization, cluster=cluster)
    return tuple(
        participant_row(participant=each, reader=actor, is_last=is_last, may_propose=can_propose)
        for each in participants(actor=actor, cluster=cluster)
    )


def _made(actor: Actor, cluster: Cluster, *, now: datetime) -> tuple[MadeRow, ...]:
    rows = access_made(actor=actor).filter(cluster=cluster)[:PROPOSALS_SHOWN]
    return tuple(made_row(row=each, now=now) for each in rows)


def _hosts(
    request: OrganizationRequest, cluster: Cluster, *, first: Sequence[HostRow] = ()
) -> HttpResponse:
    actor, wanted = request.actor, request.GET.get("q", "").strip().lower()[:253]
    nodes = find_hosts(actor=actor, cluster=cluster, wanted=wanted)
    known = {row.name for row in first}
    rows = [
        *first,
        *(host_row(node=node) for node in nodes[:HOSTS_SHOWN] if node.name not in known),
    ]
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
        "web/settings/clusters/hosts.html",
        tab="clusters",
        now=timezone.now(),
        status=422 if first else 200,
        page=page,
    )


def _refused(
    request: OrganizationRequest,
    cluster: Cluster,
    *,
    typed: Mapping[str, str],
    refused: Mapping[str, BadAlias],
) -> HttpResponse:
    """Show what could not be saved, first, as it was typed."""
    rows = [
        host_row(
            node=access_node(actor=request.actor, cluster=cluster.slug, name=host),
            typed=typed[host],
            problem=alias_problem(error=error),
        )
        for host, error in refused.items()
    ]
    return _hosts(request, cluster, first=rows)


def _note(request: OrganizationRequest, action: str, subject: str) -> None:
    record_act(
        actor=request.actor, action=action, subject=subject, request=request, now=timezone.now()
    )
