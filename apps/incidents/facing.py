"""Which of an incident's named parts face a reader: its own, where several tenants were hit."""

from collections.abc import Iterable, Mapping
from typing import Any

from apps.incidents.models import Incident, IncidentKind, IncidentParty, IncidentSession

# Fields of a header that may name hosts and ranks of a session.
NAMING = ("culprits", "restart", "coverage", "actions", "first_stopper")
NOBODY: Mapping[str, Any] = {
    "culprits": [], "restart": {"advice": "unknown", "exclude_hosts": []}, "coverage": [],
    "actions": [], "first_stopper": None,
}  # fmt: skip


def is_one_of_several_tenants(*, incident: Incident, mine: IncidentParty) -> bool:
    """Say whether the reader is a tenant of an incident that may have hit other tenants, too."""
    held = {*mine.parts}
    return (
        incident.kind == IncidentKind.SHARED
        and "tenant" in held
        and not held & {"operator", "platform"}
    )


def own_conclusion(
    *, rows: Iterable[IncidentSession], organization_id: int
) -> Mapping[str, Any] | None:
    """Return what was concluded for the reader's own session, the strongest of several."""
    own = [row.conclusion for row in rows if row.organization_id == organization_id]
    return max(own, key=lambda told: told["header"]["probability"], default=None)


def header_of(*, incident: Incident, is_tenant: bool, own: Mapping[str, Any] | None) -> Any:
    """Return the naming fields: of a shared incident a tenant reads those of its own session."""
    if is_tenant:
        return own["header"] if own else NOBODY
    return {name: getattr(incident, name) for name in NAMING}


def hypothesis_of(
    *, culprits: list[Any], missing: list[Any], key: tuple[str, str], own: Mapping[str, Any] | None
) -> tuple[list[Any], list[Any]]:
    """Return culprits and missing sources of a shared hypothesis as one of several tenants reads
    them: its own session's, else only parts that belong to no host.
    """
    for told in own["hypotheses"] if own else []:
        if (told["layer"], told["cause"]) == key:
            return told["culprits"], told["missing"]
    return (
        [each for each in culprits if not each.get("host") and each.get("rank") is None],
        [each | {"hosts": []} for each in missing],
    )
