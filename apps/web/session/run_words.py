"""Step times, saves and changes of a run in words."""

from django.utils.translation import gettext as _

from apps.training.runs.checkpoints import CheckpointSpan
from apps.training.steps.level_changes import LevelChange
from apps.web import words


def seconds_text(seconds: float) -> str:
    """Return a step time as people read it: 820 ms, 6.31 s, 2 min 31 s."""
    if seconds < 1:
        return _("%(n)s ms") % {"n": f"{seconds * 1000:.0f}"}
    if seconds < 100:
        return _("%(n)s s") % {"n": f"{seconds:.3g}"}
    return words.duration(seconds)


def percent_text(ratio: float) -> str:
    """Return by how much something is more or less: +7.8 %, or with a minus."""
    percent = (ratio - 1) * 100
    sign = "+" if percent >= 0 else "−"  # noqa: RUF001  a minus
    return f"{sign}{abs(percent):.3g} %"


def checkpoint_hint(each: CheckpointSpan) -> str:
    """Return a save or load in words."""
    what = _("Save") if each.kind == "save" else _("Load")
    step = "" if each.step is None else " " + _("at step %(n)s") % {"n": f"{each.step:,}"}
    return f"{what}{step}: {checkpoint_length(each)}"


def checkpoint_length(each: CheckpointSpan) -> str:
    """Return how long a save or load took, as far as its lines tell."""
    if each.seconds is not None:
        length = seconds_text(each.seconds)
        return (
            _("%(length)s, in the background") % {"length": length}
            if each.is_background
            else length
        )
    return _("its end is not told") if each.ends_at is None else _("its begin is not told")


def change_text(each: LevelChange) -> str:
    """Return a change of the step time: 6.31 s to 6.80 s (+7.8 %)."""
    told = {"before": seconds_text(each.before_seconds), "after": seconds_text(each.after_seconds)}
    text = _("%(before)s to %(after)s") % told
    return f"{text} ({percent_text(each.ratio)})"
