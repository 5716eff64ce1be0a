"""How an attempt stands, in words: one that lost GPUs and runs on is never called running alone."""

from datetime import datetime
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.fleet.values import AttemptView
from apps.web import words

DEGRADED: Final = "degraded"


def state_slug(attempt: AttemptView, *, now: datetime) -> str:
    """Return what its mark is drawn by."""
    return DEGRADED if attempt.is_degraded_at(now) else attempt.state


def state_word(attempt: AttemptView, *, now: datetime) -> str:
    """Return its state in words, with the GPUs that it runs without, or lost on its way."""
    word = words.said(words.STATES, attempt.state, attempt.state)
    if not attempt.is_degraded:
        return word
    lost, alive = attempt.lost_gpu_count or 0, attempt.alive_gpu_count
    told = {"n": f"{lost:,}", "state": word}
    if not attempt.is_degraded_at(now):
        text = ngettext("%(state)s, %(n)s GPU lost", "%(state)s, %(n)s GPUs lost", lost)
        return text % told
    if alive is None:
        text = ngettext(
            "degraded: runs on without %(n)s GPU", "degraded: runs on without %(n)s GPUs", lost
        )
        return text % told
    return _("degraded: runs on %(alive)s of %(all)s GPUs") % {
        "alive": f"{alive:,}",
        "all": f"{alive + lost:,}",
    }
