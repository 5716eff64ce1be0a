"""The three answers of a note: why it stopped, whether to start it again, whom to leave out."""

from collections.abc import Iterator, Sequence

from apps.diagnosis.causes.decisions import answer_of, concluded_of, rival_hosts
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.diagnose import zone_facts
from apps.diagnosis.model import (
    Diagnosis,
    FirstStopBy,
    FirstStopper,
    LivedLoss,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.odds import odds_text
from apps.offline.report.items import NoteItem, citing
from apps.offline.report.wording import cause, dated, device, layer, listed, some
from apps.wording import ENGLISH, Speaker
from apps.wording.names import PHASES
from apps.wording.restart import restart_sentence
from apps.wording.translatable import gettext_noop

# Whom to leave out, where no host is named.
LEAVE_OUT = {
    "nobody": gettext_noop("Nobody."),
    "later": gettext_noop("Nobody yet."),
    "many": gettext_noop("Too many are hit to leave them all out."),
    "mended": gettext_noop("Nobody, once the cause is fixed."),
    "open": gettext_noop("Nobody can say yet."),
    "hidden": gettext_noop("Nobody can say yet."),
}
ENDED = {
    "finished": gettext_noop("it finished its work"),
    "walltime": gettext_noop("its time limit was reached"),
    "cancelled": gettext_noop("somebody cancelled it"),
    "preempted": gettext_noop("the scheduler preempted it"),
    "running": gettext_noop("it is still running"),
}
BROKE, BROKE_DOING = (
    gettext_noop("It broke at %(at)s."),
    gettext_noop("It broke at %(at)s, %(phase)s."),
)
NO_FAILURE_TOLD = gettext_noop("no failure is told")
KNOWN_BY = {
    "flight-recorder": gettext_noop("the flight recorder shows it missing"),
    "sequence": gettext_noop("its collectives are behind the others'"),
    "silence": gettext_noop("it fell silent while the others waited"),
    "named-peer": gettext_noop("its peers name it"),
    "exit-code": gettext_noop("its process ended first"),
    "process": gettext_noop("the kernel log names its process"),
}
STATUS = {
    VerdictStatus.LIKELY: gettext_noop(
        "Likely: layer %(layer)s (%(layer_odds)s), cause %(cause)s (%(odds)s)."
    ),
    VerdictStatus.POSSIBLE: gettext_noop(
        "Possible: layer %(layer)s (%(layer_odds)s), cause %(cause)s (%(odds)s)."
    ),
}


def is_named(*, verdict: Verdict) -> bool:
    """Say whether a verdict names a cause."""
    return verdict.status in {VerdictStatus.LIKELY, VerdictStatus.POSSIBLE}


def why(*, diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield what was concluded, the answer first."""
    _ = speaker.translate
    if diagnosis.lived_loss is not None:
        yield from _went_on(diagnosis, diagnosis.lived_loss, speaker)
    if diagnosis.verdict.status is VerdictStatus.NO_FAILURE:
        yield from _quiet(diagnosis, speaker)
        return
    if diagnosis.last_step is not None:
        running = _("Nothing that was read says that it stopped: it made steps until the log ends.")
        yield NoteItem(text=running, is_answer=True)
        yield citing(text=_("The last step."), event=diagnosis.last_step)
        return
    concluded = _named if is_named(verdict=diagnosis.verdict) else _unknown
    yield from concluded(diagnosis, speaker)
    if diagnosis.first_stopper:
        yield NoteItem(text=_first_stopper(diagnosis.first_stopper, speaker))
    if diagnosis.failed_at and not diagnosis.lived_loss:
        at, doing = dated(diagnosis.failed_at), PHASES.get(diagnosis.phase.value)
        text = _(BROKE_DOING) % {"at": at, "phase": _(doing)} if doing else _(BROKE) % {"at": at}
        yield NoteItem(text=text)
    yield from _zones(diagnosis, speaker)


def _named(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield the cause with its parts, how likely it is, and the cause that is as likely."""
    _, verdict = speaker.translate, diagnosis.verdict
    means = _means(verdict.cause, speaker)
    parts = listed((device(one, speaker=speaker) for one in verdict.culprits), speaker=speaker)
    where = " " + _("Where: %(parts)s.") % {"parts": parts} if verdict.culprits else ""
    yield NoteItem(text=f"{means[0].upper()}{means[1:]}.{where}", is_answer=True)
    yield NoteItem(
        text=_(STATUS[verdict.status])
        % {
            "layer": layer(verdict.layer, speaker=speaker),
            "layer_odds": odds_text(verdict.probability),
            "cause": cause(verdict.cause, speaker=speaker),
            "odds": odds_text(verdict.cause_probability),
        }
    )
    for one in diagnosis.actions:
        if one.rival:
            rival = {"rival": _means(one.rival, speaker)}
            yield NoteItem(text=_("As likely: %(rival)s.") % rival)


def _means(slug: str, speaker: Speaker) -> str:
    return speaker.translate(load_causes()[slug].means)


def _unknown(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield that no cause is established, and the best guess where there is one."""
    _ = speaker.translate
    open_ = _("Unknown: what was read does not establish a cause.")
    yield NoteItem(text=open_, is_answer=True)
    guess = next((one for one in diagnosis.hypotheses if one.cause != "unknown"), None)
    if guess is not None and not guess.ruled_out_because and guess.probability >= 0.05:
        odds = odds_text(guess.cause_probability)
        told = {
            "layer": layer(guess.layer, speaker=speaker),
            "cause": cause(guess.cause, speaker=speaker),
            "odds": odds,
        }
        weak = _("The best guess, too weak to act on: %(layer)s, %(cause)s (%(odds)s).")
        yield NoteItem(text=weak % told)


def _zones(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield in which zones times are taken that name none."""
    if diagnosis.printed_zone and (diagnosis.failed_at or diagnosis.timeline):
        printed = zone_facts.printed_zone(zone=diagnosis.printed_zone)
        yield NoteItem(text=speaker.said(printed))
    for one in diagnosis.zones:
        what = (
            statement("evidence-on-host", cause=one.cause, host=one.host)
            if one.host
            else statement("evidence-for", cause=one.cause)
        )
        told = speaker.said(zone_facts.compared_zones(reading=one, what=what))
        settles = speaker.said(zone_facts.settles(reading=one))
        yield NoteItem(text=f"{told}. {settles[:1].upper()}{settles[1:]}.")


def _quiet(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield how it ended, which line says so, and how sure that is."""
    _ = speaker.translate
    ended = _(ENDED.get(diagnosis.end_state.value, NO_FAILURE_TOLD))
    yield NoteItem(text=_("Nothing broke: %(ended)s.") % {"ended": ended}, is_answer=True)
    if diagnosis.ending is not None:
        yield citing(text=_("The line that says so."), event=diagnosis.ending)
    odds = {"odds": odds_text(diagnosis.verdict.probability)}
    yield NoteItem(text=_("How sure it is that nothing broke: %(odds)s.") % odds)


def _went_on(diagnosis: Diagnosis, loss: LivedLoss, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield that it went on without a part, who that was and since when, as far as is told."""
    _, first = speaker.translate, diagnosis.first_stopper
    ranks = first.ranks if first else loss.ranks
    hosts = first.hosts if first else ()
    who = _place_of(ranks, hosts, speaker) if ranks else _("a replica, not known which")
    told = _("It went on without %(who)s.") % {"who": who}
    yield NoteItem(text=told, is_answer=True)
    line = _("The line by which it goes on.")
    if loss.at:
        line = _("The line by which it goes on, after %(at)s.") % {"at": dated(loss.at)}
    yield citing(text=line, event=loss.event)


def _place_of(ranks: Sequence[int], hosts: Sequence[str], speaker: Speaker) -> str:
    _ = speaker.translate
    numbers = {"n": some(map(str, ranks), speaker=speaker)}
    part = (_("rank %(n)s") if len(ranks) == 1 else _("ranks %(n)s")) % numbers
    host = listed(hosts, speaker=speaker)
    return _("%(part)s of %(host)s") % {"part": part, "host": host} if hosts else part


def _first_stopper(first: FirstStopper, speaker: Speaker) -> str:
    _, by, is_one = speaker.translate, first.by.value, len(first.ranks) == 1
    means = _(KNOWN_BY.get(by, by))
    named = by if speaker.language == ENGLISH.language else means
    known = means if is_one else _("known by %(by)s") % {"by": named}
    if first.by is FirstStopBy.EXIT_CODE and len(first.hosts) > 1:
        near = _("who of them was first is too near to tell by the clocks of different nodes")
        known = f"{known}; {near}"
    told = {"who": _place_of(first.ranks, first.hosts, speaker), "known": known}
    return _("Stopped first: %(who)s (%(known)s).") % told


def restart(*, diagnosis: Diagnosis, speaker: Speaker) -> NoteItem:
    """Return whether to start it again."""
    told = restart_sentence(diagnosis=diagnosis, speaker=speaker)
    return NoteItem(text=told, is_answer=True)


def leave_out(*, diagnosis: Diagnosis, speaker: Speaker) -> NoteItem:
    """Return whom to leave out."""
    _ = speaker.translate
    answer = answer_of(concluded=concluded_of(diagnosis=diagnosis))
    if answer.leave_out == "others":
        others = {"hosts": listed(rival_hosts(diagnosis=diagnosis), speaker=speaker)}
        doubt = _("Nobody can say yet: %(hosts)s may be at fault.") % others
        return NoteItem(text=doubt, is_answer=True)
    hosts = diagnosis.restart.exclude_hosts if answer.leave_out == "hosts" else ()
    return NoteItem(text=", ".join(hosts) or _(LEAVE_OUT[answer.leave_out]), is_answer=True)
