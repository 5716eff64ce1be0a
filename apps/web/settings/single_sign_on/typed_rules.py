"""What the forms of both ways to speak have in common: who may what, and what a provider may."""

from dataclasses import dataclass
from typing import Any

from django.http import QueryDict


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedRules:
    """Groups, roles, networks and ticks, as they were typed."""

    groups: str
    values: dict[str, Any]


def typed_rules(form: QueryDict) -> TypedRules:
    """Return the rules of a form, under the names that both wants have for them."""
    groups = form.get("groups", "")
    parts = (line.rpartition("=") for line in groups.splitlines() if line.strip())
    values = {
        "group_claim": form.get("group_claim", "").strip(),
        "role_without_group": form.get("role_without_group", "").strip(),
        "role_by_group": {group.strip(): role.strip().lower() for group, _equals, role in parts},
        "networks": form.get("networks", "").replace(",", "\n").split(),
        "vouches_for_addresses": form.get("vouches_for_addresses") == "1",
        "is_enabled": form.get("is_enabled") == "1",
    }
    return TypedRules(groups=groups, values=values)
