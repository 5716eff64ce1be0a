"""The storage path of a cluster, and what it is rated at."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from apps.diagnosis.input_values import decimal, instant
from apps.diagnosis.spelling import shown
from apps.fleet.access import access_cluster
from apps.reliability.facade.storage_path import StorageQuestion, storage_path
from apps.reliability.storage_path.values import StoragePathView
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.storage_path.ratings import BadRating, RatingKind, enter_rating
from apps.tenancy.access import Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.shell.address_filters import known
from apps.web.shell.cluster_choice import choose_cluster
from apps.web.shell.render import show
from apps.web.shell.shared_reads import read_with_shared
from apps.web.storage_path.compose import DAYS, VIEWS, AskedPage, rating_form, storage_page
from apps.web.storage_path.figures import TYPED_IN
from apps.web.storage_path.page import RatingForm

AHEAD = timedelta(minutes=1)


@require_GET
def storage(request: OrganizationRequest, org: str) -> HttpResponse:
    """Lead to the storage path of the only cluster, or let the reader choose one."""
    return choose_cluster(
        request,
        now=timezone.now(),
        address="web:storage_path",
        title=_("Storage path"),
        lead=_("How checkpoints get from ranks to the file server, cluster by cluster."),
        section="sessions",
    )


@require_GET
def path(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Show the saves and loads of a cluster, and where one of them spent its time."""
    access_cluster(actor=request.actor, slug=cluster)
    return _shown(request, cluster)


@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: OrganizationRequest, org: str, cluster: str) -> HttpResponse:
    """Enter what the storage path is rated at. For the operator and the storage vendor."""
    access_cluster(actor=request.actor, slug=cluster)
    if request.method != "POST":
        return redirect("web:storage_path", org, cluster)
    request.actor.require(Right.ACT)
    now = timezone.now()
    typed = {
        name: request.POST.get(name, "").strip()[:60] for name in ("kind", "value", "valid_from")
    }
    problem = _enter(request, cluster, typed, now=now)
    if problem:
        return _shown(request, cluster, form=rating_form(**typed, problem=problem), status=422)
    messages.info(request, _("Entered. What was computed for earlier times stays as it was."))
    return redirect(f"{request.path.removesuffix('ratings/')}?view=ratings")


def _enter(
    request: OrganizationRequest, cluster: str, typed: dict[str, str], *, now: datetime
) -> str:
    """Enter a rating; return what is wrong with it, nothing where it was entered."""
    value, since = decimal(typed["value"]), instant(f"{typed['valid_from']}T00:00:00+00:00")
    if typed["kind"] not in set(RatingKind) or value is None:
        return _("Say what it is, and a plain number such as 250.")
    if typed["valid_from"] and since is None:
        return _("“%(value)s” is no day: write it like 2026-11-21.") % {
            "value": shown(word=typed["valid_from"])
        }
    kind = RatingKind(typed["kind"])
    try:
        enter_rating(
            actor=request.actor,
            slug=cluster,
            kind=kind,
            value=value * TYPED_IN[kind],
            valid_from=(since or now).astimezone(UTC),
            now=now,
        )
    except BadRating as error:
        return _("Not entered: %(why)s.") % {"why": error}
    record_act(
        actor=request.actor,
        action="storage.rated",
        subject=f"{cluster} {kind}",
        request=request,
        now=now,
    )
    return ""


def _shown(
    request: OrganizationRequest,
    cluster: str,
    *,
    form: RatingForm | None = None,
    status: int = 200,
) -> HttpResponse:
    now = timezone.now()
    asked = AskedPage(
        org=request.actor.organization.slug,
        days=known(request, "days", DAYS) or DAYS[0],
        view="ratings" if form else known(request, "view", VIEWS),
        at=request.GET.get("at", "")[:40],
    )
    found = _read(request, _question(request, cluster, asked, now=now), now=now)
    page = storage_page(found, asked=asked, form=form)
    return show(
        request,
        "web/storage_path/page.html",
        section="sessions",
        now=now,
        page=page,
        status=status,
    )


def _read(
    request: OrganizationRequest, question: StorageQuestion, *, now: datetime
) -> StoragePathView:
    """Return what is asked; without what others show where the ledger can't have it."""

    def read(channel: LedgerChannel | None) -> StoragePathView:
        asked = question if channel else replace(question, with_shared=False)
        return storage_path(actor=request.actor, asked=asked, channel=LedgerChannel.PAGE, now=now)

    return read_with_shared(request, read)


def _question(
    request: OrganizationRequest, cluster: str, asked: AskedPage, *, now: datetime
) -> StorageQuestion:
    """Return what is asked; a span around the instant that is looked at, where that is long ago."""
    days, at = timedelta(days=int(asked.days)), instant(asked.at or None)
    if asked.at and at is None:
        told = _("“%(value)s” is no time: the newest save or load is shown.")
        messages.warning(request, told % {"value": shown(word=asked.at)})
    until = now + AHEAD if at is None or at > now - days else at + days / 2
    return StorageQuestion(
        cluster=cluster,
        since=until - days,
        until=until,
        at=at,
        with_scale=asked.view == "scale",
        with_phases=asked.view in {"", "ledger"},
        with_ledger=asked.view == "ledger",
    )
