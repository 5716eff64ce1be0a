"""Diagnosis → titled sections of a note as an expert writes it: the three answers, then the
evidence.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    Action,
    CoverageState,
    Diagnosis,
    EndState,
    Evidence,
    Hypothesis,
    Mark,
    Moment,
    RecordPart,
    Role,
    Severity,
    Stream,
    Verdict,
    VerdictStatus,
)
from apps.diagnosis.odds import odds_text
from apps.diagnosis.signatures.marks import marked
from apps.offline.report.answer import is_named, leave_out, restart, why
from apps.offline.report.items import NoteItem, Section, quoted
from apps.offline.report.wording import MOST_NAMES, dated, device, listed, place_text, some
from apps.wording import headline_in_english, in_english

MOST_EVIDENCE, MOST_OTHERS, MOST_MOMENTS = 8, 6, 12
MOST_UNTOLD = timedelta(seconds=5)
# Around the failure; what is further off is told where it matters.
STORY_SPAN = timedelta(minutes=30)
FAILED_WORKERS = marked(Mark.FAILURE_TABLE)
OPENERS = marked(RecordPart.TRACEBACK_OPENER)  # what it is of stands below it
SHOWN_ROLES = frozenset({Role.INITIATING, Role.CONFIRMATION, Role.CASCADE})


def sections(*, diagnosis: Diagnosis) -> tuple[Section, ...]:
    """Return the note, the three answers first; empty sections are left out."""
    question = "Did it stop?" if diagnosis.last_step else "Why did it stop?"
    found = (
        Section(title=question, items=tuple(why(diagnosis=diagnosis))),
        Section(title="Start it again?", items=(restart(diagnosis=diagnosis),)),
        Section(title="Leave out whom?", items=(leave_out(diagnosis=diagnosis),)),
        Section(title="What speaks for it", items=tuple(_evidence(diagnosis))),
        Section(title="What it said", items=tuple(_last_words(diagnosis))),
        Section(title="What speaks against it", items=tuple(_against(diagnosis))),
        Section(title="In order of time", items=tuple(_story(diagnosis))),
        Section(title="What else was considered", items=tuple(_others(diagnosis))),
        Section(title="Other attempts", items=tuple(_attempts(diagnosis))),
        Section(title="What slowed it", items=tuple(_disturbances(diagnosis))),
        Section(title="What would settle it", items=tuple(_missing(diagnosis))),
        Section(title="Who does what", items=tuple(_actions(diagnosis))),
        Section(title="Clocks that were corrected", items=tuple(_clocks(diagnosis))),
        Section(title="What was read", items=tuple(_coverage(diagnosis))),
    )
    return tuple(one for one in found if one.items)


def _evidence(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    if is_named(verdict=diagnosis.verdict):
        for one in diagnosis.hypotheses[0].supporting[:MOST_EVIDENCE]:
            yield _piece(one)


def _last_words(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    """Quote what the session said where no cause is known, and of what it warned where it finished
    all the same.
    """
    is_open = diagnosis.verdict.status is VerdictStatus.UNKNOWN
    if not is_open and diagnosis.end_state is not EndState.FINISHED:
        return
    for one in [one for one in diagnosis.timeline if _is_said(one)][:MOST_EVIDENCE]:
        many = f" ({one.count} times)" if one.count > 1 else ""
        yield NoteItem(
            text=f"{headline_in_english(one.statement)}{many}.",
            place=place_text(one.source, one.line),
            quote=quoted(one.event),
        )


def _is_said(one: Moment) -> bool:
    """Say whether a moment is a word of the session, beyond its launcher's list of who is gone."""
    if one.event is None or one.stream not in {None, Stream.SESSION}:
        return False
    is_launcher = one.event.signature in FAILED_WORKERS
    is_trouble = one.event.severity is not Severity.INFO and one.role is not Role.TEARDOWN
    return is_trouble and not is_launcher and one.event.signature not in OPENERS


