"""Which incidents all parties of a cluster read: what they may count together."""

from collections.abc import Collection

from apps.incidents.projection.access import access_incidents
from apps.tenancy.access import Actor


def read_by_all(
    *, actor: Actor, incident_ids: Collection[int], parties: Collection[int]
) -> frozenset[int]:
    """Return those of the incidents that the actor reads of which each of the parties is one."""
    rows = access_incidents(actor=actor).filter(pk__in=incident_ids).order_by()
    everybody = frozenset(parties)
    return frozenset(
        pk
        for pk, known in rows.values_list("pk", "parties")
        if everybody <= {each["organization"] for each in known}
    )
