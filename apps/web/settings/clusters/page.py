"""Clusters in words: who takes part with what, whose project is whose, what hosts are called."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.fleet.authority.project_owners import BadProject, MappedProject, NoTenant, ProjectTaken
from apps.fleet.hosts.host_aliases import AliasTaken, BadAlias, TooManyAliases
from apps.fleet.models import Node, ParticipationRole
from apps.fleet.parties.host_agreements import AGREED
from apps.fleet.parties.participants import Participant
from apps.tenancy.access import Actor, Right
from apps.web import words
from apps.web.display.organizations import SwitchTarget, place
from apps.web.settings.clusters.participation import (
    MadeRow,
    OfferForm,
    Option,
    TypedForm,
    part_name,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostsWord:
    """Whether a party's word for hosts counts, and whether the reader may decide so."""

    part: str
    text: str
    is_agreed: bool
    may_decide: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantRow:
    """A party of a cluster."""

    place: SwitchTarget
    parts: str
    layers: str
    is_reader: bool
    may_leave: tuple[Option, ...] = ()
    may_be_asked: tuple[Option, ...] = ()
    is_needed: bool = False
    words_for_hosts: tuple[HostsWord, ...] = ()


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
    tenants: tuple[SwitchTarget, ...]
    host_count: int
    typed: TypedForm
    made: tuple[MadeRow, ...] = ()
    form: OfferForm | None = None


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


def participant_row(
    *, participant: Participant, reader: Actor, is_last: bool, may_propose: bool
) -> ParticipantRow:
    """Return a party in words, with what the reader may do about its parts."""
    layers = [words.layer(layer) for layer in participant.layers]
    held = [Option(value=part.value, name=part_name(part)) for part in participant.parts]
    is_own = participant.organization.pk == reader.organization.pk
    leaves = is_own and Right.MANAGE in reader.rights
    return ParticipantRow(
        place=place(participant.organization),
        parts=", ".join(each.name for each in held),
        layers=", ".join(layers) or _("no layer"),
        is_reader=is_own,
        may_leave=tuple(each for each in held if leaves and not _is_kept(each, is_last=is_last)),
        may_be_asked=tuple(each for each in held if may_propose and not is_own),
        is_needed=leaves and is_last,
        words_for_hosts=tuple(
            _hosts_word(part, is_agreed=part in participant.agreed, may_decide=may_propose)
            for part in participant.parts
            if part in AGREED
        ),
    )


def _hosts_word(part: ParticipationRole, *, is_agreed: bool, may_decide: bool) -> HostsWord:
    if part == ParticipationRole.TENANT:
        agreed = _("Where its sessions run counts as it says.")
        claimed = _("Where its sessions run is its claim until the scheduler tells it.")
    else:
        agreed = _("What it sends of kernels and hosts counts for everybody.")
        claimed = _("What it sends of kernels and hosts is its claim.")
    return HostsWord(
        part=part.value,
        text=agreed if is_agreed else claimed,
        is_agreed=is_agreed,
        may_decide=may_decide,
    )


def _is_kept(part: Option, *, is_last: bool) -> bool:
    return is_last and part.value == ParticipationRole.OPERATOR


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
