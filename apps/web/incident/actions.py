"""What is to be done about an incident, and who does it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from apps.diagnosis.model import statement_of
from apps.incidents import words as naming
from apps.incidents.coordination.action_ids import action_id
from apps.incidents.coordination.values import ActionProgress
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.values import IncidentView
from apps.incidents.states import ActionState, IncidentStatus
from apps.incidents.words.steps import reason_fact
from apps.web import words
from apps.wording import said


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """What to do, and who does it."""

    text: str
    who: str
    is_ours: bool
    is_first: bool
    id: str
    state: str
    progress: str  # how far it is, and by whom; empty while it is open
    words: str  # of who refused it, or said more
    may_act: bool

    @property
    def marks(self) -> str:
        """Return the classes by which its style goes."""
        told = {"is-first": self.is_first, "is-ours": self.is_ours}
        return " ".join([*(name for name, is_so in told.items() if is_so), f"is-{self.state}"])


def action_rows(*, view: IncidentView, can_write: bool) -> tuple[ActionRow, ...]:
    """Return what is to be done, in order, and how far it is."""
    return tuple(
        _action(action=action, view=view, index=index, can_write=can_write)
        for index, action in enumerate(view.header.actions)
    )


def _action(
    *, action: Mapping[str, Any], view: IncidentView, index: int, can_write: bool
) -> ActionRow:
    header = view.header
    name = action_id(action)
    progress = header.coordination.actions.get(name)
    notes = {each.public_id: each.text for each in view.annotations}
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
        id=name,
        state=progress.state if progress else ActionState.OPEN,
        progress=_progress(progress) if progress else "",
        words=notes.get(progress.note, "") if progress else "",
        may_act=can_write and is_ours and header.incident.status == IncidentStatus.OPEN,
    )


def _progress(progress: ActionProgress) -> str:
    """Return how far an action is: others read which party said so, not which person."""
    if progress.organization is None or progress.state == ActionState.OPEN:
        return ""
    who = progress.author_name or progress.organization.name
    forms = {
        ActionState.TAKEN: _("%(who)s is on it"),
        ActionState.DONE: _("done by %(who)s"),
        ActionState.REFUSED: _("refused by %(who)s: %(reason)s"),
    }
    reason = said(reason_fact(progress.reason)) if progress.reason else ""
    return forms[progress.state] % {"who": who, "reason": reason}


def _paths(header: IncidentHeader) -> list[str]:
    """Return the blamed paths, as far as the reader may know them."""
    named = (each for each in header.culprits or () if each.get("kind") == "mount")
    return [str(each["name"]) for each in named if each.get("name")]


def _if_it_was(cause: str, action: str) -> str:
    """Return an action with the cause that it is for, where another one is as likely."""
    told = {"cause": naming.spoken(cause).name, "action": action}
    return _("If it was “%(cause)s”: %(action)s") % told if cause else action
