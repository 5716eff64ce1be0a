"""One piece of news in an e-mail: its headline and what is known, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.diagnosis.model import statement_of
from apps.diagnosis.odds import odds_text
from apps.incidents import words
from apps.incidents.states import IncidentStatus
from apps.notifications.models import Notification
from apps.notifications.notification_kinds import NotificationKind
from apps.wording import READERS, said
from apps.wording.forms import layer

SOURCE_KINDS = (NotificationKind.SILENT, NotificationKind.BACK)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactLine:
    """One line of a letter's facts."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsItem:
    """One piece of news as a letter shows it."""

    headline: str  # what kind of news it is
    title: str
    url: str
    at: str
    is_simulated: bool
    advice: str = ""  # whether to start again and whom to leave out
    facts: tuple[FactLine, ...] = ()
    brief: str = ""  # the same in half a line, where there is much to tell


def news_item(notice: Notification, zone: ZoneInfo) -> NewsItem:
    """Return one notice as its e-mail shows it."""
    if notice.incident_id is not None:
        return _incident(notice, zone)
    source = notice.body.get("source", {})
    title = plain(_title(notice))
    return NewsItem(
        headline=_headline(notice),
        title=title,
        url=notice.body["url"],
        at=_instant(notice.created_at.isoformat(), zone),
        is_simulated=notice.is_simulated,
        facts=_facts(
            (_("Last heard"), _instant(source.get("last_heard_at"), zone)),
            (_("Cluster"), source.get("cluster")),
        ),
    )


def _title(notice: Notification) -> str:
    offer = notice.body.get("offer")
    if offer is None:
        told = notice.body.get("statement")
        # News of former versions has its words alone.
        return said(statement_of(told)) if told else str(notice.body["title"])
    if offer["is_offer"]:
        return str(_("%(name)s offers you a part in %(cluster)s") % offer)
    return str(_("%(name)s asks you to give up a part in %(cluster)s") % offer)


def _incident(notice: Notification, zone: ZoneInfo) -> NewsItem:
    told: dict[str, Any] = notice.body["incident"]
    is_sure = told["verdict_status"] in {"likely", "possible"}
    odds = odds_text(told["probability"])
    verdict = f"{_(told['verdict_status'])} ({odds})" if is_sure else _("open")
    advice = "" if told["status"] == IncidentStatus.WITHDRAWN else words.restart_retold(told)
    hidden = _("named to those it concerns")
    blamed = told["culprits"] or []
    return NewsItem(
        headline=_headline(notice),
        title=plain(words.title_told(told)),
        url=told["url"],
        at=_instant(notice.created_at.isoformat(), zone),
        is_simulated=notice.is_simulated,
        advice=plain(advice),
        brief=_brief(verdict, _acting(told), told["id"]),
        facts=_facts(
            (_("Verdict"), verdict),
            (_("Layer"), layer(told["layer"], READERS) if is_sure else ""),
            (_("Cause"), _cause(told) if is_sure else ""),
            (_("As likely"), words.spoken(told["rival"]).name if told.get("rival") else ""),
            (_("Blamed"), words.culprits(blamed) if told["culprits"] is not None else hidden),
            (_("Who acts"), _acting(told)),
            (_("Cluster"), told["cluster"]),
            (_("Broke at"), _instant(told["started_at"], zone)),
            (_("In a row"), _stops(notice.body.get("stops", 0))),
            (_("Incident"), told["id"]),
        ),
    )


def _stops(count: int) -> str:
    """Return how many stops one piece of news tells of, empty for one that was none of a row."""
    told = ngettext("%(n)d stop of this cause", "%(n)d stops of this cause", count)
    return _("%(stops)s since the last message") % {"stops": told % {"n": count}} if count else ""


def _cause(told: dict[str, Any]) -> str:
    name, odds = words.spoken(told["cause"]).name, told.get("cause_probability")
    # News that was kept by an older version has no number of the cause.
    return name if odds is None else f"{name} ({odds_text(odds)})"


def _headline(notice: Notification) -> str:
    told = notice.body.get("incident", {})
    if told.get("status") == "withdrawn":
        return _("Withdrawn")
    if notice.kind == NotificationKind.REQUESTED:
        return _requested(told.get("waiting") or [""])
    if told.get("assigned") == "action":
        return _("Yours to act on")
    if told.get("assigned") == "layer" and notice.kind == NotificationKind.ASSIGNED:
        return _("Your layer")
    words = {
        NotificationKind.OPENED: _("Opened"),
        NotificationKind.CHANGED: _("Verdict changed"),
        NotificationKind.MENTIONED: _("Mentioned"),
        NotificationKind.PROPOSED: _("Agreement proposed"),
        NotificationKind.ENDING: _("Agreement ends soon"),
        NotificationKind.BUNDLE: _("Evidence for you"),
        NotificationKind.EVIDENCE_REQUESTED: _("Evidence asked of us"),
        NotificationKind.EVIDENCE_ANSWERED: _("Request answered"),
        NotificationKind.CRASH_LOOP: _("Crash loop"),
        NotificationKind.SILENT: _("Silent"),
        NotificationKind.BACK: _("Heard again"),
        NotificationKind.FAILING: _("Webhook"),
        NotificationKind.OFFERED: _("Cluster"),
    }
    return words.get(NotificationKind(notice.kind), _("Test"))


def _requested(waiting: Sequence[str]) -> str:
    """Return what is asked of the reader, or what came of what it asked; the newest is last."""
    headlines = {
        "hand-over": _("A hand-over waits for your answer"),
        "information": _("Information is asked of you"),
        "resolution": _("A proposal to resolve waits for you"),
        "accepted": _("Your hand-over was accepted"),
        "declined": _("Your hand-over was declined"),
        "withdrawn": _("A hand-over to you was taken back"),
        "returned": _("A hand-over was given back"),
        "resolution-declined": _("Your proposal to resolve was declined"),
    }
    return headlines.get(waiting[-1], _("An answer is asked of you"))


def _acting(told: dict[str, Any]) -> str:
    names = ", ".join(each["name"] for each in told["acts"])
    is_yours = told["assigned"] == "action"
    return _("%(names)s (your organization)") % {"names": names} if is_yours else names


def _brief(verdict: str, acting: str, name: str) -> str:
    acts = _("acts: %(names)s") % {"names": acting} if acting else ""
    return ", ".join(plain(part) for part in (verdict, acts, name) if part)


def _facts(*lines: tuple[str, str | None]) -> tuple[FactLine, ...]:
    return tuple(FactLine(name=name, value=plain(value)) for name, value in lines if value)


def _instant(text: str | None, zone: ZoneInfo) -> str:
    if not text:
        return ""
    at = datetime.fromisoformat(text)
    utc = f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    return utc if zone.key in {"UTC", "Etc/UTC"} else f"{utc} ({at.astimezone(zone):%H:%M:%S %Z})"


def plain(text: str) -> str:
    """Return text on one line: what a scheduler calls its jobs must forge no header or line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
