"""The one line that stands for an incident in lists. Names nothing its reader may not know."""

from apps.diagnosis.causes.load import load_causes
from apps.incidents.models import IncidentKind
from apps.incidents.reading import IncidentHeader

HAPPENED = {
    IncidentKind.STOP: "stopped",
    IncidentKind.SLOW: "slowed down",
    IncidentKind.SHARED: "was disturbed",
}


def title_of(header: IncidentHeader) -> str:
    """Return who was hit, how, and why, as far as is known and may be told."""
    incident = header.incident
    return f"{_who(header)} {HAPPENED[IncidentKind(incident.kind)]}: {_why(header)}"


def _who(header: IncidentHeader) -> str:
    names = sorted({attempt.session.name for attempt in header.attempts})
    if not names or not header.rights.sees_session:
        return "A session"
    others = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0]}{others}"


def _why(header: IncidentHeader) -> str:
    cause = load_causes().get(header.incident.cause)
    if header.incident.verdict_status == "unknown" or cause is None:
        return "cause unknown"
    means = cause.means.partition(":")[0].partition(";")[0]
    where = next((each["host"] for each in header.culprits or () if each.get("host")), "")
    return f"{means} ({where})" if where else means
