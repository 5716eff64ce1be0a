"""What is said of sessions that ended without a failure."""

from collections.abc import Sequence
from datetime import UTC

from django.utils.translation import gettext as _

from apps.diagnosis.model import EndState
from apps.fleet.values import SessionView
from apps.incidents.facade.reads import quiet_endings
from apps.incidents.projection.values import Ending
from apps.incidents.words import shown_name
from apps.tenancy.access import Actor
from apps.web.display.instants import dated

MOST_SESSIONS = 3


def ending_texts(*, actor: Actor, sessions: Sequence[SessionView]) -> list[str]:
    """Return a sentence for each session whose end is known, of the first few. Needs the scope."""
    shown = sessions[:MOST_SESSIONS]
    endings = quiet_endings(actor=actor, session_ids=[session.id for session in shown])
    return [_sentence(each, endings[each.id]) for each in shown if each.id in endings]


def _sentence(session: SessionView, ending: Ending) -> str:
    told = {
        "name": shown_name(session),
        "at": f"{dated(ending.at.astimezone(UTC), seconds=True)} UTC" if ending.at else "",
        "user": ending.user,
    }
    return (_timed(ending) if ending.at else _untimed(ending.state)) % told


def _timed(ending: Ending) -> str:
    if ending.user and ending.state is EndState.CANCELLED:
        return _("%(name)s was cancelled by user %(user)s at %(at)s; nothing broke.")
    texts = {
        EndState.FINISHED: _("%(name)s finished at %(at)s; nothing broke."),
        EndState.CANCELLED: _("%(name)s was cancelled at %(at)s; nothing broke."),
        EndState.PREEMPTED: _("%(name)s was preempted at %(at)s; nothing broke."),
        EndState.WALLTIME: _("%(name)s reached its time limit at %(at)s; nothing broke."),
    }
    return texts.get(ending.state, _("%(name)s was still running at %(at)s; nothing broke."))


def _untimed(state: EndState) -> str:
    texts = {
        EndState.FINISHED: _("%(name)s finished; nothing broke."),
        EndState.CANCELLED: _("%(name)s was cancelled; nothing broke."),
        EndState.PREEMPTED: _("%(name)s was preempted; nothing broke."),
        EndState.WALLTIME: _("%(name)s reached its time limit; nothing broke."),
    }
    return texts.get(state, _("%(name)s was still running; nothing broke."))
