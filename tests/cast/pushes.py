"""A cluster with an operator, a platform and two tenants, and how each of them pushes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.test import Client

from apps.fleet.models import Cluster, ParticipationRole, ProjectTenant
from apps.telemetry.logs.interpretation import drain
from apps.tenancy.credentials import issue
from apps.tenancy.models import Organization, TokenScope
from apps.tenancy.scope import organization_scope
from tests.cast import make

NOW = make.AT
Answer = Any  # what the test client returns has no public type


@dataclass(frozen=True)
class Cast:
    """Who takes part, and the clear text of each one's token."""

    cluster: Cluster
    operator: Organization
    platform: Organization
    tenant: Organization
    other: Organization
    tokens: Mapping[int, str]

    def token(self, organization: Organization) -> str:
        """Return a party's token."""
        return self.tokens[organization.pk]


def cast() -> Cast:
    """Make the parties; project `solar` is the tenant's, `lunar` the other's."""
    cluster = make.cluster()
    operator, platform, tenant, other = (make.organization() for _ in range(4))
    parts = (
        ParticipationRole.OPERATOR,
        ParticipationRole.PLATFORM,
        ParticipationRole.TENANT,
        ParticipationRole.TENANT,
    )
    everybody = (operator, platform, tenant, other)
    for organization, part in zip(everybody, parts, strict=True):
        make.participation(organization=organization, cluster=cluster, part=part)
    for owner, project in ((tenant, "solar"), (other, "lunar")):
        with organization_scope(owner.pk):
            ProjectTenant.objects.create(organization=owner, cluster=cluster, project=project)
    tokens = {each.pk: token(each, cluster) for each in everybody}
    return Cast(
        cluster=cluster,
        operator=operator,
        platform=platform,
        tenant=tenant,
        other=other,
        tokens=tokens,
    )


def token(
    organization: Organization, *clusters: Cluster, scope: TokenScope = TokenScope.INGEST
) -> str:
    """Make a token that may write to these clusters."""
    with organization_scope(organization.pk):
        issued = issue(
            organization=organization,
            name=f"token {clusters} {scope}",
            scopes=frozenset({scope}),
            clusters=tuple(each.pk for each in clusters),
            now=NOW,
        )
    return issued.clear_text


def push_text(
    token: str, text: str | bytes, *, content_type: str = "text/plain", **labels: str
) -> Answer:
    """Push a file as the body of a request, its labels in the query."""
    body = text.encode() if isinstance(text, str) else text
    return _post(f"/api/v1/logs?{_query(labels)}", token, body, content_type)


def push_loki(token: str, lines: Sequence[tuple[int, str]], labels: Mapping[str, str]) -> Answer:
    """Push stamped lines as Loki's JSON."""
    values = [[str(stamp), line] for stamp, line in lines]
    document = {"streams": [{"stream": dict(labels), "values": values}]}
    return _post("/loki/api/v1/push", token, json.dumps(document).encode(), "application/json")


def push_json(path: str, token: str, document: Any) -> Answer:
    """Push a JSON document."""
    return _post(path, token, json.dumps(document).encode(), "application/json")


def drain_all(*organizations: Organization) -> int:
    """Interpret everything that waits; return how many lines were read."""
    turns = [
        drain.take_turn(organization_id=each.pk, clock=lambda: 0.0, now=lambda: NOW)
        for each in organizations
    ]
    return sum(turn.amount for turn in turns)


def _post(path: str, token: str, body: bytes, content_type: str) -> Answer:
    return Client(raise_request_exception=False).post(
        path, body, content_type=content_type, headers={"Authorization": f"Bearer {token}"}
    )


def _query(labels: Mapping[str, str]) -> str:
    return "&".join(f"{name}={value}" for name, value in labels.items())
