"""What was changed in a cluster: the list, writing a change down, and taking it back."""

from datetime import timedelta

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from apps.diagnosis.input_values import CLOCK_AHEAD
from apps.fleet.changes.change_rows import TooManyChanges
from apps.fleet.facade.nodes import NodeScope, node_scope
from apps.incidents.facade.cluster_changes import (
    changes_of,
    may_tell,
    tell_change,
    unknown_hosts_of,
    withdraw_change,
)
from apps.tenancy.access import Right
from apps.tenancy.middleware import OrganizationRequest
from apps.web.changes.change_form import (
    BadChange,
    change_form,
    change_of,
    empty_form,
    typed_change,
)
from apps.web.changes.change_words import unknown_hosts_text
from apps.web.changes.compose import SHOWN, change_rows, changes_page
from apps.web.changes.page import ChangeForm
from apps.web.display.choices import day_links
from apps.web.shell.act_context import act_context
from apps.web.shell.address_filters import known, link
from apps.web.shell.cluster_choice import choose_cluster
from apps.web.shell.render import show
from apps.web.shell.shared_reads import read_with_shared

SPANS = ("7", "28", "90", "365")
USUAL = "28"


@require_GET
def clusters(request: OrganizationRequest, org: str) -> HttpResponse:
    """Lead to the organization's only cluster, or show which there are."""
    return choose_cluster(
        request, now=timezone.now(), address="web:changes", title=_("Changes"), section="changes"
    )


@require_GET
def changes(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Show what was changed in a cluster, as the organization in the path reads of it."""
    return _shown(request, node_scope(actor=request.actor, cluster=cluster))


@require_POST
def tell(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Write down what one's own organization changed."""
    scope = node_scope(actor=request.actor, cluster=cluster)
    request.actor.require(Right.ACT)
    typed, context = typed_change(request.POST.dict()), act_context(request)
    try:
        report = change_of(typed, by=request.actor.name, now=context.now)
        intake = tell_change(cluster=scope, report=report, context=context)
    except (BadChange, TooManyChanges) as error:
        form = change_form(typed=typed, problem=str(error))
        return _shown(request, scope, form=form, status=422)
    messages.success(request, _("Written down. Your agreements say what others read of it."))
    if intake.unknown_hosts:
        messages.warning(request, unknown_hosts_text(intake.unknown_hosts))
    return _back(org, cluster)


@require_POST
def withdraw(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Take back a change that one's own organization told."""
    public_id = request.POST.get("change", "")[:40]
    withdraw_change(cluster=cluster, public_id=public_id, context=act_context(request))
    messages.success(request, _("Taken back: it stands nowhere any more."))
    return _back(org, cluster)


def _shown(
    request: OrganizationRequest,
    scope: NodeScope,
    *,
    form: ChangeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    now, actor = timezone.now(), request.actor
    days = known(request, "days", SPANS) or USUAL
    found = read_with_shared(
        request,
        lambda channel: changes_of(
            actor=actor,
            cluster=scope,
            span=(now - timedelta(days=int(days)), now + CLOCK_AHEAD),
            now=now,
            channel=channel,
        ),
    )
    if form is None and may_tell(actor=actor):
        form = empty_form(now=now)
    newest = found[:SHOWN]
    unknown = unknown_hosts_of(actor=actor, cluster=scope, changes=newest)
    page = changes_page(
        cluster=scope.cluster,
        rows=change_rows(newest, now=now, unknown_hosts=unknown),
        more=len(found) - len(newest),
        form=form,
        spans=day_links(SPANS, chosen=days, query=lambda each: link(days=each)),
        portal=settings.PORTAL_BASE_URL,
    )
    return show(
        request,
        "web/changes/page.html",
        section="changes",
        now=now,
        page=page,
        status=status,
        may_make_token=Right.MANAGE in actor.rights,
    )


def _back(org: str, cluster: str) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("web:changes", args=[org, cluster]))
