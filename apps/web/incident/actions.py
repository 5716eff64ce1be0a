"""What is to be done about an incident, and who does it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.diagnosis.model import statement_of
from apps.incidents import words as naming
from apps.incidents.projection.header_values import IncidentHeader
from apps.web import words
from apps.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """What to do, and who does it."""

    text: str
    who: str
    is_ours: bool
    is_first: bool


def action_rows(header: IncidentHeader) -> tuple[ActionRow, ...]:
    """Return what is to be done, in order."""
    return tuple(
        _action(action=action, header=header, index=index)
        for index, action in enumerate(header.actions)
    )


def _action(*, action: Mapping[str, Any], header: IncidentHeader, index: int) -> ActionRow:
    owner = str(action.get("owner", ""))
    doers = header.asked(owner)
    names = words.either([party.organization.name for party in doers])
    is_ours = any(party.is_reader for party in doers)
    hosts = action.get("hosts") or []
    text = said(statement_of(action["statement"]))
    rival = naming.rival_of(header)
    cause = str(action.get("rival") or (header.incident.cause if rival and index == 0 else ""))
    fresh_hosts = [host for host in hosts if host not in text]
    who = names or _(words.NOBODY)
    return ActionRow(
        text=_if_it_was(cause, words.sentence_case(text)),
        who=", ".join(
            part
            for part in (
                _("%(names)s, you") % {"names": who} if is_ours else who,
                words.hosts_text(fresh_hosts),
                *(_paths(header) if index == 0 else ()),
            )
            if part
        ),
        is_ours=is_ours,
        is_first=index == 0,
    )


def _paths(header: IncidentHeader) -> list[str]:
    """Return the blamed paths, as far as the reader may know them."""
    named = (each for each in header.culprits or () if each.get("kind") == "mount")
    return [str(each["name"]) for each in named if each.get("name")]


def _if_it_was(cause: str, action: str) -> str:
    """Return an action with the cause that it is for, where another one is as likely."""
    told = {"cause": naming.spoken(cause).name, "action": action}
    return _("If it was “%(cause)s”: %(action)s") % told if cause else action
