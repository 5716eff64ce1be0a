"""Bundles as their pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from apps.sharing.bundles.bundle_contents import BundleSection, WithheldReason
from apps.sharing.bundles.bundle_states import BundleState
from apps.sharing.facade.bundles import BundleStep, BundleView
from apps.web import words
from apps.web.bundles.preview import PreviewPart, preview_parts
from apps.web.display.instants import dated

LIVE = frozenset({BundleState.MADE, BundleState.SENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleRow:
    """A bundle in a list."""

    public_id: str
    incident: str
    who: str  # from whom, or to whom
    what: str
    state: str
    is_own: bool
    is_live: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleLine:
    """A bundle in one sentence, on the page of its incident."""

    public_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundlePage:
    """One bundle with what may be done with it."""

    public_id: str
    title: str
    lead: str
    state: str
    is_own: bool
    is_made: bool
    is_live: bool
    may_manage: bool
    may_download: bool
    recipients: str
    incident: str
    purpose: str
    what: str
    withheld: tuple[str, ...]
    redaction: str
    basis: str
    until: str
    digest: str
    size: str
    steps: tuple[str, ...]
    parts: tuple[PreviewPart, ...]
    send: str
    is_outside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedName:
    """A pseudonym that its holder asked about."""

    name: str
    value: str  # what it stands for


def bundle_row(view: BundleView) -> BundleRow:
    """Return a bundle in a list."""
    names = words.joined(view.recipient_names)
    who = _("for %(names)s") % {"names": names} if view.is_own else view.holder.name
    return BundleRow(
        public_id=view.public_id,
        incident=view.incident,
        who=who,
        what=counted(view),
        state=state_text(view),
        is_own=view.is_own,
        is_live=view.state in LIVE,
    )


def counted(view: BundleView) -> str:
    """Return how much is in a bundle: 12 lines, 3 series."""
    counts: Mapping[str, int] = view.manifest["counts"]
    told = ((section, counts[str(section)]) for section in BundleSection)
    return ", ".join(how_many(section, count) for section, count in told if count)


def how_many(section: BundleSection, count: int) -> str:
    """Return how much there is of a part: 12 lines."""
    texts = {
        BundleSection.EVIDENCE: ngettext(
            "%(n)s piece of evidence", "%(n)s pieces of evidence", count
        ),
        BundleSection.LINES: ngettext("%(n)s line", "%(n)s lines", count),
        BundleSection.SERIES: ngettext("%(n)s series of metrics", "%(n)s series of metrics", count),
        BundleSection.SESSIONS: ngettext("%(n)s session", "%(n)s sessions", count),
    }
    return texts[section] % {"n": count}


def bundle_line(view: BundleView) -> BundleLine:
    """Return what an incident says of a bundle: who shared how much, until when."""
    told = {
        "what": counted(view),
        "day": day(view.expires_at),
        "name": view.holder.name,
        "names": words.joined(view.recipient_names),
    }
    if not view.is_own:
        text = _("%(name)s shared a bundle: %(what)s, until %(day)s")
    elif view.state is BundleState.MADE:
        text = _("A bundle for %(names)s is not sent yet: %(what)s")
    else:
        text = _("You shared a bundle with %(names)s: %(what)s, until %(day)s")
    return BundleLine(public_id=view.public_id, text=text % told)


def state_text(view: BundleView) -> str:
    """Return how a bundle stands, in a few words."""
    texts = {
        BundleState.MADE: _("not sent yet"),
        BundleState.SENT: _("until %(day)s") % {"day": day(view.expires_at)},
        BundleState.REVOKED: _("withdrawn"),
        BundleState.EXPIRED: _("ended on %(day)s") % {"day": day(view.expires_at)},
    }
    return texts[view.state]


def day(at: datetime) -> str:
    """Return a day in UTC: 7 December."""
    return dateformat.format(at.astimezone(UTC), pgettext("a day of the year", "j F"))


def bundle_page(
    *,
    view: BundleView,
    preview: Mapping[str, Sequence[Mapping[str, Any]]],
    may_manage: bool,
) -> BundlePage:
    """Return the page of one bundle."""
    names = words.joined(view.recipient_names)
    told = {"names": names, "name": view.holder.name}
    is_sent = view.state is BundleState.SENT
    return BundlePage(
        public_id=view.public_id,
        title=_("Evidence for %(names)s") % told
        if view.is_own
        else _("Evidence from %(name)s") % told,
        lead=_lead(view, names),
        state=state_text(view),
        is_own=view.is_own,
        is_made=view.state is BundleState.MADE,
        is_live=view.state in LIVE,
        may_manage=may_manage and view.is_own,
        may_download=is_sent and (not view.is_own or may_manage),
        recipients=names,
        incident=view.incident,
        purpose=view.purpose,
        what=counted(view),
        withheld=tuple(map(_withheld, view.manifest["withheld"])),
        redaction=_redaction(view.manifest["redaction"]),
        basis=view.manifest["basis"] if view.manifest["basis"] != "one-off" else "",
        until=day(view.expires_at),
        digest=view.digest,
        size=_size(view.size),
        steps=tuple(_step(each) for each in view.steps),
        parts=preview_parts(preview),
        send=_("Send to %(names)s") % told,
        is_outside=bool(view.outside),
    )


def _lead(view: BundleView, names: str) -> str:
    told = {"names": names, "day": day(view.expires_at), "name": view.holder.name}
    texts = {
        BundleState.MADE: _("Nothing has left yet. This is exactly what %(names)s will receive."),
        BundleState.SENT: _("%(names)s can read it until %(day)s.")
        if view.is_own
        else _("You can read it until %(day)s."),
        BundleState.REVOKED: _(
            "Withdrawn. Its content is deleted; what was downloaded before can't be called back."
        ),
        BundleState.EXPIRED: _("Its time is over. Its content is deleted."),
    }
    return texts[view.state] % told


def _withheld(row: Mapping[str, Any]) -> str:
    reasons = {
        WithheldReason.NOT_YOURS: _("another party's"),
        WithheldReason.NAMES_OTHERS: _("they name another party"),
        WithheldReason.NOT_KEPT: _("not kept any more"),
        WithheldReason.OVER_LIMIT: _("more than a bundle holds"),
    }
    told = {
        "what": how_many(BundleSection(row["what"]), row["count"]),
        "why": reasons[WithheldReason(row["why"])],
    }
    return _("%(what)s: %(why)s") % told


def _redaction(told: Mapping[str, Any]) -> str:
    if told["level"] == "full":
        return _("in full; credentials are taken out")
    text = {
        "operations": _("redacted for operations"),
        "support": _("redacted for a maker's support"),
    }.get(told["profile"], told["profile"])
    return _("%(text)s; names of nodes stay") % {"text": text} if told["keeps_hosts"] else text


def _size(count: int) -> str:
    return f"{count / 1024:.0f} KiB" if count < 1024**2 else f"{count / 1024**2:.1f} MiB"


def _step(step: BundleStep) -> str:
    texts = {
        "sent": _("sent by %(who)s"),
        "opened": _("opened by %(who)s"),
        "downloaded": _("downloaded by %(who)s"),
        "revoked": _("withdrawn by %(who)s"),
        "expired": _("its time was over; its content was deleted"),
    }
    who = f"{step.by}, {step.organization.name}" if step.by else step.organization.name
    text = f"{dated(step.at.astimezone(UTC))} · {texts[step.kind] % {'who': who}}"
    return f"{text}: {step.reason}" if step.reason else text
