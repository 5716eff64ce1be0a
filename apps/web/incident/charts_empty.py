"""Why an incident has no chart for its reader: what others measure is never told as absent."""

from django.utils.translation import gettext as _

from apps.incidents.projection.header_values import IncidentHeader
from apps.web import words


def charts_empty(header: IncidentHeader, *, has_own_metrics: bool) -> str:
    """Return why there is no chart."""
    entry = next((each for each in header.coverage if each["source"] == "metrics"), None)
    state = str(entry["state"]) if entry else "absent"
    if entry is not None and (state == "hidden" or (state == "present" and not has_own_metrics)):
        return _elsewhere(header, part=str(entry.get("held_by", "")))
    if state == "present":
        return _of_own(header)
    if state == "stale":
        return _("The metrics source was stale when this broke: no samples, which is not zero.")
    return _("No metrics source covered this session: no data, which is not zero.")


def _elsewhere(header: IncidentHeader, *, part: str) -> str:
    """Return whose metrics covered it, where the reader sends none of its own."""
    names = [each.organization.name for each in header.asked(part) if not each.is_reader]
    if not names:
        return _("Your organization sends no metrics of this cluster; their holder sees them.")
    # Who has the part is the one to ask; whose source it was is not told.
    text = _("Measured by another party, of which nothing is shown to you here: ask %(names)s.")
    return text % {"names": words.joined(names)}


def _of_own(header: IncidentHeader) -> str:
    """Return why there is no chart although the reader's own metrics covered the session."""
    if header.culprits is not None and not header.culprits:
        return _(
            "No chart: no part is blamed whose metrics could be set beside its peers. "
            "Your metrics of this cluster stay where they are."
        )
    return _(
        "No chart: of the metrics that your organization sends of this cluster, none that are "
        "drawn here were kept of the blamed part around this time."
    )
