"""The one place where a value of one party becomes visible to another.

Until two organizations agree on more, the rule is fixed: a party's part in the cluster and the
blamed layer decide which details of a shared header it reads. Everything else stays its holder's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.diagnosis.causes.decisions import advice_by_cause
from apps.diagnosis.model import Layer
from apps.fleet.models import ParticipationRole
from apps.fleet.parties.participants import answered_layers
from apps.incidents.models import Incident

SEES_SESSIONS = frozenset({"tenant", "platform", "operator"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyRights:
    """What a party of an incident reads of its header."""

    sees_culprit: bool  # culprits, hosts to leave out, hosts without a source
    sees_session: bool  # id, hosts, times and state; never to vendors


def party_rights(*, parts: Iterable[str], layers: Iterable[str], blamed_layer: str) -> PartyRights:
    """Return what an organization with these parts reads when this layer is blamed.

    `layers` are those it said it answers for; without any, those usual for its parts count.
    """
    held = frozenset(parts)
    sees_session = bool(held & SEES_SESSIONS)
    is_answerable = blamed_layer in answered_layers(parts=held, layers=layers)
    return PartyRights(sees_culprit=sees_session or is_answerable, sees_session=sees_session)


def answers_for(party: Mapping[str, Any], *, incident: Incident) -> bool:
    """Say whether a party answers for the blamed layer: it took it, or it runs what nobody took."""
    if is_left_to_operator(incident):
        return ParticipationRole.OPERATOR in party["parts"]
    return _took(party, incident.layer)


def is_left_to_operator(incident: Incident) -> bool:
    """Say whether a layer is blamed that no party took: the operator answers for it."""
    is_named = incident.layer not in {"", Layer.UNKNOWN}
    return is_named and not any(_took(each, incident.layer) for each in incident.parties)


def _took(party: Mapping[str, Any], layer: str) -> bool:
    if "answers" in party:
        return bool(party["answers"])
    return layer in answered_layers(parts=party["parts"], layers=())  # older rows don't say it


def culprits_for(
    culprits: Sequence[Mapping[str, Any]], *, rights: PartyRights
) -> list[Mapping[str, Any]] | None:
    """Return the culprits as a party reads them; None means hidden by policy."""
    return list(culprits) if rights.sees_culprit else None


def restart_for(restart: Mapping[str, Any], *, rights: PartyRights, cause: str) -> dict[str, Any]:
    """Return the advice; the hosts to leave out, and what depends on whether and of how many it is
    known, only where the culprit is visible.
    """
    shown = dict(restart)
    if not rights.sees_culprit:
        shown["exclude_hosts"] = None
        shown["advice"] = advice_by_cause(advice=shown["advice"], cause=cause)
    return shown


def coverage_for(
    coverage: Sequence[Mapping[str, Any]], *, rights: PartyRights
) -> list[dict[str, Any]]:
    """Return which sources were there; names of hosts only where sessions are visible."""
    return [
        dict(entry) if rights.sees_session else dict(entry) | {"missing_hosts": None}
        for entry in coverage
    ]


def missing_for(
    missing: Sequence[Mapping[str, Any]], *, rights: PartyRights
) -> list[dict[str, Any]]:
    """Return what would settle the question; names of hosts only where sessions are visible."""
    return [
        dict(entry) if rights.sees_session else dict(entry) | {"hosts": None} for entry in missing
    ]


def actions_for(
    actions: Sequence[Mapping[str, Any]], *, rights: PartyRights
) -> list[Mapping[str, Any]]:
    """Return who does what; actions name hosts, so they follow the culprit."""
    return [dict(a) if rights.sees_culprit else dict(a) | {"hosts": None} for a in actions]
