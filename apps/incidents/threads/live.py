"""Open pages of an incident learn that it changed: each organization that reads it, and no other.

Who left the cluster hears nothing more, and its page stays as it stood.
"""

from collections.abc import Collection

from apps.incidents.models import Incident
from apps.tenancy.changes import announcements
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Topic


def announce(*, incident: Incident, readers: Collection[int]) -> None:
    """Let the open pages of these organizations know, in the transaction of the change."""
    _announce(incident, readers, Topic.INCIDENT)


def announce_notes(*, incident: Incident, readers: Collection[int]) -> None:
    """Let them know that annotations changed, and nothing else."""
    _announce(incident, readers, Topic.ANNOTATION)


def _announce(incident: Incident, readers: Collection[int], topic: Topic) -> None:
    reached = {*readers}
    if reached and incident.cluster_id is not None:
        reached &= {*parties_of(cluster_id=incident.cluster_id)}
    announcements.announce(topic=topic, subject=incident.pk, readers=reached)
