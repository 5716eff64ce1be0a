"""Clusters, who takes part in them, their parts, and the sessions that run there."""

from apps.fleet.models.changes import ChangedThing, ClusterChange
from apps.fleet.models.clusters import (
    Cluster,
    CrossPartyNote,
    FormerParticipation,
    Participation,
    ParticipationRole,
    PendingRefusal,
    ProjectTenant,
)
from apps.fleet.models.exclusions import ExclusionKind, NodeExclusion, NodeReturn
from apps.fleet.models.parts import Device, Link, Mount, Node, Sighting
from apps.fleet.models.proposals import PartProposal, ProposalKind, ProposalState
from apps.fleet.models.sessions import Attempt, AttemptState, Session, SessionParty

__all__ = [
    "Attempt",
    "AttemptState",
    "ChangedThing",
    "Cluster",
    "ClusterChange",
    "CrossPartyNote",
    "Device",
    "ExclusionKind",
    "FormerParticipation",
    "Link",
    "Mount",
    "Node",
    "NodeExclusion",
    "NodeReturn",
    "PartProposal",
    "Participation",
    "ParticipationRole",
    "PendingRefusal",
    "ProjectTenant",
    "ProposalKind",
    "ProposalState",
    "Session",
    "SessionParty",
    "Sighting",
]
