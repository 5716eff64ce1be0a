"""Organizations as pages show them."""

from dataclasses import dataclass

from apps.tenancy.models import Organization


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchTarget:
    """One of the organizations that a person may switch to."""

    slug: str
    name: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyLabel:
    """An organization of an incident."""

    slug: str
    name: str
    mark: str
    part: str
    is_reader: bool = False
    acts: bool = False
    took_note: str = ""


def place(organization: Organization) -> SwitchTarget:
    """Return an organization as the switcher shows it."""
    return SwitchTarget(slug=organization.slug, name=organization.name, mark=organization.mark)
