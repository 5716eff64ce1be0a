"""Notifications: what a person wants to know by e-mail, and the webhook."""

from dataclasses import replace
from datetime import datetime

from django.conf import settings as portal
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from apps.fleet.access import access_clusters
from apps.notifications.delivery import delivery_log, outbound_freeze
from apps.notifications.preferences.preference_forms import (
    BadChoice,
    ChosenPace,
    PreferenceInput,
    choose,
    wish_of,
)
from apps.notifications.webhook import webhook_settings
from apps.notifications.webhook.webhook_settings import WantedHook
from apps.tenancy.access import NotFound, Right
from apps.tenancy.audit.audit_log import record_act
from apps.tenancy.middleware import OrganizationRequest
from apps.web.settings.notifications import rows as composing
from apps.web.settings.notifications.page import (
    ChoiceFields,
    HookForm,
    LetterForm,
    NotificationsPage,
)
from apps.web.settings.tabs import show_tab


@require_http_methods(["GET", "HEAD", "POST"])
def notifications(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show the tab, or keep what the person wants to be told of."""
    if request.method != "POST":
        return _show(request)
    pace = ChosenPace(
        rhythm=request.POST.get("rhythm", ""),
        zone=request.POST.get("zone", "").strip() or "UTC",
        quiet_from=request.POST.get("quiet_from", "").strip(),
        quiet_until=request.POST.get("quiet_until", "").strip(),
        at_night=request.POST.getlist("at_night"),
    )
    chosen = _chosen(request)
    try:
        choose(actor=request.actor, chosen=chosen, pace=pace, now=timezone.now())
    except BadChoice as error:
        return _show(request, letters=_refilled(request, chosen, pace, error), status=422)
    note_act(request, "notice.chosen", now=timezone.now())
    messages.info(request, _("Saved: this is what you are told of from now on."))
    return redirect("web:notifications", org)


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: OrganizationRequest, org: str) -> HttpResponse:
    """Make or change the webhook. Its secret stands in this answer: a second look has none."""
    if request.method != "POST":
        return redirect("web:notifications", org)
    now, chosen = timezone.now(), _chosen(request)
    networks = request.POST.get("networks", "").replace(",", "\n").splitlines()
    wanted = WantedHook(
        url=request.POST.get("url", "").strip(),
        chosen=chosen,
        networks=[line.strip() for line in networks if line.strip()],
        is_enabled=request.POST.get("is_enabled") == "1",
    )
    try:
        secret = webhook_settings.set_webhook(actor=request.actor, wanted=wanted, now=now)
    except BadChoice as error:
        return _show(request, hook=_refilled_hook(request, wanted, error), status=422)
    note_act(request, "webhook.changed" if secret is None else "webhook.made", now=now)
    if secret is None:
        messages.info(request, _("Saved."))
        return redirect("web:notifications", org)
    return _show(request, made_secret=secret, status=201)


@sensitive_variables()
@require_http_methods(["GET", "HEAD", "POST"])
def change_webhook(request: OrganizationRequest, org: str, act: str) -> HttpResponse:
    """Give the webhook a new secret, let it go on after a pause, or remove it."""
    if request.method != "POST":
        return redirect("web:notifications", org)
    now, actor = timezone.now(), request.actor
    if act == "rotate":
        secret = webhook_settings.rotate(actor=actor, now=now)
        note_act(request, "webhook.rotated", now=now)
        return _show(request, made_secret=secret, status=201)
    if act == "resume":
        webhook_settings.resume(actor=actor, now=now)
        messages.info(request, _("It is tried again now."))
    elif act == "remove":
        webhook_settings.remove(actor=actor, now=now)
        messages.info(request, _("The webhook is removed, and its secret with it."))
    else:
        raise NotFound
    note_act(request, f"webhook.{act}d", now=now)
    return redirect("web:notifications", org)


def _show(
    request: OrganizationRequest,
    *,
    letters: LetterForm | None = None,
    hook: HookForm | None = None,
    made_secret: str = "",
    status: int = 200,
) -> HttpResponse:
    now, actor = timezone.now(), request.actor
    known = list(access_clusters(actor=actor))
    page = NotificationsPage(
        address=request.user.email,
        is_confirmed=request.user.is_reachable,
        is_mail_set_up=bool(portal.PORTAL_SMTP),
        letters=letters or composing.letter_form(wish=wish_of(actor=actor), known=known),
        can_manage=Right.MANAGE in actor.rights,
        made_secret=made_secret,
        failed=composing.failed_text(delivery_log.failed_count(actor=actor)),
    )
    found = webhook_settings.webhook_of(actor=actor) if page.can_manage else None
    if page.can_manage:
        page = replace(
            page,
            hook=hook or composing.hook_form(webhook=found, known=known),
            hook_state=composing.hook_state(webhook=found, now=now) if found else None,
        )
    rows = delivery_log.log_of(actor=actor)
    is_held = outbound_freeze.standing() is not None
    log = tuple(
        composing.delivery_row(delivered=each, hook=found, is_held=is_held) for each in rows
    )
    return show_tab(
        request,
        "web/settings/notifications/page.html",
        tab="notifications",
        now=now,
        status=status,
        page=replace(page, log=log),
    )


def _chosen(request: OrganizationRequest) -> PreferenceInput:
    slugs = set(request.POST.getlist("cluster"))
    return PreferenceInput(
        kinds=request.POST.getlist("kind"),
        minimum=request.POST.get("minimum", ""),
        clusters=[each for each in access_clusters(actor=request.actor) if each.slug in slugs],
    )


def _refilled(
    request: OrganizationRequest, chosen: PreferenceInput, pace: ChosenPace, error: BadChoice
) -> LetterForm:
    return LetterForm(
        told=_told(request, chosen),
        rhythm=composing.rhythm_choices(pace.rhythm),
        at_night=composing.night_choices(pace.at_night),
        zone=pace.zone,
        quiet_from=pace.quiet_from,
        quiet_until=pace.quiet_until,
        problems=_problem(error),
    )


def _refilled_hook(request: OrganizationRequest, wanted: WantedHook, error: BadChoice) -> HookForm:
    return HookForm(
        told=_told(request, wanted.chosen),
        url=wanted.url,
        networks="\n".join(wanted.networks),
        is_enabled=wanted.is_enabled,
        problems=_problem(error),
    )


def _told(request: OrganizationRequest, chosen: PreferenceInput) -> ChoiceFields:
    return composing.choice_fields(
        kinds=chosen.kinds,
        minimum=chosen.minimum,
        clusters=[cluster.pk for cluster in chosen.clusters],
        known=list(access_clusters(actor=request.actor)),
    )


def _problem(error: BadChoice) -> dict[str, str]:
    text = str(error)
    return {error.field: f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"}


def note_act(request: OrganizationRequest, action: str, *, now: datetime) -> None:
    record_act(actor=request.actor, action=action, request=request, now=now)
