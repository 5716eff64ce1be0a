"""Whether members have to have a second factor, and who has none yet, as an admin reads it."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.tenancy.access import Actor
from apps.tenancy.models import User
from apps.tenancy.people.members import Member
from apps.tenancy.people.required_factor import members_without


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorCard:
    """How it stands, as an admin reads it."""

    is_required: bool
    lacks_own: bool  # who reads it has none: it can't be asked of others
    without: tuple[str, ...]  # names of who has none yet


def factor_card(*, actor: Actor, members: Sequence[Member]) -> FactorCard:
    """Return it; raise NotFound for who does not manage."""
    without = members_without(actor=actor)
    lacking = [each.user for each in members if each.user.pk in without]
    return FactorCard(
        is_required=actor.organization.requires_second_factor,
        lacks_own=actor.user in lacking,
        without=tuple(_name(user) for user in lacking),
    )


def _name(user: User) -> str:
    return user.get_full_name() or user.get_username()
