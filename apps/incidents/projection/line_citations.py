"""Which incidents rest on lines of the reader's own logs."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from apps.incidents.models import EvidenceItem
from apps.incidents.projection.access import readable_ids
from apps.tenancy.access import Actor


def incidents_citing(*, actor: Actor, references: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """Return reference of a line → ids of incidents whose evidence it is, as far as both are the
    actor's organization's to read. Needs its scope.
    """
    if not references:
        return {}
    own = EvidenceItem.objects.for_organization(actor.organization)
    rows = own.filter(reference__in=references, incident__merged_into=None)
    pairs = set(rows.values_list("reference", "incident__public_id"))
    readable = readable_ids(actor=actor, public_ids={each for _, each in pairs})
    found: defaultdict[str, list[str]] = defaultdict(list)
    for reference, public_id in sorted(pairs):
        if public_id in readable:
            found[reference].append(public_id)
    return {reference: tuple(ids) for reference, ids in found.items()}
