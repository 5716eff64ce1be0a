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

COMMAND, PORTAL, PROVIDER = "command", "portal", "provider"
TIMES = "times:"  # how often by then, of what is not written each time
OTHER = "organization:"  # in whose name; which person of it is not told

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


def audit_row(*, entry: AuditEntry, names: Mapping[str, str], zone: ZoneInfo | None) -> AuditRow:
    """Return one entry; who is unknown by name keeps the id."""
    return AuditRow(
        sequence=entry.sequence,
        at=instant(entry.at, zone=zone),
        who=_who(entry.actor, names),
        is_machine=entry.actor.startswith("token:"),
        what=_times(what(action=entry.action), entry.count),
        action=entry.action,
        subject=_subject(entry.subject, {**names, **_factors(entry.action)}),
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


def what(*, action: str) -> str:
    """Return what was done, in words where there are some."""
    known = {
        "access.refused": _("asked for what is not there for this person"),
        "account.address_asked": _("asked for another letter to their address"),
        "account.address_confirmed": _("confirmed their address"),
        "account.changed": _("changed their account"),
        "annotation.revised": _("changed an annotation"),
        "annotation.withdrawn": _("withdrew an annotation"),
        "evidence.answered": _("answered a request for evidence by a signed statement"),
        "answer.key_replaced": _("made a new key for signed statements"),
        "evidence.declined": _("declined a request for evidence"),
        "evidence.granted": _("granted a request for evidence"),
        "evidence.narrowed": _("granted less than a request for evidence asked for"),
        "evidence.requested": _("asked for evidence"),
        "evidence.revoked": _("ended what was granted to a request for evidence"),
        "evidence.taken_back": _("took back a request for evidence"),
        "agreement.declined": _("declined an agreement"),
        "agreement.proposed": _("proposed an agreement"),
        "agreement.revoked": _("ended an agreement"),
        "agreement.signed": _("signed an agreement"),
        "agreement.taken_back": _("took back a proposed agreement"),
        "bundle.downloaded": _("downloaded an evidence bundle"),
        "bundle.made": _("made an evidence bundle"),
        "bundle.revoked": _("withdrew an evidence bundle"),
        "bundle.sent": _("sent an evidence bundle"),
        "annotation.written": _("wrote an annotation"),
        "action.done": _("did an action"),
        "action.open": _("left an action open again"),
        "action.refused": _("refused an action"),
        "action.taken": _("took an action on"),
        "hand_over.accepted": _("took an incident over"),
        "hand_over.declined": _("declined to take an incident over"),
        "hand_over.information_needed": _("asked for information about an incident"),
        "hand_over.proposed": _("proposed a hand-over, or gave what was asked for"),
        "hand_over.returned": _("gave an incident back"),
        "hand_over.ticket_set": _("set the ticket number of a hand-over"),
        "hand_over.withdrawn": _("took back the proposal of a hand-over"),
        "host.named": _("named a host"),
        "identity.connected": _("connected an account with the organization's provider"),
        "identity.disconnected": _("disconnected an account from the organization's provider"),
        "identity.let_in_again": _("let a removed person sign in through the provider again"),
        "identity_provider.changed": _("changed the provider that people sign in through"),
        "identity_provider.made": _("set up the provider that people sign in through"),
        "identity_provider.removed": _("removed the provider that people sign in through"),
        "incident.acknowledged": _("acknowledged an incident"),
        "incident.exported": _("exported an incident"),
        "incidents.exported": _("exported incidents"),
        "incident.judged": _("said whether a verdict was right"),
        "incident.reopened": _("reopened an incident"),
        "incident.resolved": _("resolved an incident"),
        "resolution.declined": _("declined to resolve an incident"),
        "resolution.proposed": _("proposed to resolve an incident"),
        "resolution.resolved": _("resolved an incident as proposed"),
        "resolution.withdrawn": _("took back the proposal to resolve an incident"),
        "invitation.revoked": _("revoked a link"),
        "ledger.exported": _("exported the share ledger"),
        "report.issued": _("issued a report"),
        "report.counted": _("counted a report again"),
        "report.signed": _("signed a report"),
        "report.exported": _("exported a report"),
        "report.scheduled": _("had a report issued by itself"),
        "report.schedule_ended": _("ended the schedule of a report"),
        "mail_domain.asked": _("asked for a mail domain"),
        "mail_domain.confirmed": _("confirmed a mail domain"),
        "mail_domain.removed": _("removed a mail domain"),
        "member.added": _("added a member"),
        "member.invited": _("made a link"),
        "member.joined": _("became a member"),
        "member.removed": _("removed a member"),
        "member.role_changed": _("changed what a member may do"),
        "notice.chosen": _("changed what they are told of"),
        "notice.replayed": _("had a notice sent again"),
        "notice.replayed_all": _("had all failed notifications sent again"),
        "notice.tested": _("had a test sent"),
        "organization.made": _("made the organization"),
        "organization.renamed": _("renamed the organization"),
        "outbound.refused": _("named an address that the portal does not reach"),
        "participation.accepted": _("agreed about a part in a cluster"),
        "participation.asked_back": _("asked to give up a part in a cluster"),
        "participation.changed": _("changed a part in a cluster"),
        "participation.declined": _("declined about a part in a cluster"),
        "facts.refused": _("sent what is not for its part to say"),
        "participation.hosts_agreed": _("took a party's word for hosts"),
        "participation.hosts_not_agreed": _("took a party's word for hosts no longer"),
        "session.asserted": _("reported a session of another party"),
        "session.contradicted": _("contradicted another party about a session"),
        "participation.left": _("left a part in a cluster"),
        "node.excluded": _("wrote down that a node is left out"),
        "node.put_back": _("wrote down that a node is in use again"),
        "participation.made": _("made a part in a cluster"),
        "participation.offered": _("offered a part in a cluster"),
        "participation.renewed": _("proposed a part in a cluster once more"),
        "participation.taken_back": _("took back what was proposed about a cluster"),
        "password.changed": _("changed their password"),
        "password.set": _("set their password with a link"),
        "price.removed": _("took away the price of a GPU-hour"),
        "price.set": _("entered a price of a GPU-hour"),
        "reliability.exported": _("exported figures of reliability"),
        "project.mapped": _("gave a project to a tenant"),
        "project.unmapped": _("took a project from its tenant"),
        "provider_sign_in.refused": _("was refused at the provider's sign-in"),
        "quota.set": _("set how much may be kept"),
        "second_factor.added": _("added a second factor"),
        "second_factor.copied": _("used a passkey of which there may be a copy"),
        "second_factor.failed": _("gave a wrong code or passkey"),
        "second_factor.not_required": _("asked members for a second factor no longer"),
        "second_factor.removed": _("removed a second factor"),
        "second_factor.required": _("asked members for a second factor from then on"),
        "second_factor.renewed": _("made new recovery codes"),
        "second_factor.used": _("used the second factor"),
        "session.ended": _("ended sessions of their own"),
        "sharing.viewed_as": _("looked as another party would"),
        "sign_in.done": _("signed in"),
        "sign_in.failed": _("failed to sign in"),
        "sign_in.locked": _("failed too often to sign in"),
        "sign_out": _("signed out"),
        "source.added": _("added a source"),
        "source.changed": _("changed a source"),
        "source.uploaded": _("uploaded files"),
        "token.issued": _("made a token"),
        "token.revoked": _("revoked a token"),
        "webhook.changed": _("changed the webhook"),
        "webhook.made": _("made the webhook"),
        "webhook.paused": _("paused the webhook"),
        "webhook.removed": _("removed the webhook"),
        "webhook.resumed": _("let the webhook go on"),
        "webhook.rotated": _("gave the webhook another secret"),
    }
    return known.get(action, action)


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


def _who(label: str, names: Mapping[str, str]) -> str:
    known = {
        COMMAND: _("a command on the portal's machine"),
        PROVIDER: _("the organization's provider"),
        PORTAL: _("the portal itself"),
        NOBODY: _("somebody who is not signed in"),
    }
    if label in known:
        return known[label]
    if label.startswith(OTHER):
        return _("the organization %(slug)s") % {"slug": label.removeprefix(OTHER)}
    return names.get(label, label)
