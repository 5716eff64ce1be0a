"""Diagnosis → titled sections of a note as an expert writes it: the three answers, then the
evidence.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from apps.diagnosis.model import (
    Diagnosis,
    EndState,
    Evidence,
    Mark,
    Moment,
    RecordPart,
    Role,
    Severity,
    Stream,
    VerdictStatus,
)
from apps.diagnosis.noticed_codes import noticed_in
from apps.diagnosis.signatures.marks import marked
from apps.offline.report import surroundings
from apps.offline.report.answer import is_named, leave_out, restart, why
from apps.offline.report.items import NoteItem, Section, quoted
from apps.offline.report.wording import dated, place_text, told
from apps.wording import ENGLISH, Speaker
from apps.wording.codes import CODE_NAMES, advice_text, stops_text
from apps.wording.translatable import gettext_noop

Told: TypeAlias = Callable[[Diagnosis, Speaker], Iterator[NoteItem]]
MOST_EVIDENCE, MOST_MOMENTS = 8, 12
# Around the failure; what is further off is told where it matters.
STORY_SPAN = timedelta(minutes=30)
FAILED_WORKERS = marked(Mark.FAILURE_TABLE)
OPENERS = marked(RecordPart.TRACEBACK_OPENER)  # what it is of stands below it
BY_THE_TABLE = gettext_noop("%(code)s by the vendor's table: %(stops)s. %(advice)s.")
UNKNOWN_WORDS = marked(Mark.UNKNOWN_FAILURE)
TIMES, TOLD_ABOVE = gettext_noop("%(n)s times"), gettext_noop("told above already")
ABOUT_ANOTHER = gettext_noop(", %(host)s, as %(printer)s says")
SHOWN_ROLES = frozenset({Role.INITIATING, Role.CONFIRMATION, Role.CASCADE})


def sections(*, diagnosis: Diagnosis, speaker: Speaker = ENGLISH) -> tuple[Section, ...]:
    """Return the note, the three answers first; empty sections are left out."""
    goes_on = diagnosis.last_step or diagnosis.lived_loss
    of_ending = DID_IT_STOP if goes_on else WHY_DID_IT_STOP
    found = (
        (of_ending, why(diagnosis=diagnosis, speaker=speaker)),
        (AGAIN, (restart(diagnosis=diagnosis, speaker=speaker),)),
        (WITHOUT, (leave_out(diagnosis=diagnosis, speaker=speaker),)),
        *((title, items(diagnosis, speaker)) for title, items in BELOW),
    )
    named = (Section(title=speaker.translate(title), items=tuple(items)) for title, items in found)
    return tuple(one for one in named if one.items)


def _evidence(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    if is_named(verdict=diagnosis.verdict):
        for one in diagnosis.hypotheses[0].supporting[:MOST_EVIDENCE]:
            yield _piece(one, speaker)


def _last_words(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Quote what the session warned of where it finished all the same."""
    is_known = diagnosis.verdict.status is not VerdictStatus.UNKNOWN
    if is_known and diagnosis.end_state is EndState.FINISHED:
        yield from _quoted([one for one in diagnosis.timeline if _is_own(one)], speaker)


