"""Open pages of an incident learn that it changed: a mark for each organization that reads it.

Organizations that do not read a change have marks of their own, which it does not touch; so has
who left the cluster, whose page stays as it stood.
"""

from collections.abc import Callable, Collection

from apps.incidents.models import Incident
from apps.tenancy import page_marks
from apps.tenancy.lookups import parties_of


def key_of(*, incident_id: int, organization_id: int) -> str:
    """Return where the mark of an organization on an incident is."""
    return f"live:incident:{incident_id}:{organization_id}"


def notes_key_of(*, incident_id: int, organization_id: int) -> str:
    """Return where the mark of an organization on an incident's annotations is."""
    return f"live:annotations:{incident_id}:{organization_id}"


def announce(*, incident: Incident, readers: Collection[int]) -> None:
    """Let the open pages of these organizations know, once the change is durable."""
    _announce(incident, readers, key_of)


def announce_notes(*, incident: Incident, readers: Collection[int]) -> None:
    """Let them know that annotations changed, and nothing else."""
    _announce(incident, readers, notes_key_of)


def _announce(incident: Incident, readers: Collection[int], key: Callable[..., str]) -> None:
    reached = {*readers}
    if reached and incident.cluster_id is not None:
        reached &= {*parties_of(cluster_id=incident.cluster_id)}
    page_marks.announce(
        [key(incident_id=incident.pk, organization_id=each) for each in sorted(reached)]
    )
