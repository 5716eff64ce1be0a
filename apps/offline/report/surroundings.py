"""What stands around the answer of a note: rivals, other attempts, what is missing, who acts."""

from collections.abc import Iterator
from datetime import timedelta

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    Action,
    ClockError,
    Coverage,
    CoverageState,
    Diagnosis,
    EndState,
    Hypothesis,
    Layer,
    Missing,
    Verdict,
    VerdictStatus,
    statement,
)
from apps.diagnosis.odds import odds_text
from apps.offline.report.answer import ENDED, NO_FAILURE_TOLD, is_named
from apps.offline.report.items import NoteItem
from apps.offline.report.wording import (
    MOST_NAMES,
    cause,
    dated,
    device,
    layer,
    listed,
    owner,
    some,
    source,
)
from apps.wording import ENGLISH, Speaker
from apps.wording.translatable import gettext_noop

MOST_OTHERS = 6
MOST_UNTOLD = timedelta(seconds=5)
OF_HOST, SPAN = gettext_noop("%(part)s of %(host)s"), gettext_noop("%(from)s to %(to)s")
IF_IT_WAS = gettext_noop("if it was %(cause)s")
# Times that are taken as others than printed.
LATER = gettext_noop("times taken as %(hours)s h later than printed")
EARLIER = gettext_noop("times taken as %(hours)s h earlier than printed")


