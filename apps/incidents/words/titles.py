"""What an incident is called: one sentence, the same on pages and in the interface for machines."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils import translation
from django.utils.translation import gettext as _

from apps.diagnosis.causes.decisions import title_of as head_of
from apps.diagnosis.causes.decisions import titles
from apps.diagnosis.model import VerdictStatus
from apps.fleet.values import SessionName, SessionView
from apps.incidents.projection.values import IncidentHeader
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
        count=len({attempt.session.id for attempt in header.attempts}),
        what=_happening(header),
    )


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
    if not header.attempts or not header.rights.sees_session:
        return ""
    names = list(dict.fromkeys(shown_name(attempt.session) for attempt in header.attempts))
    return (
        names[0]
        if len(names) == 1
        else _("%(names)s and %(n)s more") % {"names": names[0], "n": len(names) - 1}
    )


def shown_name(session: SessionName | SessionView) -> str:
    """Return the session's own name; one that is only an upload's digest is called so."""
    if session.cluster_id is None and UPLOAD.fullmatch(session.name):
        return f"upload-{session.name[:6]}"
    return session.name


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


def retold(
    text: str,
    *,
    cause_slug: str,
    devices: Sequence[Mapping[str, object]],
    status: str = "",
    rival: str = "",
) -> str:
    """Return a title that was kept in English in the reader's language; any other as it stands."""
    subject, _colon, rest = text.partition(": ")
    form = next((each for each in _forms() if _matches(subject, each)), "")
    if not form or translation.get_language() in {None, "en"}:
        return text
    before, _name, after = form.partition("%(name)s")
    said = _(form) % {"name": subject[len(before) : len(subject) - len(after)]}
    what = Happening(
        cause=cause_slug,
        devices=devices,
        # A title that was kept before titles said how sure they are has nothing to retell of it.
        status=status if rest.startswith("possibly ") else "",
        settled=rest != "still collecting evidence",
        rival=rival,
    )
    return f"{said}: {summary(what=what)}"


def _forms() -> list[str]:
    return [form for each in titles() for form in (each.one, each.several, each.unnamed)]


def _matches(subject: str, form: str) -> bool:
    before, name, after = form.partition("%(name)s")
    return subject.startswith(before) and subject.endswith(after) if name else subject == form
