"""A metrics source: add one, see whether it answers, change it or switch it off."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from apps.fleet.access import access_cluster, access_clusters
from apps.telemetry.facade.sources import add_source, change_source, open_source
from apps.telemetry.metrics.source_settings import BadSource
from apps.telemetry.samples.accept import KIND
from apps.telemetry.samples.window.window_status import WindowStatus, standings_of
from apps.telemetry.values import SourceView
from apps.tenancy.access import Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.render import show
from apps.web.sources import metrics_coverage, source_form
from apps.web.sources.compose import admin_names
from apps.web.sources.pushed_metrics import remarks, sent_state
from apps.web.sources.rows import pull_state, source_fields
from apps.web.sources.source_form import FilledForm
from apps.web.sources.source_page import SourceFields, SourcePage, SourceState


@sensitive_variables()
@sensitive_post_parameters("secret")
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the empty form, or add a source and lead to where its first answer is awaited."""
    request.actor.require(Right.MANAGE)
    now = timezone.now()
    if request.method != "POST":
        return _shown(request, page=_new(request, filled=None), now=now)
    cluster = access_cluster(actor=request.actor, slug=request.POST.get("cluster", ""))
    filled = source_form.read(request.POST)
    try:
        if filled.problems:
            return _shown(request, page=_new(request, filled=filled), now=now, status=422)
        made = add_source(actor=request.actor, cluster=cluster, wanted=filled.wanted, now=now)
    except BadSource as error:
        filled.problems.update(
            source_form.problem_of(error, has_secret=False, zone=filled.fields.zone)
        )
        return _shown(request, page=_new(request, filled=filled), now=now, status=422)
    _note(request, action="source.added", source=made, now=now)
    return redirect("web:source", org, made.public_id)


@sensitive_variables()
@sensitive_post_parameters("secret")
@require_http_methods(["GET", "HEAD", "POST"])
def source(request: OrganizationRequest, org: str, public_id: str) -> HttpResponse:
    """Show a source, change it, or as a fragment tell whether it answers."""
    now = timezone.now()
    found = open_source(actor=request.actor, public_id=public_id)
    if request.method == "POST":
        return _change(request, source=found, now=now)
    page = _known(request, source=found, filled=None, now=now)
    if request.headers.get("HX-Request"):
        values = {"page": page, "org": request.actor.organization.slug}
        return render(request, "web/sources/source_state.html", values)
    return _shown(request, page=page, now=now)


def _change(request: OrganizationRequest, *, source: SourceView, now: datetime) -> HttpResponse:
    request.actor.require(Right.MANAGE)
    has_secret = source.has_credential
    filled = source_form.read(request.POST, is_pushed=source.kind == KIND)
    if not filled.problems:
        try:
            change_source(actor=request.actor, public_id=source.public_id, wanted=filled.wanted)
        except BadSource as error:
            zone = filled.fields.zone
            told = source_form.problem_of(error, has_secret=has_secret, zone=zone)
            filled.problems.update(told)
    if filled.problems:
        kept = open_source(actor=request.actor, public_id=source.public_id)
        page = _known(request, source=kept, filled=filled, now=now)
        return _shown(request, page=page, now=now, status=422)
    _note(request, action="source.changed", source=source, now=now)
    messages.info(request, _("Saved."))
    return redirect("web:source", request.actor.organization.slug, source.public_id)


def _new(request: OrganizationRequest, *, filled: FilledForm | None) -> SourcePage:
    clusters = tuple((each.slug, each.name) for each in access_clusters(actor=request.actor))
    return SourcePage(
        title=_("Add a metrics source"),
        fields=filled.fields
        if filled
        else SourceFields(cluster=next((slug for slug, _name in clusters), "")),
        clusters=clusters,
        can_manage=True,
        admins="",
        problems=filled.problems if filled else {},
    )


def _known(
    request: OrganizationRequest, *, source: SourceView, filled: FilledForm | None, now: datetime
) -> SourcePage:
    standing = standings_of(actor=request.actor, sources=[source]).get(source.id)
    return SourcePage(
        title=source.name,
        fields=filled.fields if filled else source_fields(source),
        clusters=(),
        can_manage=Right.MANAGE in request.actor.rights,
        admins=admin_names(actor=request.actor),
        public_id=source.public_id,
        cluster=source.cluster.name,
        state=_state(source=source, standing=standing, now=now),
        is_pushed=source.kind == KIND,
        remarks=remarks(standing) if standing else (),
        has_secret=source.has_credential,
        problems=filled.problems if filled else {},
        told=metrics_coverage.of_source(actor=request.actor, source=source, now=now),
    )


def _state(*, source: SourceView, standing: WindowStatus | None, now: datetime) -> SourceState:
    if standing is not None:
        return sent_state(source=source, standing=standing, now=now)
    return pull_state(source=source, now=now)


def _shown(
    request: OrganizationRequest, *, page: SourcePage, now: datetime, status: int = 200
) -> HttpResponse:
    return show(
        request,
        "web/sources/source_page.html",
        section="sources",
        now=now,
        page=page,
        status=status,
    )


def _note(request: OrganizationRequest, *, action: str, source: SourceView, now: datetime) -> None:
    record_act(
        actor=request.actor, action=action, subject=source.public_id, request=request, now=now
    )
