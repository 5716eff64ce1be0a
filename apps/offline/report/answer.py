"""The three answers of a note: why it stopped, whether to start it again, whom to leave out."""

from collections.abc import Iterator

from apps.diagnosis.causes.decisions import (
    answer_of,
    concluded_of,
    restart_sentence,
    rival_hosts,
)
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.diagnose import zone_facts
from apps.diagnosis.model import (
    Diagnosis,
    FirstStopBy,
    FirstStopper,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.odds import odds_text
from apps.offline.report.items import NoteItem, citing
from apps.offline.report.wording import dated, device, listed, some
from apps.wording import in_english

# Whom to leave out, where no host is named.
LEAVE_OUT = {
    "nobody": "Nobody.",
    "later": "Nobody yet.",
    "many": "Too many are hit to leave them all out.",
    "mended": "Nobody, once the cause is mended.",
    "open": "Nobody can say yet.",
    "hidden": "Nobody can say yet.",
}
ENDED = {
    "finished": "it finished its work",
    "walltime": "its time limit was reached",
    "cancelled": "somebody cancelled it",
    "preempted": "the scheduler preempted it",
    "running": "it is still running",
}
KNOWN_BY = {
    "flight-recorder": "the flight recorder shows it missing",
    "sequence": "its collectives are behind the others'",
    "silence": "it fell silent while the others waited",
    "named-peer": "its peers name it",
    "exit-code": "its process ended first",
    "process": "the kernel log names its process",
}


def is_named(*, verdict: Verdict) -> bool:
    """Say whether a verdict names a cause."""
    return verdict.status in {VerdictStatus.LIKELY, VerdictStatus.POSSIBLE}


def why(*, diagnosis: Diagnosis) -> Iterator[NoteItem]:
    """Yield what was concluded, the answer first."""
    verdict = diagnosis.verdict
    if verdict.status is VerdictStatus.NO_FAILURE:
        yield from _quiet(diagnosis)
        return
    if diagnosis.last_step is not None:
        yield NoteItem(
            text="Nothing that was read says that it stopped: it made steps until the log ends.",
            is_answer=True,
        )
        yield citing(text="The last step.", event=diagnosis.last_step)
        return
    if is_named(verdict=verdict):
        means = load_causes()[verdict.cause].means
        where = (
            f" Where: {listed(device(one) for one in verdict.culprits)}."
            if verdict.culprits
            else ""
        )
        yield NoteItem(text=f"{means[0].upper()}{means[1:]}.{where}", is_answer=True)
        yield NoteItem(
            text=f"{verdict.status.value.capitalize()}: layer {verdict.layer.value} ({odds_text(verdict.probability)}), "  # noqa: E501  one sentence
            f"cause {verdict.cause} ({odds_text(verdict.cause_probability)})."
        )
        yield from _rival(diagnosis)
    else:
        yield NoteItem(text="Unknown: what was read does not establish a cause.", is_answer=True)
        guess = next((one for one in diagnosis.hypotheses if one.cause != "unknown"), None)
        if guess is not None and not guess.ruled_out_because and guess.probability >= 0.05:
            yield NoteItem(
                text=f"The best guess, too weak to act on: {guess.layer.value}, {guess.cause} ({odds_text(guess.cause_probability)})."  # noqa: E501  one sentence
            )
    if diagnosis.first_stopper:
        yield NoteItem(text=_first_stopper(diagnosis.first_stopper))
    if diagnosis.failed_at:
        yield NoteItem(
            text=f"It broke at {dated(diagnosis.failed_at)}, in phase {diagnosis.phase.value}."
        )
    yield from _zones(diagnosis)


def _zones(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    """Yield in which zones times are taken that name none."""
    if diagnosis.printed_zone and (diagnosis.failed_at or diagnosis.timeline):
        printed = zone_facts.printed_zone(zone=diagnosis.printed_zone)
        yield NoteItem(text=in_english(printed))
    for one in diagnosis.zones:
        what = (
            statement("evidence-on-host", cause=one.cause, host=one.host)
            if one.host
            else statement("evidence-for", cause=one.cause)
        )
        told = in_english(zone_facts.compared_zones(reading=one, what=what))
        settles = in_english(zone_facts.settles(reading=one))
        yield NoteItem(text=f"{told}. {settles[:1].upper()}{settles[1:]}.")


def _rival(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    """Yield the cause that is as likely, if there is one."""
    for one in diagnosis.actions:
        if one.rival:
            yield NoteItem(text=f"As likely: {load_causes()[one.rival].means}.")


def _quiet(diagnosis: Diagnosis) -> Iterator[NoteItem]:
    """Yield how it ended, which line says so, and how sure that is."""
    ended = ENDED.get(diagnosis.end_state.value, "no failure is told")
    yield NoteItem(text=f"Nothing broke: {ended}.", is_answer=True)
    if diagnosis.ending is not None:
        yield citing(text="The line that says so.", event=diagnosis.ending)
    yield NoteItem(
        text=f"How sure it is that nothing broke: {odds_text(diagnosis.verdict.probability)}."
    )


def _first_stopper(first: FirstStopper) -> str:
    by = first.by.value
    noun = "rank" if len(first.ranks) == 1 else "ranks"
    known = KNOWN_BY.get(by, by) if len(first.ranks) == 1 else f"known by {by}"
    if first.by is FirstStopBy.EXIT_CODE and len(first.hosts) > 1:
        known += "; who of them was first is too near to tell by the clocks of different nodes"
    where = f" of {listed(first.hosts)}" if first.hosts else ""
    return f"Stopped first: {noun} {some(map(str, first.ranks))}{where} ({known})."


def restart(*, diagnosis: Diagnosis) -> NoteItem:
    """Return whether to start it again."""
    return NoteItem(text=restart_sentence(diagnosis=diagnosis), is_answer=True)


def leave_out(*, diagnosis: Diagnosis) -> NoteItem:
    """Return whom to leave out."""
    answer = answer_of(concluded=concluded_of(diagnosis=diagnosis))
    if answer.leave_out == "others":
        others = listed(rival_hosts(diagnosis=diagnosis))
        return NoteItem(text=f"Nobody can say yet: {others} may be at fault.", is_answer=True)
    hosts = diagnosis.restart.exclude_hosts if answer.leave_out == "hosts" else ()
    return NoteItem(text=", ".join(hosts) or LEAVE_OUT[answer.leave_out], is_answer=True)
