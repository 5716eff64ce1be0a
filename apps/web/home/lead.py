"""The first sentences of the first page: what runs, and what is open."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.web.display.attempt_state import DEGRADED
from apps.web.sessions.page import SessionRow


def lead_of(
    *,
    sessions: tuple[SessionRow, ...],
    open_count: int,
    mine: int,
    unread_count: int,
    unsettled_count: int,
) -> str:
    """Return what there is, in a sentence or two."""
    running = [row for row in sessions if row.state in {"running", DEGRADED}]
    degraded = [row for row in running if row.state == DEGRADED]
    told: list[str] = []
    if len(running) == 1 and not degraded:
        values = {"name": running[0].name, "size": running[0].size}
        form = _("%(name)s is running on %(size)s.")
        told = [(form if running[0].is_sized else _("%(name)s is running.")) % values]
    elif len(running) > 1:
        told = [_("%(n)s sessions are running.") % {"n": len(running)}]
    if len(degraded) == 1:
        told.append(f"{degraded[0].name}: {degraded[0].state_word}.")
    elif degraded:
        told.append(
            _("%(n)s of them run on fewer GPUs than they began with.") % {"n": len(degraded)}
        )
    unread = ngettext("%(n)s annotation is new.", "%(n)s annotations are new.", unread_count)
    news = [unread % {"n": unread_count}] if unread_count else []
    state = (
        _unsettled(unsettled_count)
        if unsettled_count and not open_count
        else _waiting(open_count=open_count, mine=mine)
    )
    return " ".join([*told, state, *news])


def _unsettled(count: int) -> str:
    return ngettext(
        "%(n)s session failed just now: why is being looked at.",
        "%(n)s sessions failed just now: why is being looked at.",
        count,
    ) % {"n": count}


def _waiting(*, open_count: int, mine: int) -> str:
    if not open_count:
        return _("Nothing is open.")
    if not mine:
        return _("%(n)s open, none waits for you.") % {"n": open_count}
    if open_count == 1:
        return _("One incident is open and waits for you.")
    told = ngettext(
        "%(n)s of %(all)s open incidents waits for you.",
        "%(n)s of %(all)s open incidents wait for you.",
        mine,
    )
    return told % {"n": mine, "all": open_count}
