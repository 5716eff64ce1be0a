"""The audit record in words: when, who, what, to what, from where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.tenancy.audit.audit_log import NOBODY
from apps.tenancy.models import AuditEntry
from apps.web.display.choices import SegmentLink
from apps.web.display.instants import Instant, instant
from apps.web.settings.audit.act_words import act_words
from apps.web.settings.audit.subjects import OTHER, RecordNames, named_subject

COMMAND, PORTAL, PROVIDER = "command", "portal", "provider"
TIMES = "times:"  # how often by then, of what is not written each time

FACTORS = ("webauthn", "totp", "recovery_codes")  # kinds of second factors, as they are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One entry."""

    sequence: int
    at: Instant
    who: str
    is_machine: bool
    what: str
    action: str
    subject: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """A page of the record."""

    rows: tuple[AuditRow, ...]
    kinds: tuple[SegmentLink, ...]
    next_query: str = ""
    checked: str = ""
    is_broken: bool = False


def audit_row(
    *, entry: AuditEntry, names: Mapping[str, str], parties: RecordNames, zone: ZoneInfo | None
) -> AuditRow:
    """Return one entry; who is unknown by name keeps the id."""
    subject = named_subject(action=entry.action, subject=entry.subject, names=parties)
    return AuditRow(
        sequence=entry.sequence,
        at=instant(entry.at, zone=zone),
        who=_who(entry.actor, names, parties),
        is_machine=entry.actor.startswith("token:"),
        what=_times(act_words(entry.action), entry.count),
        action=entry.action,
        subject=_subject(subject, {**names, **_factors(entry.action)}),
        where=entry.remote_address or "",
    )


def audit_kind(kind: str) -> str:
    """Return what a kind of entries is called."""
    names = {
        "": _("All"),
        "sign-in": _("Signing in"),
        "people": _("People"),
        "tokens": _("Tokens"),
        "sources": _("Set-up"),
        "notifications": _("Notifications"),
        "incidents": _("Incidents"),
        "refused": _("Refused"),
    }
    return names[kind]


def _times(what: str, count: int) -> str:
    if count == 1:
        return what
    more = ngettext("%(n)s more time within a minute", "%(n)s more times within a minute", count)
    return f"{what} ({more % {'n': f'{count:,}'}})"


def choices(*, kinds: Sequence[str], chosen: str) -> tuple[SegmentLink, ...]:
    """Return the kinds to choose from."""
    return tuple(
        SegmentLink(text=audit_kind(kind), query=f"?kind={kind}", is_on=kind == chosen)
        for kind in kinds
    )


def _subject(text: str, names: Mapping[str, str]) -> str:
    if text.startswith(TIMES):
        count = int(text.removeprefix(TIMES))
        return ngettext("%(n)s time by then", "%(n)s times by then", count) % {"n": f"{count:,}"}
    # A token or link keeps its id beside the name: names come again.
    name = names.get(text)
    if name is None or text.startswith("user:") or text in FACTORS:
        return name or text
    return f"{name} ({text})"


def _factors(action: str) -> dict[str, str]:
    if not action.startswith("second_factor."):
        return {}
    return dict(
        zip(FACTORS, (_("Passkey"), _("Authenticator app"), _("Recovery codes")), strict=True)
    )


def _who(label: str, names: Mapping[str, str], parties: RecordNames) -> str:
    known = {
        COMMAND: _("a command on the portal's machine"),
        PROVIDER: _("the organization's provider"),
        PORTAL: _("the portal itself"),
        NOBODY: _("somebody who is not signed in"),
    }
    if label in known:
        return known[label]
    if label.startswith(OTHER):
        slug = label.removeprefix(OTHER)
        return _("the organization %(slug)s") % {"slug": parties.organizations.get(slug, slug)}
    return names.get(label, label)
