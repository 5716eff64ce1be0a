"""What an incident is called: one sentence, the same on pages and in the interface for machines."""

import re
from collections.abc import Mapping, Sequence

from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from apps.fleet.models import Session
from apps.incidents.reading import IncidentHeader
from apps.incidents.words.blamed import culprits
from apps.incidents.words.causes import spoken

# By kind of incident: of one session, of several, of one whose name the reader may not know.
HAPPENED = {
    "stop": (
        gettext_noop("Session %(name)s stopped"),
        gettext_noop("Sessions %(name)s stopped"),
        gettext_noop("A session stopped"),
    ),
    "slow": (
        gettext_noop("Session %(name)s is slow"),
        gettext_noop("Sessions %(name)s are slow"),
        gettext_noop("A session is slow"),
    ),
    "shared": (
        gettext_noop("Session %(name)s was hit"),
        gettext_noop("Sessions %(name)s were hit"),
        gettext_noop("A session was hit"),
    ),
}
UPLOAD = re.compile(r"[0-9a-f]{16}")


def title_of(header: IncidentHeader) -> str:
    """Return the verdict as a sentence that names nothing its reader may not know."""
    incident = header.incident
    return title(
        session=session_name(header),
        kind=incident.kind,
        count=len({attempt.session_id for attempt in header.attempts}),
        cause_slug=incident.cause,
        devices=header.culprits or [],
        settled=not header.is_collecting,
    )


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


def shown_name(session: Session) -> str:
    """Return the session's own name; one that is only an upload's digest is called so."""
    if session.cluster_id is None and UPLOAD.fullmatch(session.name):
        return f"upload-{session.name[:6]}"
    return session.name


def title(
    *,
    session: str,
    kind: str,
    count: int,
    cause_slug: str,
    devices: Sequence[Mapping[str, object]],
    settled: bool,
) -> str:
    """Return the verdict as one sentence: Session x stopped: GPU 5 on gpu071 fell off the bus."""
    one, several, unnamed = HAPPENED.get(kind, HAPPENED["stop"])
    subject = _((several if count > 1 else one) if session else unnamed) % {"name": session}
    if cause_slug == "unknown" and not settled:
        return _("%(subject)s: still collecting evidence") % {"subject": subject}
    return f"{subject}: {clause(cause_slug=cause_slug, devices=devices)}"


def clause(*, cause_slug: str, devices: Sequence[Mapping[str, object]]) -> str:
    """Return what happened, naming the culprit where the reader may know it."""
    told = spoken(cause_slug)
    names = culprits(devices)
    return told.clause.format(culprit=names) if names else told.plain


def retold(text: str, *, cause_slug: str, devices: Sequence[Mapping[str, object]]) -> str:
    """Return a title that was kept in English in the reader's language; any other as it stands."""
    subject, _colon, rest = text.partition(": ")
    form = next((each for each in _forms() if _matches(subject, each)), "")
    if not form or translation.get_language() in {None, "en"}:
        return text
    before, _name, after = form.partition("%(name)s")
    told = _(form) % {"name": subject[len(before) : len(subject) - len(after)]}
    if rest == "still collecting evidence":
        return _("%(subject)s: still collecting evidence") % {"subject": told}
    return f"{told}: {clause(cause_slug=cause_slug, devices=devices)}"


def _forms() -> list[str]:
    return [form for forms in HAPPENED.values() for form in forms]


def _matches(subject: str, form: str) -> bool:
    before, name, after = form.partition("%(name)s")
    return subject.startswith(before) and subject.endswith(after) if name else subject == form
