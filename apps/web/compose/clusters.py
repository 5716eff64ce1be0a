"""Clusters in words: who takes part with what, whose project is whose, what hosts are called."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.fleet.aliases import AliasTaken, BadAlias, TooManyAliases
from apps.fleet.models import Node
from apps.fleet.participants import Participant
from apps.fleet.projects import BadProject, MappedProject, NoTenant, ProjectTaken
from apps.tenancy.models import Organization
from apps.web import words
from apps.web.compose.basics import place
from apps.web.pages import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantRow:
    """A party of a cluster."""

    place: Place
    parts: str
    layers: str
    is_reader: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRow:
    """A project and its tenant."""

    project: str
    tenant: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterCard:
    """A cluster as one of its parties sees it."""

    slug: str
    name: str
    participants: tuple[ParticipantRow, ...]
    sees_all: bool
    projects: tuple[ProjectRow, ...]
    may_map: bool
    tenants: tuple[Place, ...]
    host_count: int
    typed_project: str = ""
    typed_tenant: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRow:
    """A host and its other names."""

    name: str
    aliases: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostsPage:
    """The hosts of a cluster whose names match what is looked for."""

    cluster: str
    cluster_name: str
    rows: tuple[HostRow, ...]
    wanted: str
    more_count: int
    may_name: bool


def participant_row(*, participant: Participant, reader: Organization) -> ParticipantRow:
    """Return a party in words."""
    layers = [words.layer(layer) for layer in participant.layers]
    return ParticipantRow(
        place=place(participant.organization),
        parts=", ".join(words.PARTS[part] for part in participant.parts),
        layers=", ".join(layers) or _("no layer"),
        is_reader=participant.organization.pk == reader.pk,
    )


def project_rows(*, projects: Sequence[MappedProject]) -> tuple[ProjectRow, ...]:
    """Return the map by project."""
    return tuple(ProjectRow(project=each.project, tenant=each.tenant.name) for each in projects)


def project_problem(*, error: BadProject, name: str) -> str:
    """Return why a project can't be given so."""
    if isinstance(error, ProjectTaken):
        owner = {"name": name.strip(), "owner": error.owner}
        return _("%(name)s belongs to %(owner)s: take it from there first.") % owner
    if isinstance(error, NoTenant):
        return _("Choose a tenant of this cluster.")
    return _("Write the project as the scheduler calls it, at most 120 characters.")


def host_row(*, node: Node, typed: str | None = None, problem: str = "") -> HostRow:
    """Return a host with its names, or with what was typed instead of them."""
    names = " ".join(node.aliases) if typed is None else typed
    return HostRow(name=node.name, aliases=names, problem=problem)


def alias_problem(*, error: BadAlias) -> str:
    """Return why a name can't be another name of a host."""
    if isinstance(error, AliasTaken):
        told = {"name": error.alias, "host": error.host}
        return _("%(name)s names %(host)s already: a name of two hosts would join nothing.") % told
    if isinstance(error, TooManyAliases):
        return _("At most 20 names.")
    return _("%(name)s is no name or address of a host.") % {"name": error.alias}
