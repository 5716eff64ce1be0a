"""The audit record of the organization, for those who manage it."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.diagnosis.spelling import shown
from apps.tenancy.access import Right
from apps.tenancy.audit.audit_view import FORMER_KINDS, KINDS, access_record, check_record, names_of
from apps.tenancy.middleware import OrganizationRequest
from apps.web.settings.audit.chain_check import checked_text
from apps.web.settings.audit.page import AuditPage, audit_row, choices
from apps.web.settings.audit.subjects import party_names
from apps.web.settings.tabs import show_tab
from apps.web.shell.address_filters import known
from apps.web.shell.render import zone_of

PAGE_SIZE = 100


@require_GET
def audit(request: OrganizationRequest, org: str) -> HttpResponse:
    """Show who did what, the newest first; on demand, whether the record is whole."""
    actor = request.actor
    actor.require(Right.MANAGE)
    named = known(request, "kind", (*KINDS, *FORMER_KINDS))
    kind = FORMER_KINDS.get(named, named)
    entries = access_record(actor=actor, kind=kind, before=_before(request), most=PAGE_SIZE + 1)
    shown = entries[:PAGE_SIZE]
    labels = {label for entry in shown for label in (entry.actor, entry.subject)}
    names, zone = names_of(actor=actor, labels=labels), zone_of(request)
    parties = party_names(actor=actor, entries=shown)
    checked, is_broken = _checked(request)
    page = AuditPage(
        rows=tuple(
            audit_row(entry=entry, names=names, parties=parties, zone=zone) for entry in shown
        ),
        kinds=choices(kinds=("", *KINDS), chosen=kind),
        next_query="?" + urlencode({"kind": kind, "before": shown[-1].sequence})
        if len(entries) > PAGE_SIZE
        else "",
        checked=checked,
        is_broken=is_broken,
    )
    template = "web/settings/audit/page.html"
    return show_tab(request, template, tab="audit", now=timezone.now(), page=page)


def _checked(request: OrganizationRequest) -> tuple[str, bool]:
    if request.GET.get("check") != "1":
        return "", False
    checked = check_record(actor=request.actor, now=timezone.now())
    return checked_text(checked), checked.broken is not None


def _before(request: OrganizationRequest) -> int | None:
    text = request.GET.get("before", "")
    number = whole_number(text, most=MOST_ROWS)
    if text and number is None:
        told = _("“%(value)s” is no number of an entry: the record is shown from its newest on.")
        messages.warning(request, told % {"value": shown(word=text)})
    return number
