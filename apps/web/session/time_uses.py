"""Where the time of a session went: one bar that adds up to the clock."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.reliability.facade.session_history import SessionHistory
from apps.training.economics.goodput import Goodput
from apps.training.economics.timelines import TimeUse
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
    """Where the time went."""

    caption: str
    shares: tuple[TimeUseShare, ...]
    notes: tuple[str, ...]


def time_uses(history: SessionHistory, *, gpus: int | None) -> TimeUses | None:
    """Return where a session's time went; None where nobody told when it began."""
    found = history.goodput
    if found is None or not found.wall_ms:
        return None
    return TimeUses(
        caption=_caption(found, gpus),
        shares=tuple(_shares(found)),
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
    if untold := _untold_loads(history):
        text = ngettext(
            "Of %(n)s load no end is told: what it took is in another part.",
            "Of %(n)s loads no end is told: what they took is in other parts.",
            untold,
        )
        notes.append(text % {"n": untold})
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


def _untold_loads(history: SessionHistory) -> int:
    return sum(
        each.kind == "load" and each.seconds is None
        for told in history.told.values()
        for each in told.story.checkpoints
    )
