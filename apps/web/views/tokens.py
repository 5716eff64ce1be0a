"""Make a token and see its text this once; end one."""

from datetime import datetime, timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from apps.fleet.access import access_cluster, access_clusters
from apps.fleet.models import Cluster
from apps.tenancy.access import Right
from apps.tenancy.audit import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.tenancy.models import TokenScope
from apps.tenancy.tokens import BadToken, NameTaken, ScopesMissing, TokenWish, make_token
from apps.tenancy.tokens import revoke_token as end_token
from apps.web.compose.tokens import DAYS, token_form
from apps.web.inflow import sources_page
from apps.web.pages import NewToken
from apps.web.shell import show


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: OrganizationRequest, org: str) -> HttpResponse:
    """Make a token. Its text stands in this answer and nowhere else: a second look has none."""
    if request.method != "POST":
        return redirect("web:sources", org)
    now = timezone.now()
    request.actor.require(Right.MANAGE)
    clusters = [
        access_cluster(actor=request.actor, slug=slug) for slug in request.POST.getlist("cluster")
    ]
    try:
        issued = make_token(actor=request.actor, wish=_wish(request, clusters=clusters), now=now)
    except BadToken as error:
        return _refused(request, error=error, now=now)
    token = issued.token
    record_act(
        actor=request.actor, action="token.issued", subject=token.prefix, request=request, now=now
    )
    made = NewToken(
        name=token.name,
        clear_text=issued.clear_text,
        may_send=TokenScope.INGEST in token.scopes,
    )
    bound = tuple(cluster.slug for cluster in clusters)
    page = sources_page(actor=request.actor, now=now, made=made, bound=bound)
    return show(request, "web/sources.html", section="sources", now=now, page=page, status=201)


@require_POST
def revoke(request: OrganizationRequest, org: str, prefix: str) -> HttpResponse:
    """End a token at once."""
    now = timezone.now()
    if end_token(actor=request.actor, prefix=prefix, now=now):
        record_act(
            actor=request.actor, action="token.revoked", subject=prefix, request=request, now=now
        )
        messages.info(request, _("The token is revoked: it opens nothing any more."))
    return redirect("web:sources", org)


def _wish(request: OrganizationRequest, *, clusters: list[Cluster]) -> TokenWish:
    days = request.POST.get("days", "")
    return TokenWish(
        name=request.POST.get("name", ""),
        scopes=frozenset(
            TokenScope(scope)
            for scope in request.POST.getlist("scope")
            if scope in TokenScope.values
        ),
        clusters=tuple(cluster.pk for cluster in clusters),
        lasts=timedelta(days=int(days)) if days and days in DAYS else None,
    )


def _refused(request: OrganizationRequest, *, error: BadToken, now: datetime) -> HttpResponse:
    problem = _("Give it a name of at most 80 characters: the machine or job that will use it.")
    if isinstance(error, NameTaken):
        problem = _("There is or was a token of this name. Choose another one.")
    if isinstance(error, ScopesMissing):
        problem = _("Say what it may do: send data, read or write notes.")
    form = token_form(
        clusters=list(access_clusters(actor=request.actor)),
        given=dict(request.POST.lists()),
        problem=problem,
    )
    page = sources_page(actor=request.actor, now=now, form=form)
    return show(request, "web/sources.html", section="sources", now=now, page=page, status=422)
