"""To what an act was done, by the names of organizations and clusters instead of their slugs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from apps.fleet.access import access_clusters
from apps.tenancy.access import Actor
from apps.tenancy.models import AuditEntry
from apps.tenancy.people.organization_names import organization_names
from apps.web import words

OTHER: Final = "organization:"  # in whose name; which person of it is not told
OF_PARTS: Final = "participation."
# Acts whose subject begins with the slug of a cluster, and with that of an organization.
OF_CLUSTERS: Final = (OF_PARTS, "project.", "host.", "node.", "change.")
OF_ORGANIZATIONS: Final = ("sharing.viewed_as", "organization.made")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordNames:
    """Names by slug, of what a page of the record speaks of."""

    organizations: Mapping[str, str] = field(default_factory=dict)
    clusters: Mapping[str, str] = field(default_factory=dict)


def party_names(*, actor: Actor, entries: Iterable[AuditEntry]) -> RecordNames:
    """Return the names that entries need, with no query for what they don't. Needs the scope."""
    slugs, has_clusters = set(), False
    for entry in entries:
        if entry.actor.startswith(OTHER):
            slugs.add(entry.actor.removeprefix(OTHER))
        if entry.action.startswith(OF_ORGANIZATIONS):
            slugs.add(_first(entry.subject))
        has_clusters = has_clusters or entry.action.startswith(OF_CLUSTERS)
    own = access_clusters(actor=actor).values_list("slug", "name") if has_clusters else ()
    return RecordNames(organizations=organization_names(slugs=slugs), clusters=dict(own))


def named_subject(*, action: str, subject: str, names: RecordNames) -> str:
    """Return a subject with the name instead of the slug that it begins with, if it is known."""
    of_clusters = action.startswith(OF_CLUSTERS)
    known = names.clusters if of_clusters else names.organizations
    first = _first(subject)
    if not (of_clusters or action.startswith(OF_ORGANIZATIONS)) or first not in known:
        return subject
    rest = subject[len(first) :].lstrip(": ")
    if action.startswith(OF_PARTS) and rest in words.PARTS:
        rest = words.parts([rest])
    return f"{known[first]}: {rest}" if rest else known[first]


def _first(subject: str) -> str:
    return subject.partition(" ")[0].rstrip(":")
