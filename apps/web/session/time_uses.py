"""Where the time of a session went: one bar that adds up to the clock, and what retries came to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.incidents.words import spoken
from apps.reliability.facade.session_history import SessionHistory
from apps.training.economics.goodput import Goodput
from apps.training.economics.timelines import TimeUse
from apps.training.retries.chains import ChainOutcome, RetryChain
from apps.training.retries.crash_loops import AdviceKind, ChainAdvice
from apps.web import words

WIDTH: Final = 1344
# In the order in which they are drawn: what was for the run, what it waited for, what was lost.
NAMES: Final = {
    TimeUse.PRODUCTIVE: gettext_lazy("Productive"),
    TimeUse.SAVE: gettext_lazy("Waiting for saves"),
    TimeUse.RESTORE: gettext_lazy("Loading checkpoints"),
    TimeUse.STRAGGLER: gettext_lazy("Slower than usual"),
    TimeUse.LOST_PROGRESS: gettext_lazy("Lost progress"),
    TimeUse.RECOVERY: gettext_lazy("Recovery"),
    TimeUse.QUEUE: gettext_lazy("Queue"),
    TimeUse.UNKNOWN: gettext_lazy("Not known"),
}
OUTCOMES: Final = {
    ChainOutcome.RECOVERED: gettext_lazy("got past the stop"),
    ChainOutcome.GAVE_UP: gettext_lazy("did not get past the stop"),
    ChainOutcome.GOES_ON: gettext_lazy("runs"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeUseShare:
    """One use of a session's time. Positions for the drawing."""

    slug: str
    name: str
    share: str
    length: str
    x: float
    width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeUses:
    """Where the time went, and what the retries came to."""

    caption: str
    shares: tuple[TimeUseShare, ...]
    chains: tuple[str, ...]
    advice: tuple[str, ...]
    notes: tuple[str, ...]


def time_uses(history: SessionHistory, *, gpus: int | None) -> TimeUses | None:
    """Return where a session's time went; None where nobody told when it began."""
    found = history.goodput
    if found is None or not found.wall_ms:
        return None
    return TimeUses(
        caption=_caption(found, gpus),
        shares=tuple(_shares(found)),
        chains=tuple(map(_chain, history.chains)),
        advice=tuple(map(_advice, history.advice)),
        notes=tuple(_notes(history, found)),
    )


def _caption(found: Goodput, gpus: int | None) -> str:
    told = {"length": words.duration(found.wall_ms / 1000), "gpus": f"{gpus or 0:,}"}
    return _("%(length)s on %(gpus)s GPUs") % told if gpus else told["length"]


def _shares(found: Goodput) -> Iterator[TimeUseShare]:
    x = 0.0
    for use, name in NAMES.items():
        spent = found.by_use[use]
        if not spent:
            continue
        width = spent / found.wall_ms * WIDTH
        yield TimeUseShare(
            slug=use.value,
            name=str(name),
            share=f"{spent / found.wall_ms * 100:.1f} %",
            length=words.duration(spent / 1000),
            x=round(x, 1),
            width=round(max(width - 2, 1.0), 1),
        )
        x += width


def _chain(chain: RetryChain) -> str:
    count = len(chain.retries)
    how = (
        ngettext("%(n)s automatic retry", "%(n)s automatic retries", count)
        if chain.is_automatic
        else ngettext("%(n)s retry by hand", "%(n)s retries by hand", count)
    )
    told = {
        "how": how % {"n": count},
        "attempt": chain.stopped.number,
        "outcome": OUTCOMES[chain.outcome],
        "hours": f"{chain.burnt_gpu_hours:,.0f}",
    }
    if chain.burnt_gpu_hours >= 1:
        text = _("After #%(attempt)s: %(how)s, %(outcome)s; %(hours)s GPU-hours burnt.")
    else:
        text = _("After #%(attempt)s: %(how)s, %(outcome)s.")
    return text % told


def _advice(each: ChainAdvice) -> str:
    told = {"n": each.times, "host": each.host, "cause": spoken(each.cause or "").name}
    if each.kind is AdviceKind.LEAVE_OUT_HOST:
        return _("%(host)s was blamed %(n)s times: leave it out.") % told
    if each.kind is AdviceKind.MEND_CAUSE:
        return _("%(cause)s, %(n)s times: another start as it was will not help.") % told
    return _("%(n)s retries without progress: do not start it again as it was.") % told


def _notes(history: SessionHistory, found: Goodput) -> Sequence[str]:
    notes = []
    if not history.told:
        notes.append(
            _("No log of yours tells its steps: what it did between begin and end is not known.")
        )
    if found.unsure_attempts:
        names = words.joined([f"#{name}" for name in found.unsure_attempts])
        notes.append(
            _("Nobody tells of saves of %(names)s: how much was lost is not known.")
            % {"names": names}
        )
    if history.left_out_count:
        notes.append(
            ngettext(
                "%(n)s earlier attempt is left out.",
                "%(n)s earlier attempts are left out.",
                history.left_out_count,
            )
            % {"n": history.left_out_count}
        )
    return notes
