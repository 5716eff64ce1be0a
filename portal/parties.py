"""Who takes part in a cluster, and with what: read from YAML or the command line, made once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from secrets import token_urlsafe
from typing import Any, Self

from apps.fleet.models import Cluster, Part, Participation, ProjectTenant
from apps.telemetry.models import Source
from apps.tenancy import credentials
from apps.tenancy.models import MemberRole, Membership, Organization, Token, TokenScope, User
from apps.tenancy.scope import organization_scope

# What a part answers for unless the file says otherwise.
LAYERS = {
    Part.OPERATOR: ["host", "straggler"],
    Part.TENANT: ["software"],
    Part.PLATFORM: [],
    Part.GPU_VENDOR: ["gpu"],
    Part.NETWORK_VENDOR: ["network"],
    Part.STORAGE_VENDOR: ["storage"],
}


class BadParties(Exception):
    """The description names something that doesn't exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """One organization: its parts, projects, first admin, token and sources."""

    slug: str
    name: str
    parts: Sequence[str]
    layers: Sequence[str] | None = None
    projects: Sequence[str] = ()
    admin: str | None = None
    token: str | None = None  # its name
    sources: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """Return a party from its YAML; raise BadParties naming what is wrong."""
        unknown = set(values) - set(cls.__slots__)
        missing = {"slug", "name", "parts"} - set(values)
        wrong = set(values.get("parts", ())) - set(Part.values)
        if unknown or missing or wrong:
            raise BadParties(
                f"organization {values.get('slug', '?')}: unknown {sorted(unknown | wrong)}, "
                f"missing {sorted(missing)}; parts are {', '.join(Part.values)}"
            )
        return cls(**values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A party as it stands now; secrets only where they were made just now."""

    organization: Organization
    party: Party
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)


def establish(
    *,
    cluster: tuple[str, str],
    parties: Sequence[Party],
    now: datetime,
    is_simulated: bool = False,
    renews_secrets: bool = False,
) -> list[Made]:
    """Make what is missing of a cluster (slug, name) and its parties; keep what is there."""
    slug, name = cluster
    place, _ = Cluster.objects.get_or_create(
        slug=slug, defaults={"name": name, "is_simulated": is_simulated, "created_at": now}
    )
    made = []
    for party in parties:
        organization, _ = Organization.objects.get_or_create(
            slug=party.slug,
            defaults={"name": party.name, "is_simulated": is_simulated, "created_at": now},
        )
        with organization_scope(organization.pk):
            _take_part(organization=organization, cluster=place, party=party)
            _add_sources(organization=organization, cluster=place, party=party, now=now)
            made.append(
                Made(
                    organization=organization,
                    party=party,
                    password=_admin(organization, party, renews=renews_secrets),
                    token=_token(organization, place, party, now=now, renews=renews_secrets),
                )
            )
    return made


def _take_part(*, organization: Organization, cluster: Cluster, party: Party) -> None:
    for part in party.parts:
        layers = party.layers if party.layers is not None else LAYERS[Part(part)]
        Participation.objects.update_or_create(
            organization=organization, cluster=cluster, part=part, defaults={"layers": layers}
        )
    for project in party.projects:
        ProjectTenant.objects.get_or_create(
            organization=organization, cluster=cluster, project=project
        )


def _add_sources(
    *, organization: Organization, cluster: Cluster, party: Party, now: datetime
) -> None:
    for source in party.sources:
        Source.objects.update_or_create(
            organization=organization,
            cluster=cluster,
            name=source["name"],
            defaults={
                "url": source["url"],
                "allowed_networks": source.get("networks", []),
                "is_enabled": True,
            },
            create_defaults={
                "public_id": f"SRC-{token_urlsafe(6).translate(_PLAIN).upper()}",
                "kind": source.get("kind", "prometheus"),
                "url": source["url"],
                "allowed_networks": source.get("networks", []),
                "label_map": source.get("label_map", {}),
                "zone": source.get("zone", ""),
                "is_simulated": organization.is_simulated,
                "created_at": now,
            },
        )


def _admin(organization: Organization, party: Party, *, renews: bool) -> str | None:
    if party.admin is None:
        return None
    user, is_new = User.objects.get_or_create(username=party.admin)
    Membership.objects.get_or_create(
        organization=organization, user=user, defaults={"role": MemberRole.ADMIN}
    )
    if not is_new and not renews:
        return None
    password = token_urlsafe(12)
    user.set_password(password)
    user.save(update_fields=["password"])
    return password


def _token(
    organization: Organization, cluster: Cluster, party: Party, *, now: datetime, renews: bool
) -> str | None:
    if party.token is None:
        return None
    found = Token.objects.for_organization(organization).filter(name=party.token).first()
    if found is not None and not renews:
        return None
    if found is not None:
        found.delete()
    return credentials.issue(
        organization=organization,
        name=party.token,
        scopes=frozenset(TokenScope),
        clusters=(cluster.pk,),
        now=now,
    ).clear_text


_PLAIN = str.maketrans("-_", "AZ")
