"""The header of an incident as its parties read it: frozen values, without a row behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from apps.fleet.models import ParticipationRole
from apps.fleet.values import ClusterName, SessionName
from apps.incidents.coordination.values import Coordination
from apps.incidents.projection.rights import PartyRights
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownParty:
    """A party of an incident that the reader may know of."""

    organization_id: int
    parts: tuple[str, ...]
    answers: bool  # for the layer that is blamed


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentFacts:
    """What every party reads of an incident alike; one of several tenants its own times."""

    id: int
    public_id: str
    owner_id: int
    cluster: ClusterName | None
    attempt_id: int | None
    kind: str
    status: str
    is_further: bool  # of a flood, by its hour
    withdrawal: Mapping[str, Any] | None  # why it was withdrawn, a fact
    revision: int
    unfaced_revisions: int  # before one of several tenants was hit: not told to anybody
    is_simulated: bool
    verdict_status: str
    layer: str
    cause: str
    probability: float
    cause_probability: float
    phase: str
    end_state: str
    started_at: datetime | None  # when it broke
    detected_at: datetime
    newest_evidence_at: datetime | None
    settled_at: datetime | None
    resolved_at: datetime | None
    moment: datetime  # its place in the reader's lists
    left_at: datetime | None  # when the reader left the cluster: it stood so then
    known: tuple[KnownParty, ...]

    @property
    def cluster_id(self) -> int | None:
        """Return which cluster it was in, None for an upload."""
        return self.cluster.id if self.cluster else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitAttempt:
    """An attempt that an incident hit."""

    id: int
    session: SessionName
    number: int
    state: str
    started_at: datetime | None
    ended_at: datetime | None
    world_size: int | None
    undiagnosed_at: datetime | None
    are_hosts_claimed: bool  # only its tenant says where it ran


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyView:
    """A party as a chip: who, in which parts, and whether it is expected to act."""

    organization: OrganizationName
    parts: tuple[str, ...]
    is_reader: bool
    acts: bool  # has it in hand: by a hand-over, else as the next action's owner
    answers: bool  # for the layer that is blamed
    acknowledged_at: datetime | None  # of the reader's own organization; others tell by entry


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentHeader:
    """The shared header, projected for one reader. None stands for hidden by policy."""

    incident: IncidentFacts
    reader: OrganizationName
    rights: PartyRights
    attempts: tuple[HitAttempt, ...]  # those the reader may know of
    culprits: Sequence[Mapping[str, Any]] | None
    restart: Mapping[str, Any]
    coverage: Sequence[Mapping[str, Any]]
    actions: Sequence[Mapping[str, Any]]
    first_stopper: Mapping[str, Any] | None
    parties: tuple[PartyView, ...]
    is_collecting: bool
    coordination: Coordination

    @property
    def id(self) -> int:
        """Return which incident it is of, among those of one moment."""
        return self.incident.id

    @property
    def moment(self) -> datetime:
        """Return its place in the reader's lists."""
        return self.incident.moment

    @property
    def left_at(self) -> datetime | None:
        """Return when the reader left the cluster: the incident stood so then."""
        return self.incident.left_at

    def asked(self, part: str) -> tuple[PartyView, ...]:
        """Return who is to be asked for what a part holds or does: the operator for a part that
        nobody has.
        """
        held = {each for party in self.parties for each in party.parts}
        wanted = part if part in held else ParticipationRole.OPERATOR
        return tuple(party for party in self.parties if wanted in party.parts)
