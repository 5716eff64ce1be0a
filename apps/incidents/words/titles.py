"""What an incident is called: one sentence, the same on pages and in the interface for machines."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.diagnosis.causes.decisions import title_of as head_of
from apps.diagnosis.model import VerdictStatus
from apps.fleet.values import SessionName, SessionView
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.words.blamed import culprits
from apps.wording.causes import spoken

UPLOAD = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """What happened, without whom it happened to."""

    cause: str
    devices: Sequence[Mapping[str, object]]
    status: str  # how sure the verdict is
    settled: bool = True
    rival: str = ""  # the cause that is as likely, where there is one


def title_of(header: IncidentHeader) -> str:
    """Return the verdict as a sentence that names nothing its reader may not know."""
    return title(
        session=session_name(header),
        kind=header.incident.kind,
        end_state=header.incident.end_state,
        count=session_count(header),
        what=_happening(header),
    )


def title_told(told: Mapping[str, Any]) -> str:
    """Return the same of a header that was kept as JSON, in the reader's language.

    News that an older version kept says nothing of sessions: its title stands as it was.
    """
    if "sessions" not in told:
        return str(told["title"])
    sessions = told["sessions"] or {"first": "", "others": 0, "count": 0}
    return title(
        session=_session_words(sessions["first"], others=sessions["others"]),
        kind=told["kind"],
        end_state=told["end_state"],
        count=sessions["count"],
        what=Happening(
            cause=told["cause"],
            devices=told["culprits"] or [],
            status=told["verdict_status"],
            settled=not told["is_collecting"],
            rival=told.get("rival") or "",
        ),
    )


def sessions_json(header: IncidentHeader) -> dict[str, Any] | None:
    """Return the sessions that a title names, for those who may know them."""
    names = _session_names(header)
    if not names:
        return None
    return {"first": names[0], "others": len(names) - 1, "count": session_count(header)}


def session_count(header: IncidentHeader) -> int:
    """Return how many sessions were hit."""
    return len({attempt.session.id for attempt in header.attempts})


def summary_of(header: IncidentHeader) -> str:
    """Return what happened without whom it happened to: the end of the title."""
    return summary(what=_happening(header))


def _happening(header: IncidentHeader) -> Happening:
    incident = header.incident
    return Happening(
        cause=incident.cause,
        devices=header.culprits or [],
        status=incident.verdict_status,
        settled=not header.is_collecting,
        rival=rival_of(header),
    )


def rival_of(header: IncidentHeader) -> str:
    """Return the cause that is as likely as the one answered, empty where that one is ahead."""
    return next((str(each["rival"]) for each in header.actions if each.get("rival")), "")


def is_stop(header: IncidentHeader) -> bool:
    """Say whether an incident counts as a session that stopped."""
    incident = header.incident
    return head_of(kind=incident.kind, end_state=incident.end_state).is_stop


def session_name(header: IncidentHeader) -> str:
    """Return the session's name for those who may know it; several are counted."""
    names = _session_names(header)
    return _session_words(names[0], others=len(names) - 1) if names else ""


def _session_names(header: IncidentHeader) -> list[str]:
    if not header.rights.sees_session:
        return []
    return list(dict.fromkeys(shown_name(attempt.session) for attempt in header.attempts))


def _session_words(first: str, *, others: int) -> str:
    return _("%(names)s and %(n)s more") % {"names": first, "n": others} if others else first


def shown_name(session: SessionName | SessionView) -> str:
    """Return the session's own name; one that is only an upload's digest is called so."""
    if session.cluster_id is None and UPLOAD.fullmatch(session.name):
        return f"upload-{session.name[:6]}"
    return session.name


def listed_name(session: SessionView) -> str:
    """Return the session's name with that of its job, where that is another: a number alone tells
    nobody which job it was.
    """
    name = shown_name(session)
    return f"{name} ({session.job})" if session.job and session.job != session.name else name


def title(*, session: str, kind: str, end_state: str, count: int, what: Happening) -> str:
    """Return the verdict as one sentence: Session x stopped: GPU 5 on gpu071 fell off the bus."""
    head = head_of(kind=kind, end_state=end_state)
    form = (head.several if count > 1 else head.one) if session else head.unnamed
    return f"{head_in_words(text=form, name=session)}: {summary(what=what)}"


def head_in_words(*, text: str, name: str) -> str:
    """Return the head of a title in the reader's language."""
    return _(text) % {"name": name}


def summary(*, what: Happening) -> str:
    """Return what happened, as surely as it is known."""
    if what.cause == "unknown" and not what.settled:
        return _("still collecting evidence")
    happened = clause(cause_slug=what.cause, devices=what.devices)
    if what.rival:
        told = {"clause": happened, "rival": spoken(what.rival).plain}
        return _("possibly %(clause)s, or as likely %(rival)s") % told
    if what.status == VerdictStatus.POSSIBLE:
        return _("possibly %(clause)s") % {"clause": happened}
    return happened


def clause(*, cause_slug: str, devices: Sequence[Mapping[str, object]]) -> str:
    """Return what happened, naming the culprit where the reader may know it."""
    told = spoken(cause_slug)
    names = culprits(devices)
    return told.clause.format(culprit=names) if names else told.plain