def others(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield the causes that were considered beside the answered one."""
    first = 1 if is_named(verdict=diagnosis.verdict) else 0
    stated = {"unknown", diagnosis.verdict.cause} if _is_quiet(diagnosis.verdict) else {"unknown"}
    for one in diagnosis.hypotheses[first : first + MOST_OTHERS]:
        if one.cause not in stated:
            yield NoteItem(text=_other(one, speaker))


def _other(one: Hypothesis, speaker: Speaker) -> str:
    _, reason = speaker.translate, ""
    if one.ruled_out_because:
        ruled_out = _("ruled out, %(because)s")
        reason = f": {ruled_out % {'because': speaker.said(one.ruled_out_because)}}"
    if one.stands_beside:
        where = listed((device(each, speaker=speaker) for each in one.culprits), speaker=speaker)
        beside = _("stands beside the first as a cause of its own")
        reason = f": {beside}, {where}" if where else f": {beside}"
    named = _blamed(one.layer, one.cause, speaker)
    return f"{named} ({odds_text(one.cause_probability)}){reason}."


def attempts(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield what became of the other attempts."""
    _ = speaker.translate
    for one in diagnosis.attempts:
        if one.is_answer:
            continue
        number = _("Attempt %(number)s") % {"number": one.number}
        begun = _("begun %(at)s")
        began = f", {begun % {'at': dated(one.starts_at)}}" if one.starts_at else ""
        because = f"; {speaker.said(one.because)}" if one.because else ""
        ended = _of_attempt(one.verdict, one.end_state, speaker)
        yield NoteItem(text=f"{number}{began}: {ended}{because}.")


def _of_attempt(verdict: Verdict, end_state: EndState, speaker: Speaker) -> str:
    _ = speaker.translate
    if _is_quiet(verdict):
        means = _(ENDED.get(end_state.value, NO_FAILURE_TOLD))
        ended = end_state.value if speaker.language == ENGLISH.language else means
        return _("nothing broke (%(ended)s)") % {"ended": ended}
    if is_named(verdict=verdict):
        return _blamed(verdict.layer, verdict.cause, speaker)
    return _("no cause known")


def _blamed(where: Layer, what: str, speaker: Speaker) -> str:
    return f"{layer(where, speaker=speaker)}, {cause(what, speaker=speaker)}"


def _is_quiet(verdict: Verdict) -> bool:
    return verdict.status is VerdictStatus.NO_FAILURE


def disturbances(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield what held it back before."""
    for one in diagnosis.disturbances:
        parts = (device(each, speaker=speaker) for each in one.verdict.culprits)
        where = listed(parts, speaker=speaker)
        span = {"from": dated(one.starts_at), "to": f"{one.ends_at:%H:%M:%S}"}
        when = speaker.translate(SPAN) % span
        told = f"{when}: {_blamed(one.verdict.layer, one.verdict.cause, speaker)}"
        yield NoteItem(text=f"{told}, {where}." if where else f"{told}.")


def missing(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield what would settle the question, and who holds it."""
    _ = speaker.translate
    for lacking in _lacking(diagnosis):
        told = {
            "source": _of_hosts(lacking.source, lacking.hosts, speaker),
            "holder": owner(lacking.held_by, speaker=speaker),
            "would": speaker.said(lacking.would),
        }
        held = _("%(source)s, held by the %(holder)s: would %(would)s.")
        yield NoteItem(text=held % told)


def _lacking(diagnosis: Diagnosis) -> tuple[Missing, ...]:
    """Return what would settle the question: of the causes, of the first that is answered."""
    if _is_quiet(diagnosis.verdict) and diagnosis.end_state is not EndState.CANCELLED:
        return ()
    is_open = diagnosis.verdict.status is VerdictStatus.UNKNOWN
    fit = (one for one in diagnosis.hypotheses if (one.cause == "unknown") is is_open)
    return next((one.missing for one in fit), ())


def _of_hosts(slug: str, hosts: tuple[str, ...], speaker: Speaker) -> str:
    named_source = source(slug, speaker=speaker)
    if not hosts:
        return named_source
    named = {"part": named_source, "host": some(hosts, speaker=speaker)}
    return speaker.translate(OF_HOST) % named


def actions(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield who does what; who holds what would settle it is told there already."""
    asked = {(one.source, one.would) for one in _lacking(diagnosis)}
    paths = [one.name for one in diagnosis.verdict.culprits if one.kind == "mount" and one.name]
    for position, one in enumerate(diagnosis.actions):
        wanted = one.statement.named
        if (wanted.get("source"), wanted.get("would")) in asked:
            continue
        # The first is what is to be done about the parts that are blamed.
        where = [*one.hosts, *(paths if position == 0 else ())]
        named = f" ({some(where, speaker=speaker)})" if where else ""
        told = f"{_if_it_was(one, diagnosis, speaker)}{speaker.said(one.statement)}{named}"
        yield NoteItem(text=f"{owner(one.owner, speaker=speaker)}: {told}.")


def _if_it_was(one: Action, diagnosis: Diagnosis, speaker: Speaker) -> str:
    """Return which cause an action is for, where two are as likely."""
    slug = one.rival
    if not slug and any(other.rival for other in diagnosis.actions):
        answered = diagnosis.verdict.cause
        slug = answered if one.statement == load_causes()[answered].usual_action else ""
    if not slug:
        return ""
    return f"{speaker.translate(IF_IT_WAS) % {'cause': cause(slug, speaker=speaker)}}: "


def clocks(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield the clocks that were off by more than orders events, and how surely that is known."""
    off = [one for one in diagnosis.clocks if one.zone_minutes or abs(one.offset) >= MOST_UNTOLD]
    for one in off[:MOST_NAMES]:
        yield NoteItem(text=_clock(one, speaker))
    if len(off) > MOST_NAMES:
        _, left = speaker.translate, {"n": len(off) - MOST_NAMES}
        yield NoteItem(text=_("And %(n)s more.") % left)


def _clock(one: ClockError, speaker: Speaker) -> str:
    _ = speaker.translate
    hours = {"hours": f"{abs(one.zone_minutes) / 60:.4g}"}
    zone = _(LATER if one.zone_minutes > 0 else EARLIER) % hours if one.zone_minutes else ""
    offset = (
        f"{one.offset.total_seconds():+.0f} s ±{one.error.total_seconds():.0f} s"
        if abs(one.offset) >= MOST_UNTOLD
        else ""
    )
    log = statement("log", stream=str(one.stream))
    where = statement("log-of-host", log=log, host=one.host) if one.host else log
    return f"{speaker.said(where)}: {', '.join(each for each in (zone, offset) if each)}."


def coverage(diagnosis: Diagnosis, speaker: Speaker) -> Iterator[NoteItem]:
    """Yield what was read, of how many hosts, and what was not there."""
    _ = speaker.translate
    for one in diagnosis.coverage:
        if one.state is CoverageState.PRESENT:
            yield NoteItem(text=f"{_read(one, speaker)}.")
    absent = [
        source(one.source, speaker=speaker)
        for one in diagnosis.coverage
        if one.state is not CoverageState.PRESENT
    ]
    if absent:
        yield NoteItem(text=_("Not there: %(sources)s.") % {"sources": ", ".join(absent)})


def _read(one: Coverage, speaker: Speaker) -> str:
    """Return that a source was read, of how many hosts, and of which not."""
    _, of_hosts = speaker.translate, {"n": one.hosts_present, "of": one.hosts_expected}
    parts = [_("%(source)s: read") % {"source": source(one.source, speaker=speaker)}]
    if one.hosts_expected:
        parts.append(_("%(n)s of %(of)s hosts") % of_hosts)
    if one.missing_hosts:
        missed = some(one.missing_hosts, speaker=speaker)
        parts.append(_("not of %(hosts)s") % {"hosts": missed})
    return ", ".join(parts)
