"""What open pages were told, as it stands in the table."""

from collections import Counter
from collections.abc import Mapping

from apps.incidents.models import Incident
from apps.tenancy.models import PageChange, Topic
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast


def told(cast: Cast, incident: Incident, topic: Topic) -> Mapping[int, int]:
    """Return how often each party was told that something of an incident changed."""
    with organization_scope(*cast.ids):
        rows = PageChange.objects.filter(topic=topic, subject=incident.pk)
        return Counter(rows.values_list("organization_id", flat=True))


def told_of(cast: Cast, topic: Topic) -> Mapping[int, int]:
    """Return how often each party was told that anything of a kind changed."""
    with organization_scope(*cast.ids):
        rows = PageChange.objects.filter(topic=topic)
        return Counter(rows.values_list("organization_id", flat=True))
