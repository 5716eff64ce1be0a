"""Two clusters with eight organizations, a running session, and what others could see change."""

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.test import Client

from apps.fleet.hosts.host_names import alias_table
from apps.fleet.models import (
    Attempt,
    Cluster,
    Device,
    Link,
    Mount,
    ParticipationRole,
    ProjectTenant,
    Session,
)
from apps.fleet.parties.cross_party_audit import enter_refusals
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.correlation.touched_windows import map_windows
from apps.incidents.models import EvidenceItem, Hypothesis, Incident
from apps.telemetry.logs.interpretation import drain
from apps.telemetry.models import EarlyWarning
from apps.tenancy.credentials import issue
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make

NOW = make.AT + timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class World:
    """Who takes part where, and the clear text of each one's token."""

    cluster: Cluster
    elsewhere: Cluster
    parties: dict[str, Organization]  # by part; `victim` is the tenant whose session runs
    tokens: dict[str, str]

    @property
    def victim(self) -> Organization:
        """The tenant whose session everybody speaks of."""
        return self.parties["victim"]

    @property
    def ids(self) -> list[int]:
        """Everybody."""
        return [each.pk for each in self.parties.values()]


def build() -> World:
    """Make the parties; the victim's session runs on gpu001 and gpu002, as the platform told."""
    # Names unlike each other: a proposal out of one's own tells nothing of who else is there.
    cluster, elsewhere = make.cluster("meridian"), make.cluster("boreal")
    parts = {"victim": ParticipationRole.TENANT, "elsewhere": ParticipationRole.OPERATOR}
    parts |= {part.value: part for part in ParticipationRole}
    parties = {name: make.organization() for name in parts}
    for name, part in parts.items():
        place = elsewhere if name == "elsewhere" else cluster
        make.participation(organization=parties[name], cluster=place, part=part)
    for owner, project in ((parties["victim"], "solar"), (parties["tenant"], "lunar")):
        with organization_scope(owner.pk):
            ProjectTenant.objects.create(organization=owner, cluster=cluster, project=project)
    tokens = {
        name: _token(party, elsewhere if name == "elsewhere" else cluster)
        for name, party in parties.items()
    }
    return World(cluster=cluster, elsewhere=elsewhere, parties=parties, tokens=tokens)


def _token(organization: Organization, cluster: Cluster) -> str:
    with organization_scope(organization.pk):
        return issue(
            organization=organization,
            name="everything",
            scopes=frozenset({TokenScope.INGEST}),
            clusters=(cluster.pk,),
            now=make.AT,
        ).clear_text


def send(world: World, who: str, path: str, body: Any, **query: str) -> Any:
    """Push a document, or a text, and return the answer."""
    is_text = isinstance(body, str)
    named = "&".join(f"{name}={value}" for name, value in query.items())
    return Client(raise_request_exception=False).post(
        f"{path}?{named}" if named else path,
        body.encode() if is_text else json.dumps(body).encode(),
        content_type="text/plain" if is_text else "application/json",
        headers={"Authorization": f"Bearer {world.tokens[who]}"},
    )


def settle(world: World) -> None:
    """Read what came in, and look at everything that it touched."""
    for party in world.parties.values():
        turn = drain.take_turn(organization_id=party.pk, clock=lambda: 0.0, now=lambda: NOW)
        assert turn.amount >= 0
    for party in world.parties.values():
        enter_refusals(organization_id=party.pk, now=NOW)
        map_windows(organization_id=party.pk, now=NOW)
    with organization_scope(*world.ids):
        attempts = list(Attempt.objects.values_list("organization_id", "pk"))
    for owner_id, attempt_id in attempts:
        correlate_attempt(owner_id=owner_id, attempt_id=attempt_id, now=NOW)


def seen_of(world: World, *owners: str) -> dict[str, Any]:
    """Return what is known of these parties' things: sessions, incidents, hosts, warnings."""
    ids = [world.parties[name].pk for name in owners]
    with organization_scope(*world.ids):
        attempts = Attempt.objects.filter(organization__in=ids).order_by("id")
        incidents = Incident.objects.filter(organization__in=ids).order_by("id")
        return {
            "sessions": list(
                Session.objects.filter(organization__in=ids)
                .order_by("id")
                .values_list("organization", "name", "job", "project", "scheduler", "is_asserted")
            ),
            "attempts": [
                (each.session_id, each.number, each.state, each.started_at, each.ended_at,
                 each.hosts, each.hosts_asserted, each.ranks, each.exit_codes, each.world_size,
                 each.field_sources)
                for each in attempts
            ],
            "incidents": [
                (each.kind, each.layer, each.cause, each.probability, each.verdict_status,
                 each.culprits, each.restart, each.coverage, each.actions, each.first_stopper)
                for each in incidents
            ],
            "hypotheses": list(
                Hypothesis.objects.filter(incident__in=incidents)
                .order_by("incident_id", "position")
                .values_list("layer", "cause", "probability", "culprits", "held")
            ),
            "evidence": list(
                EvidenceItem.objects.filter(incident__in=incidents)
                .order_by("incident_id", "cause", "side", "position")
                .values_list("organization", "cause", "side", "weight", "text")
            ),
            "aliases": alias_table(
                cluster_id=world.cluster.pk, reader_id=world.victim.pk
            ),
            "parts": list(Device.objects.filter(organization__in=ids).values_list("uuid")),
            "links": list(Link.objects.filter(organization__in=ids).values_list("switch")),
            "mounts": list(Mount.objects.filter(organization__in=ids).values_list("server")),
            "projects": list(ProjectTenant.objects.order_by("id").values_list("project")),
            "warnings": list(
                EarlyWarning.objects.filter(organization__in=ids).values_list("statement")
            ),
        }  # fmt: skip