def _noticed(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Quote what was recognised where no cause is known, whoever said it; before others, lines
    whose words are known.
    """
    if diagnosis.verdict.status is VerdictStatus.UNKNOWN:
        said = [one for one in diagnosis.timeline if _is_said(one)]
        yield from _quoted(sorted(said, key=_is_in_unknown_words), speaker)
        yield from _codes(diagnosis, speaker)


def _quoted(moments: Sequence[Moment], speaker: Speaker) -> Iterator[NoteItem]:
    for one in moments[:MOST_EVIDENCE]:
        yield NoteItem(
            text=f"{told(one, speaker=speaker)}{_where(one, speaker)}{_many(one, speaker)}.",
            place=place_text(one.source, one.line),
            quote=quoted(one.event),
        )


def _codes(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Tell once of each code what its vendor's table says of it."""
    for code in dict.fromkeys(
        replace(one, device=None, host=None) for _, one in noticed_in(diagnosis=diagnosis)
    ):
        advice = advice_text(advice=code.advice, speaker=speaker)
        stops = stops_text(stops_job=code.stops_job, speaker=speaker)
        told = {"code": f"{CODE_NAMES[code.kind]} {code.code}", "advice": advice, "stops": stops}
        yield NoteItem(text=speaker.translate(BY_THE_TABLE) % told)


def _is_in_unknown_words(one: Moment) -> bool:
    return one.event is not None and one.event.signature in UNKNOWN_WORDS


def _is_own(one: Moment) -> bool:
    """Say whether a moment is a word of the session."""
    return one.stream in {None, Stream.SESSION} and _is_said(one)


def _is_said(one: Moment) -> bool:
    """Say whether a moment tells of trouble, beyond a launcher's list of who is gone."""
    if one.event is None:
        return False
    is_launcher = one.event.signature in FAILED_WORKERS
    is_trouble = one.event.severity is not Severity.INFO and one.role is not Role.TEARDOWN
    return is_trouble and not is_launcher and one.event.signature not in OPENERS


def _against(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    if is_named(verdict=diagnosis.verdict):
        for one in diagnosis.hypotheses[0].opposing[:MOST_EVIDENCE]:
            yield _piece(one, speaker)


def _piece(one: Evidence, speaker: Speaker) -> NoteItem:
    at = f", {dated(one.at)}" if one.at else ""
    # A fact of the same family as a stronger one above adds nothing to its weight.
    again = "" if one.weight else f" ({speaker.translate(TOLD_ABOVE)})"
    words = told(one, speaker=speaker)
    return NoteItem(
        text=f"{words}{_where(one, speaker)}{at}{again}.",
        weight=one.weight,
        place=place_text(one.source, one.line),
        quote=quoted(one.event),
    )


def _story(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Tell the moments around the failure, at most MOST_MOMENTS of them."""
    broke_at = diagnosis.failed_at
    weighed = {
        (piece.source, piece.line)
        for one in diagnosis.hypotheses[:1]
        for piece in one.supporting
        if piece.source
    }
    over = {id(one) for one in _over(diagnosis.timeline)}
    shown = [
        one
        for one in diagnosis.timeline
        if one.at
        and (
            one.role in SHOWN_ROLES
            or id(one) in over
            or (one.source, one.line) in weighed
            or one.at == broke_at
        )
        and (broke_at is None or abs(one.at - broke_at) <= STORY_SPAN)
    ]
    middle = next(
        (i for i, one in enumerate(shown) if broke_at and one.at and one.at >= broke_at),
        0,
    )
    start = max(0, min(middle - MOST_MOMENTS // 3, len(shown) - MOST_MOMENTS))
    for one in shown[start : start + MOST_MOMENTS]:
        yield _moment(one, speaker)


def _over(moments: Sequence[Moment]) -> Iterator[Moment]:
    """Yield each fault that was over again, and what says so: neither is understood alone."""
    for back in moments:
        if back.role is not Role.RECOVERY or back.at is None:
            continue
        faults = [one for one in moments if _is_undone(one, back, back.at)]
        yield from (*faults, *([back] if faults else []))


def _is_undone(one: Moment, back: Moment, at: datetime) -> bool:
    is_fault = one.event is not None and one.event.role is Role.INITIATING
    is_same = (one.host, one.layer) == (back.host, back.layer)
    return is_fault and is_same and one.at is not None and one.at <= at


def _moment(one: Moment, speaker: Speaker) -> NoteItem:
    slack = one.clock_error or timedelta(0)
    error = f" ±{slack.total_seconds():.0f} s" if slack >= timedelta(seconds=1) else ""
    at = f"{one.at:%H:%M:%S}" if one.at else ""
    words = f"{told(one, speaker=speaker)}{_where(one, speaker)}{_many(one, speaker)}"
    return NoteItem(text=f"{at}{error}  {words}", place=place_text(one.source, one.line))


def _where(one: Evidence | Moment, speaker: Speaker) -> str:
    """Return which host it is about, and which host says so where that is another one."""
    printer = one.event.line.host or one.event.line.origin.host if one.event else None
    if not one.host:
        # What many said has no one printer.
        is_alone = isinstance(one, Moment) and one.count == 1
        return f", {printer}" if printer and is_alone else ""
    if not printer or printer.split(".", 1)[0] == one.host.split(".", 1)[0]:
        return f", {one.host}"
    about = {"host": one.host, "printer": printer}
    return speaker.translate(ABOUT_ANOTHER) % about


def _many(one: Moment, speaker: Speaker) -> str:
    return f" ({speaker.translate(TIMES) % {'n': one.count}})" if one.count > 1 else ""


DID_IT_STOP, WHY_DID_IT_STOP = gettext_noop("Did it stop?"), gettext_noop("Why did it stop?")
AGAIN, WITHOUT = gettext_noop("Start it again?"), gettext_noop("Leave out whom?")
# What stands below the three answers.
BELOW: tuple[tuple[str, Told], ...] = (
    (gettext_noop("What speaks for it"), _evidence),
    (gettext_noop("What was noticed"), _noticed),
    (gettext_noop("What it said"), _last_words),
    (gettext_noop("What speaks against it"), _against),
    (gettext_noop("In order of time"), _story),
    (gettext_noop("What else was considered"), surroundings.others),
    (gettext_noop("Other attempts"), surroundings.attempts),
    (gettext_noop("What slowed it"), surroundings.disturbances),
    (gettext_noop("What would settle it"), surroundings.missing),
    (gettext_noop("Who does what"), surroundings.actions),
    (gettext_noop("Clocks that were corrected"), surroundings.clocks),
    (gettext_noop("What was read"), surroundings.coverage),
)
