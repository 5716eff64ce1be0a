"""Rows for tests: plain functions with a default for what a test doesn't care about."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from apps.diagnosis.model import statement, statement_json
from apps.fleet.models import Cluster, Participation, ParticipationRole
from apps.tenancy import credentials
from apps.tenancy.models import MemberRole, Membership, Organization, TokenScope, User
from apps.tenancy.scope import organization_scope

AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
PASSWORD = "a password of the tests"  # noqa: S105  unlocks nothing
_next = count(1)


def organization(slug: str = "") -> Organization:
    """Make an organization."""
    slug = slug or f"org-{next(_next)}"
    return Organization.objects.create(slug=slug, name=slug.title(), created_at=AT)


def user(
    *, organization: Organization, role: MemberRole = MemberRole.RESPONDER, name: str = ""
) -> User:
    """Make a member of an organization."""
    made = User.objects.create_user(name or f"user-{next(_next)}", password=PASSWORD)
    with organization_scope(organization.id):
        Membership.objects.create(organization=organization, user=made, role=role)
    return made


def cluster(slug: str = "") -> Cluster:
    """Make a cluster that nobody takes part in yet."""
    slug = slug or f"cluster-{next(_next)}"
    return Cluster.objects.create(slug=slug, name=slug.title(), created_at=AT)


def participation(
    *,
    organization: Organization,
    cluster: Cluster,
    part: ParticipationRole = ParticipationRole.TENANT,
    layers: list[str] | None = None,
) -> Participation:
    """Make an organization take part in a cluster."""
    with organization_scope(organization.id):
        return Participation.objects.create(
            organization=organization, cluster=cluster, part=part, layers=layers or []
        )


def agreed(*, organization: Organization, cluster: Cluster) -> None:
    """Let the operator take a tenant's word for where its sessions run, since ever."""
    with organization_scope(organization.id):
        Participation.objects.filter(cluster=cluster, organization=organization).update(
            hosts_agreed_at=AT - timedelta(days=400)
        )


def token(
    *,
    organization: Organization,
    clusters: Iterable[Cluster] = (),
    scopes: Iterable[TokenScope] = TokenScope,
) -> str:
    """Make a token and return its clear text."""
    with organization_scope(organization.id):
        return credentials.issue(
            organization=organization,
            name=f"token-{next(_next)}",
            scopes=frozenset(scopes),
            clusters=tuple(cluster.pk for cluster in clusters),
            now=AT,
        ).clear_text


def text_fact(words: str) -> dict[str, Any]:
    """Return what is told in words of its own, as tables keep facts."""
    return statement_json(statement("text", text=words))
