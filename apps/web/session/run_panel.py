"""One attempt's steps, saves and loads: figures, the drawing, and rows behind it."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from django.utils.translation import gettext as _

from apps.fleet.values import AttemptView
from apps.incidents.projection.header_values import IncidentHeader
from apps.reliability.sessions.told_attempts import ToldAttempt
from apps.training.runs.checkpoints import CheckpointSpan
from apps.training.runs.story import RunStory
from apps.training.steps.level_changes import LevelChange
from apps.web.display.instants import dated
from apps.web.session.run_page import ChangeRow, CheckpointRow, RunPanel
from apps.web.session.run_strip import draw_strip
from apps.web.session.run_words import checkpoint_length, percent_text, seconds_text

ROWS_SHOWN: Final = 100


def panel(
    *,
    attempt: AttemptView,
    attempts: Sequence[int],
    told: ToldAttempt,
    header: IncidentHeader | None,
) -> RunPanel:
    """Return what the logs tell of an attempt."""
    story = told.story
    return RunPanel(
        attempt=attempt.number,
        attempts=tuple(attempts),
        caption=_caption(attempt=attempt, told=told),
        figures=tuple(_figures(story)),
        strip=draw_strip(story=story, ended_at=attempt.ended_at, header=header),
        changes=tuple(map(_change_row, story.changes[-ROWS_SHOWN:])),
        checkpoints=tuple(map(_checkpoint_row, story.checkpoints[-ROWS_SHOWN:])),
        checkpoint_count=len(story.checkpoints),
        note=_note(story),
    )


def _caption(*, attempt: AttemptView, told: ToldAttempt) -> str:
    parts = [_("attempt %(n)s") % {"n": attempt.number}]
    if told.rank is not None:
        parts.append(_("as rank %(n)s prints it") % {"n": told.rank})
    if told.host:
        parts.append(told.host)
    return ", ".join(parts)


def _figures(story: RunStory) -> Iterator[tuple[str, str]]:
    """Yield what is known in numbers. What no line tells is left out, never shown as nothing."""
    if story.first_step is not None and story.last_step is not None:
        steps = f"{story.first_step:,} – {story.last_step:,}"  # noqa: RUF001  a span
        yield _("Steps"), steps
    if story.step_seconds is not None:
        yield _("Step time, median"), seconds_text(story.step_seconds)
    if story.tokens_per_second is not None:
        yield _("Tokens a second"), f"{story.tokens_per_second:,.0f}"
    if story.tflops is not None:
        yield _("TFLOP/s a GPU"), f"{story.tflops:,.0f}"
    if story.mfu is not None:
        yield _("MFU"), f"{story.mfu:.1f} %"
    if story.loss is not None:
        yield _("Loss, last"), f"{story.loss:.4g}"
    if story.repeated_count:
        yield _("Steps done again"), _("%(n)s times") % {"n": story.repeated_count}
    yield from _checkpoint_figures(story)


def _checkpoint_figures(story: RunStory) -> Iterator[tuple[str, str]]:
    saves = [each for each in story.checkpoints if each.kind == "save"]
    loads = [each for each in story.checkpoints if each.kind == "load"]
    if saves:
        yield _("Saves"), f"{len(saves):,}"
    for name, some in ((_("Save, median"), saves), (_("Load, median"), loads)):
        if known := [each.seconds for each in some if each.seconds is not None]:
            yield name, seconds_text(median(known))
    if share := _waited_share(story, saves):
        yield _("Waited for saves"), f"{share * 100:.2g} %"


def _waited_share(story: RunStory, saves: Sequence[CheckpointSpan]) -> float | None:
    """Return the share of the run that it stood still for saves, None where that isn't known."""
    if story.starts_at is None or story.ends_at is None or story.ends_at <= story.starts_at:
        return None
    waited = sum(each.seconds or 0.0 for each in saves if not each.is_background)
    return waited / (story.ends_at - story.starts_at).total_seconds()


def _note(story: RunStory) -> str:
    if story.has_steps and not story.strip.buckets:
        return _("These lines print no time: when each step was made is not known.")
    if not story.has_steps:
        return _("No line tells a step by its number.")
    return _("Times as printed: their zone is not known.") if story.is_local else ""


def _change_row(each: LevelChange) -> ChangeRow:
    return ChangeRow(
        at=dated(each.at, seconds=True),
        step=f"{each.step:,}",
        before=seconds_text(each.before_seconds),
        after=seconds_text(each.after_seconds),
        change=percent_text(each.ratio),
        is_slower=each.is_slower,
    )


def _checkpoint_row(each: CheckpointSpan) -> CheckpointRow:
    at = each.starts_at or each.ends_at
    return CheckpointRow(
        kind=_("Save") if each.kind == "save" else _("Load"),
        at=dated(at, seconds=True) if at else "",
        step="" if each.step is None else f"{each.step:,}",
        length=checkpoint_length(each),
    )