def _against(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    if is_named(verdict=diagnosis.verdict):
        for one in diagnosis.hypotheses[0].opposing[:MOST_EVIDENCE]:
            yield _piece(one)


def _piece(one: Evidence) -> NoteItem:
    host = f", {one.host}" if one.host else ""
    at = f", {dated(one.at)}" if one.at else ""
    # A fact of the same family as a stronger one above adds nothing to its weight.
    again = "" if one.weight else " (told above already)"
    return NoteItem(
        text=f"{headline_in_english(one.statement)}{host}{at}{again}.",
        weight=one.weight,
        place=place_text(one.source, one.line),
        quote=quoted(one.event),
    )


def _story(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    """Tell the moments around the failure, at most MOST_MOMENTS of them."""
    broke_at = diagnosis.failed_at
    weighed = {
        (piece.source, piece.line)
        for one in diagnosis.hypotheses[:1]
        for piece in one.supporting
        if piece.source
    }
    over = {id(one) for one in _over(diagnosis.timeline)}
    told = [
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
        (i for i, one in enumerate(told) if broke_at and one.at and one.at >= broke_at),
        0,
    )
    start = max(0, min(middle - MOST_MOMENTS // 3, len(told) - MOST_MOMENTS))
    for one in told[start : start + MOST_MOMENTS]:
        yield _moment(one)


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


def _moment(one: Moment) -> NoteItem:
    slack = one.clock_error or timedelta(0)
    error = f" ±{slack.total_seconds():.0f} s" if slack >= timedelta(seconds=1) else ""
    many = f" ({one.count} times)" if one.count > 1 else ""
    host = f", {one.host}" if one.host else ""
    at = f"{one.at:%H:%M:%S}" if one.at else ""
    return NoteItem(
        text=f"{at}{error}  {headline_in_english(one.statement)}{host}{many}",
        place=place_text(one.source, one.line),
    )


def _others(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    first = 1 if is_named(verdict=diagnosis.verdict) else 0
    stated = {"unknown", diagnosis.verdict.cause} if _is_quiet(diagnosis.verdict) else {"unknown"}
    for one in diagnosis.hypotheses[first : first + MOST_OTHERS]:
        if one.cause not in stated:
            yield NoteItem(text=_other(one))


def _other(one: Hypothesis) -> str:
    reason = f": ruled out, {in_english(one.ruled_out_because)}" if one.ruled_out_because else ""
    if one.stands_beside:
        where = listed(device(each) for each in one.culprits)
        reason = f": stands beside the first as a cause of its own{f', {where}' if where else ''}"
    return f"{one.layer.value}, {one.cause} ({odds_text(one.cause_probability)}){reason}."


def _attempts(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    for one in diagnosis.attempts:
        if one.is_answer:
            continue
        verdict = one.verdict
        began = f", begun {dated(one.starts_at)}" if one.starts_at else ""
        said = (
            f"{verdict.layer.value}, {verdict.cause}"
            if is_named(verdict=verdict)
            else "no cause known"
        )
        said = f"nothing broke ({one.end_state.value})" if _is_quiet(verdict) else said
        because = f"; {in_english(one.because)}" if one.because else ""
        yield NoteItem(text=f"Attempt {one.number}{began}: {said}{because}.")


def _is_quiet(verdict: Verdict) -> bool:
    return verdict.status is VerdictStatus.NO_FAILURE


def _disturbances(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    for one in diagnosis.disturbances:
        where = listed(device(each) for each in one.verdict.culprits)
        until = f" to {one.ends_at:%H:%M:%S}"
        yield NoteItem(
            text=f"{dated(one.starts_at)}{until}: {one.verdict.layer.value}, {one.verdict.cause}"
            + (f", {where}." if where else ".")
        )


def _missing(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    if _is_quiet(diagnosis.verdict) and diagnosis.end_state is not EndState.CANCELLED:
        return
    is_open = diagnosis.verdict.status is VerdictStatus.UNKNOWN
    for one in [one for one in diagnosis.hypotheses if (one.cause == "unknown") is is_open][:1]:
        for missing in one.missing:
            hosts = f" of {some(missing.hosts)}" if missing.hosts else ""
            yield NoteItem(
                text=f"{missing.source}{hosts}, held by the {missing.held_by.replace('_', ' ')}: would {in_english(missing.would)}."  # noqa: E501  one sentence
            )


def _actions(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    paths = [one.name for one in diagnosis.verdict.culprits if one.kind == "mount" and one.name]
    for position, one in enumerate(diagnosis.actions):
        # The first is what is to be done about the parts that are blamed.
        where = [*one.hosts, *(paths if position == 0 else ())]
        named = f" ({some(where)})" if where else ""
        when = _if_it_was(one, diagnosis)
        yield NoteItem(
            text=f"{one.owner.replace('_', ' ')}: {when}{in_english(one.statement)}{named}."
        )


def _if_it_was(one: Action, diagnosis: Diagnosis) -> str:
    """Return which cause an action is for, where two are as likely."""
    cause = one.rival
    if not cause and any(other.rival for other in diagnosis.actions):
        answered = diagnosis.verdict.cause
        cause = answered if one.statement == load_causes()[answered].usual_action else ""
    return f"if it was {cause}: " if cause else ""


def _clocks(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    """Tell the clocks that were off by more than orders events, and how surely that is known."""
    off = [one for one in diagnosis.clocks if one.zone_minutes or abs(one.offset) >= MOST_UNTOLD]
    for one in off[:MOST_NAMES]:
        side = "later" if one.zone_minutes > 0 else "earlier"
        hours = f"{abs(one.zone_minutes) / 60:.4g} h"
        zone = f"times taken as {hours} {side} than printed" if one.zone_minutes else ""
        offset = (
            f"{one.offset.total_seconds():+.0f} s ±{one.error.total_seconds():.0f} s"
            if abs(one.offset) >= MOST_UNTOLD
            else ""
        )
        where = f"{one.stream} log of {one.host}" if one.host else f"{one.stream} log"
        yield NoteItem(text=f"{where}: {', '.join(each for each in (zone, offset) if each)}.")
    if len(off) > MOST_NAMES:
        yield NoteItem(text=f"And {len(off) - MOST_NAMES} more.")


def _coverage(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    for one in diagnosis.coverage:
        if one.state is CoverageState.PRESENT:
            lacking = f", not of {some(one.missing_hosts)}" if one.missing_hosts else ""
            of = (
                f", {one.hosts_present} of {one.hosts_expected} hosts" if one.hosts_expected else ""
            )
            yield NoteItem(text=f"{one.source}: read{of}{lacking}.")
    absent = [one.source for one in diagnosis.coverage if one.state is not CoverageState.PRESENT]
    if absent:
        yield NoteItem(text=f"Not there: {', '.join(absent)}.")
