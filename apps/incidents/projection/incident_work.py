"""The work on incidents as one organization reads it: whose turn it is, and what waits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.fleet.models import ParticipationRole
from apps.incidents.coordination.hand_overs import holder_after
from apps.incidents.coordination.rows import for_all, opinions_by_incident, steps_by_incident
from apps.incidents.coordination.standing import ReadRows, coordination_of
from apps.incidents.coordination.values import Coordination
from apps.incidents.models import Feedback, Incident, IncidentStep
from apps.incidents.projection.rights import answers_for, is_left_to_operator
from apps.tenancy.access import Actor
from apps.tenancy.lookups import parties_of
from apps.tenancy.values import OrganizationName


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentWork:
    """Steps and opinions of several incidents, by incident."""

    steps: Mapping[int, Sequence[IncidentStep]]
    opinions: Mapping[int, Sequence[Feedback]]
    present: Mapping[int, Collection[int]]  # who takes part now, of clusters with a hand-over

    @property
    def organization_ids(self) -> set[int]:
        """Return whom they name."""
        steps = [step for each in self.steps.values() for step in each]
        sides = {pk for step in steps for pk in (step.sender_id, step.recipient_id) if pk}
        told = {row.organization_id for each in self.opinions.values() for row in each}
        return sides | told | {step.organization_id for step in steps}

    def coordination(
        self,
        *,
        incident: Incident,
        parties: Sequence[Mapping[str, Any]],
        named: Mapping[int, OrganizationName],
        reader_id: int,
    ) -> Coordination:
        """Return how one of them stands for its reader."""
        return coordination_of(
            ReadRows(
                incident=incident,
                reader_id=reader_id,
                named=named,
                steps=self.steps.get(incident.pk, ()),
                opinions=self.opinions.get(incident.pk, ()),
                default_holder_id=default_holder(incident=incident, parties=parties),
                blamed=[
                    each["organization"] for each in parties if answers_for(each, incident=incident)
                ],
                is_left_to_operator=is_left_to_operator(incident),
                present=self.present.get(incident.cluster_id or 0),
            )
        )


def read_work(
    *, actor: Actor, incidents: Sequence[Incident], read_by: Collection[int] = ()
) -> IncidentWork:
    """Return what the actor's organization may read of the work on incidents. Needs its scope.

    Where several read together (`read_by`), only what each of them may.
    """
    steps = {
        pk: [row for row in found if for_all(row, read_by)]
        for pk, found in steps_by_incident(
            organization=actor.organization, incidents=incidents
        ).items()
    }
    moved = {pk for pk, found in steps.items() if any(holder_after(each) for each in found)}
    clusters = {each.cluster_id for each in incidents if each.pk in moved and each.cluster_id}
    return IncidentWork(
        steps=steps,
        opinions={
            pk: [row for row in found if for_all(row, read_by)]
            for pk, found in opinions_by_incident(
                organization=actor.organization, incidents=incidents
            ).items()
        },
        present={pk: frozenset(parties_of(cluster_id=pk)) for pk in sorted(clusters)},
    )


def asked_parties(*, incident: Incident, parties: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return whom the first action asks: the operator for a part that nobody has."""
    held = {part for party in parties for part in party["parts"]}
    owners = {
        action["owner"] if action["owner"] in held else ParticipationRole.OPERATOR
        for action in incident.actions[:1]
    }
    return [party["organization"] for party in parties if owners & set(party["parts"])]


def default_holder(*, incident: Incident, parties: Sequence[Mapping[str, Any]]) -> int:
    """Return who has it before any hand-over: whom the first action asks, else its owner."""
    asked = asked_parties(incident=incident, parties=parties)
    if not asked or incident.organization_id in asked:
        return incident.organization_id
    return min(asked)


def acting_parties(*, coordination: Coordination, asked: Collection[int]) -> Collection[int]:
    """Return whose turn it is: the holder's once it was handed over, else theirs who are asked."""
    if not coordination.is_handed_over:
        return asked
    return {coordination.holder.id} if coordination.holder else ()
