"""Continuity: what holds for several samples, as one spell however the samples come in blocks."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from apps.diagnosis import stats
from apps.diagnosis.detection.detector_state import array_store
from apps.diagnosis.model import Frame, Notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuity:
    """At least so many of the last columns; pauses up to `bridge` columns don't end a spell.

    With `is_whole` the first and the last of them too: then it has lasted for all of the time.
    """

    window: int
    at_least: int
    bridge: int
    is_whole: bool = False


def held_for(
    frame: Frame, *, seconds: float, share: float, gap_seconds: float, least: int = 1
) -> Continuity:
    """Return the rule that something holds in a share of a time, at least of `least` samples."""
    window = max(least, over(seconds, frame))
    return Continuity(
        window=window, at_least=math.ceil(share * window), bridge=over(gap_seconds, frame)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spell:
    """What is known so far of one spell of one row. `means` are over its hot samples."""

    row: int
    starts: float  # Unix seconds of its first hot sample
    noticed: float  # when there were enough of them
    ends: float  # the end of its last column
    means: tuple[float, ...]
    first: int  # columns of this block that belong to it
    end: int

    @property
    def starts_at(self) -> datetime:
        """The first hot sample."""
        return datetime.fromtimestamp(self.starts, UTC)

    @property
    def noticed_at(self) -> datetime:
        """The sample that made it certain."""
        return datetime.fromtimestamp(self.noticed, UTC)

    @property
    def ends_at(self) -> datetime:
        """The end of the last column known to belong to it."""
        return datetime.fromtimestamp(self.ends, UTC)


def over(seconds: float, frame: Frame) -> int:
    """Return how many columns a time takes, at least one."""
    return max(1, math.ceil(seconds / frame.step - 1e-6))


def spells(
    notes: Notes,
    subject: str,
    frame: Frame,
    hot: stats.Mask,
    rule: Continuity,
    averaged: Sequence[stats.Floats] = (),
) -> Iterator[Spell]:
    """Yield each spell that this block begins or prolongs."""
    before = rule.window - 1
    joined = array_store.with_tail(notes, subject, "hot", hot, columns=before, fill=False)
    if not joined.any():
        return
    held = stats.held(joined, window=rule.window, at_least=rule.at_least)[:, before:]
    if rule.is_whole:
        held &= hot & joined[:, : joined.shape[1] - before]
    found = list(stats.runs(held, bridge=rule.bridge))
    if not found:
        return
    known = array_store.array(
        notes, subject, "spell", shape=(len(hot), 4 + len(averaged)), fill=np.nan
    )
    known = known.copy()
    for row, first, end in found:
        at = frame.start + first * frame.step
        spell = known[row]
        if not at - spell[2] <= (rule.bridge + 1.5) * frame.step:
            begin = first + int(np.argmax(joined[row, first : first + rule.window])) - before
            spell[:] = 0.0
            spell[0], spell[1] = frame.start + begin * frame.step, at
        inside = np.flatnonzero(hot[row, first:end] & held[row, first:end]) + first
        spell[2] = frame.start + (end - 1) * frame.step
        spell[3] += len(inside)
        for place, values in enumerate(averaged, start=4):
            spell[place] += np.nansum(values[row, inside], dtype=np.float64)
        yield Spell(
            row=row,
            starts=float(spell[0]),
            noticed=float(spell[1]),
            ends=float(spell[2]) + frame.step,
            means=tuple((spell[4:] / max(1.0, spell[3])).tolist()),
            first=first,
            end=end,
        )
    array_store.keep(notes, subject, spell=known)
