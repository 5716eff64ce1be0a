"""What is said of sessions that ended without a failure."""

from collections.abc import Sequence
from datetime import UTC

from django.utils.translation import gettext as _

from apps.diagnosis.model import EndState
from apps.fleet.models import Session
from apps.fleet.sessions.attempt_lists import attempts_of
from apps.incidents.correlation.attempts.quiet_endings import Ending, ending_of
from apps.incidents.words import shown_name
from apps.tenancy.access import Actor
from apps.web.display.instants import dated

MOST_SESSIONS = 3


def ending_texts(*, actor: Actor, sessions: Sequence[Session]) -> list[str]:
    """Return a sentence for each session whose end is known, of the first few. Needs the scope."""
    shown = sessions[:MOST_SESSIONS]
    attempts = attempts_of(actor=actor, sessions=shown)
    last = [(session, attempts[session.pk][-1]) for session in shown if attempts[session.pk]]
    found = [(session, ending_of(actor=actor, attempt=attempt)) for session, attempt in last]
    return [_sentence(session, ending) for session, ending in found if ending]


def _sentence(session: Session, ending: Ending) -> str:
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
