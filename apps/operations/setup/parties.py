"""A cluster and its parties as somebody describes them, checked as far as words can be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.fleet.models import ParticipationRole
from apps.tenancy.models import MemberRole, TokenScope
from apps.tenancy.single_sign_on.provider_settings import WantedProvider

EVERYTHING = frozenset(TokenScope)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupError:
    """What is wrong with a description, and where."""

    place: str  # organizations[1].parts[0]; empty where it is about the whole
    text: str
    line: int | None = None

    def __str__(self) -> str:
        where = [f"line {self.line}"] if self.line else []
        where += [self.place] if self.place else []
        return ": ".join([", ".join(where), self.text] if where else [self.text])


class BadParties(Exception):
    """The description can't be used; every fault that was found, in order."""

    def __init__(self, *faults: SetupError) -> None:
        super().__init__("\n".join(str(each) for each in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A member to be."""

    username: str
    role: MemberRole = MemberRole.ADMIN
    name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenWanted:
    """A token to be, good for the cluster."""

    name: str
    scopes: frozenset[TokenScope] = EVERYTHING
    days: int | None = None  # without, until it is revoked


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceWanted:
    """A metrics source: its name, and the values that are given."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleSignOnWanted:
    """A provider, and the domains that whoever runs the portal says are the organization's."""

    provider: WantedProvider
    domains: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganizationDescription:
    """One organization: its parts, projects, people, tokens, sources and names of hosts."""

    slug: str
    name: str
    parts: Sequence[ParticipationRole]  # none: it waits until an operator offers it one
    layers: Sequence[str] | None = None
    projects: Sequence[str] = ()
    people: Sequence[Person] = ()
    tokens: Sequence[TokenWanted] = ()
    sources: Sequence[SourceWanted] = ()
    hosts: Mapping[str, Sequence[str]] = field(default_factory=dict)  # host → other names
    # Whether the operator takes its word for hosts; None leaves what is there.
    hosts_agreed: bool | None = None
    max_stored_bytes: str = ""  # a size as `manage.py quota` takes it; empty leaves what is there
    single_sign_on: SingleSignOnWanted | None = None
    requires_second_factor: bool | None = None  # of its members; None leaves what is there
    place: str = ""  # where it stands in the description


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    """A cluster and who takes part in it, now or later."""

    cluster: str  # slug; empty: organizations alone, without parts
    cluster_name: str
    parties: Sequence[OrganizationDescription]
    agreements: str = ""  # the preset of parties that have no agreement yet; empty: none is made
