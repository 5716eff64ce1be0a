"""A wide table → scores, threshold and episodes, as JSON (`faultline.detection/1`) and as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from apps.diagnosis.detection.baseline.attribution import BEFORE, ranked
from apps.diagnosis.detection.baseline.defaults import MINUTE
from apps.diagnosis.detection.baseline.sampling_interval import step_by_day
from apps.diagnosis.detection.baseline.score_spans import ScoreSpan, spells
from apps.diagnosis.detection.baseline.scoring import advance, usual
from apps.diagnosis.detection.baseline.training import MachineBaseline
from apps.diagnosis.model import Statement
from apps.diagnosis.stats import Floats
from apps.offline.series.wide_columns import WideTable
from apps.telemetry.files.unusable_input import UnusableInput
from apps.wording import ENGLISH, Speaker
from apps.wording.translatable import gettext_noop

SCHEMA: Final = "faultline.detection/1"
DIGITS: Final = 6
NAMED: Final = 5  # columns that a line of text names
TOLD_BY: Final = {
    "said": gettext_noop("as said"),
    "times": gettext_noop("by the times"),
    "assumed": gettext_noop("assumed"),
    "day": gettext_noop("by the rhythm of the day"),
}
ROWS = gettext_noop("%(rows)s rows of %(step)s s (%(by)s), %(days)s days")
LEARNT_OWN, LEARNT_BEFORE = (
    gettext_noop("learnt from the table itself, without its strangest rows"),
    gettext_noop("learnt from rows before it"),
)
ONE_EPISODE, EPISODES = (
    gettext_noop("threshold %(threshold)s; %(alerting)s rows at or above it, 1 episode"),
    gettext_noop(
        "threshold %(threshold)s; %(alerting)s rows at or above it, %(episodes)s episodes"
    ),
)
SPAN, SPAN_WITH_TIMES = (
    gettext_noop("rows %(first)s to %(last)s: score %(score)s; columns %(columns)s"),
    gettext_noop(
        "rows %(first)s to %(last)s (%(began)s to %(ended)s): score %(score)s; columns %(columns)s"
    ),
)
SAME_ROWS = gettext_noop(
    "The same rows were learnt and scored: what lasts for most of them is usual."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSpan:
    """A span of rows with its columns, the most responsible first."""

    spell: ScoreSpan
    metrics: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """What was found in one table."""

    threshold: float
    scores: Floats
    episodes: tuple[FoundSpan, ...]
    ranked: tuple[FoundSpan, ...]
    names: tuple[str, ...] | None
    step: float
    step_told_by: str  # a key of TOLD_BY
    is_own: bool
    notes: tuple[Statement, ...]
    times: Sequence[Any] | None = None


def detect(
    *,
    table: WideTable,
    train: WideTable | None = None,
    step: float | None = None,
    pages_per_day: float,
    ranked: Sequence[tuple[int, int]] = (),
) -> Detection:
    """Learn from `train`, else from the table's own training rows, else from the table itself.

    Raises TooLittle, or UnusableInput where both tables have other columns.
    """
    learnt = table.train if train is None else train.test
    if learnt is not None and learnt.shape[1] != table.test.shape[1]:
        raise UnusableInput(
            f"the table has {table.test.shape[1]} columns, the one to learn from {learnt.shape[1]}"
        )
    seconds, told_by = _step(table, train, step)
    is_own = learnt is None
    known = usual(
        table.test if learnt is None else learnt,
        step=seconds,
        pages_per_day=pages_per_day,
        is_own=is_own,
    )
    scores, _ = advance(known, known.began if is_own else known.memory, table.test)
    # What is published is what is compared.
    scores, threshold = np.round(scores, DIGITS), round(known.threshold, DIGITS)
    found = spells(scores, threshold=threshold)
    asked = [
        ScoreSpan(start=start, end=end, score=float(scores[start:end].max()))
        for start, end in ranked
    ]
    return Detection(
        threshold=threshold,
        scores=scores,
        episodes=tuple(_blamed(known, learnt, table.test, one) for one in found),
        ranked=tuple(_blamed(known, learnt, table.test, one) for one in asked),
        names=table.names,
        step=seconds,
        step_told_by=told_by,
        is_own=is_own,
        notes=table.notes,
        times=table.times,
    )


def _step(table: WideTable, train: WideTable | None, said: float | None) -> tuple[float, str]:
    """Return the seconds between rows, and how they are known."""
    if said is not None:
        return said, "said"
    for each in (table, train):
        if each is not None and each.step is not None:
            return each.step, "times"
    rows = table.test if table.train is None else table.train
    found = step_by_day(rows if train is None else train.test)
    return (MINUTE, "assumed") if found is None else (found, "day")


def _blamed(
    known: MachineBaseline, learnt: Floats | None, rows: Floats, spell: ScoreSpan
) -> FoundSpan:
    above = rows[max(0, spell.start - BEFORE) : spell.start]
    if learnt is not None and len(above) < BEFORE:
        above = np.vstack([learnt[-(BEFORE - len(above)) :], above])
    return FoundSpan(spell=spell, metrics=ranked(known, above, rows[spell.start : spell.end]))


def as_json(detection: Detection) -> dict[str, Any]:
    """Return the published JSON; column names and asked rankings only where there are any."""
    answer: dict[str, Any] = {
        "schema": SCHEMA,
        "threshold": detection.threshold,
        "scores": detection.scores.tolist(),
        "episodes": [_as_json(one) for one in detection.episodes],
    }
    if detection.names is not None:
        answer["columns"] = list(detection.names)
    if detection.ranked:
        answer["ranked"] = [_as_json(one) for one in detection.ranked]
    return answer


def _as_json(found: FoundSpan) -> dict[str, Any]:
    return {
        "start": found.spell.start,
        "end": found.spell.end,
        "score": found.spell.score,
        "metrics": list(found.metrics),
    }


def as_text(detection: Detection, *, speaker: Speaker = ENGLISH) -> str:
    """Return a few lines for a person."""
    _, count = speaker.translate, len(detection.scores)
    told = {
        "rows": count,
        "step": f"{detection.step:g}",
        "by": _(TOLD_BY[detection.step_told_by]),
        "days": f"{count * detection.step / 86400:.1f}",
        "threshold": f"{detection.threshold:.2f}",
        "alerting": int(np.count_nonzero(detection.scores >= detection.threshold)),
        "episodes": len(detection.episodes),
    }
    lines = [
        _(ROWS) % told,
        _(LEARNT_OWN if detection.is_own else LEARNT_BEFORE),
        _(ONE_EPISODE if len(detection.episodes) == 1 else EPISODES) % told,
        *(_("note: %(note)s") % {"note": speaker.said(note)} for note in detection.notes),
        *(_line(detection, one, speaker) for one in detection.episodes),
        *(
            _("asked: %(rows)s") % {"rows": _line(detection, one, speaker)}
            for one in detection.ranked
        ),
    ]
    if detection.is_own:
        lines.append(_(SAME_ROWS))
    return "\n".join(lines)


def _line(detection: Detection, found: FoundSpan, speaker: Speaker) -> str:
    names, times, spell = detection.names, detection.times, found.spell
    named = [
        f"{column} ({names[column]})" if names else str(column) for column in found.metrics[:NAMED]
    ]
    told = {
        "first": spell.start,
        "last": spell.end - 1,
        "began": times[spell.start] if times is not None else "",
        "ended": times[spell.end - 1] if times is not None else "",
        "score": f"{spell.score:.2f}",
        "columns": ", ".join(named),
    }
    return speaker.translate(SPAN if times is None else SPAN_WITH_TIMES) % told
