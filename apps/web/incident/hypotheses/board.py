"""The board of explanations: for, against, missing, ruled out."""

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from apps.diagnosis.model import statement_of
from apps.incidents import words as naming
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.shared_values import SharedLine
from apps.incidents.projection.values import EvidencePiece, HeldEvidence, HypothesisView
from apps.telemetry.logs.raw_lines import CitedLine
from apps.web import words
from apps.web.display.instants import dated
from apps.web.display.layers import layer_mark
from apps.web.display.levels import shared_mark
from apps.web.display.probability import Probability, odds_of
from apps.web.incident.evidence_requests.stubs import hidden_of
from apps.web.incident.hypotheses.alike import folded, more_words
from apps.web.incident.hypotheses.cards import (
    CitedLogLine,
    EvidenceLine,
    HeldElsewhere,
    HypothesisCard,
    MissingSource,
    RuledOut,
)
from apps.wording import headline, said

SHOWN_LINES = 6
SHOWN_LETTERS = 1000  # of a log line; all that is kept is sent over REST
SHOWN_CARDS = 4
# Who usually answers for a layer, where the parties don't say.
ANSWERS = {
    "gpu": ("operator", "gpu_vendor"),
    "network": ("network_vendor", "operator"),
    "storage": ("storage_vendor",),
    "host": ("operator", "platform"),
    "software": ("tenant",),
    "straggler": ("operator",),
}


def board(
    *,
    hypotheses: Sequence[HypothesisView],
    header: IncidentHeader,
    lines: Mapping[str, CitedLine],
    asked: str = "",
) -> tuple[tuple[HypothesisCard, ...], tuple[RuledOut, ...]]:
    """Return the explanations that stand, best first, and those that don't, with the reason.

    `lines` are the reader's own log lines, by the reference of the evidence read from them. The
    cause that is `asked` for is shown behind the best, however weak it is.
    """
    standing = [view for view in hypotheses if view.ruled_out is None]
    weak = [view for view in standing[SHOWN_CARDS:] if view.cause == asked]
    shown = (*standing[:SHOWN_CARDS], *weak)
    cards = tuple(_card(view=view, header=header, lines=lines) for view in shown)
    fallen = [view for view in hypotheses if view.ruled_out is not None]
    return cards, tuple(_ruled_out(view=view, header=header) for view in fallen)


def _card(
    *, view: HypothesisView, header: IncidentHeader, lines: Mapping[str, CitedLine]
) -> HypothesisCard:
    clause = naming.clause(cause_slug=view.cause, devices=view.culprits or [])
    supporting, opposing = (folded(each)[:SHOWN_LINES] for each in (view.supporting, view.opposing))
    return HypothesisCard(
        layer=layer_mark(view.layer),
        claim=words.sentence_case(clause),
        slug=view.cause,
        answers=_answers(layer=view.layer, header=header),
        probability=_odds(view=view, header=header),
        supporting=tuple(
            _line(item=each.first, header=header, more=each.more) for each in supporting
        ),
        supporting_held=_held(view.held, side="for"),
        supporting_sum=_sum(view.supporting, view.held, side="for"),
        opposing=tuple(_line(item=each.first, header=header, more=each.more) for each in opposing),
        opposing_held=_held(view.held, side="against"),
        opposing_sum=_sum(view.opposing, view.held, side="against"),
        missing=tuple(_missing(entry=entry, header=header) for entry in view.missing),
        log_lines=_log_lines([each.first for each in (*supporting, *opposing)], lines),
    )


def _log_lines(
    shown: Sequence[EvidencePiece], lines: Mapping[str, CitedLine]
) -> tuple[CitedLogLine, ...]:
    """Return the reader's own lines of the evidence that the card shows, in its order."""
    cited = {item.reference: item for item in shown if item.reference in lines}
    own = (_log_line(item=item, line=lines[reference]) for reference, item in cited.items())
    shared = {item.shared_line: item for item in shown if item.shared_line is not None}
    others = (_shared_line(item=item, line=line) for line, item in shared.items())
    return (*own, *others)


def _shared_line(*, item: EvidencePiece, line: SharedLine) -> CitedLogLine:
    at = f"{dated(line.at.astimezone(UTC), seconds=True)} UTC" if line.at else ""
    named = (shared_mark(line.shared), line.host, at)
    return CitedLogLine(
        source=", ".join(part for part in named if part),
        text=line.text[:SHOWN_LETTERS],
        is_cut=len(line.text) > SHOWN_LETTERS,
        around=shared_query(item) if item.shared else "",
    )


def shared_query(item: EvidencePiece) -> str:
    """Return what names a cited line that another party shows."""
    place = f"{item.cause}:{item.side}:{item.position}"
    return urlencode({"holder": item.shared.holder.slug if item.shared else "", "place": place})


def _log_line(*, item: EvidencePiece, line: CitedLine) -> CitedLogLine:
    host = "" if line.host in item.source else line.host
    at = f"{dated(item.at.astimezone(UTC), seconds=True)} UTC" if item.at else ""
    text = line.text or ""
    return CitedLogLine(
        source=", ".join(part for part in (_where(item), host, at) if part),
        text=text[:SHOWN_LETTERS],
        is_cut=len(text) > SHOWN_LETTERS,
        around=around_query(line) if line.stream else "",
    )


def around_query(line: CitedLine) -> str:
    """Return what names a cited line among those of its incident, for its holder."""
    return urlencode({"stream": line.stream, "host": line.host, "line": line.number})


def _odds(*, view: HypothesisView, header: IncidentHeader) -> Probability:
    """Return how probable a cause is; the word of the gate stands beside the answer alone."""
    incident = header.incident
    # That nothing is established is no explanation, so it has no probability.
    if view.cause == "unknown":
        return Probability(text="", word=_("not settled"), value=0)
    is_answer = (view.layer, view.cause) == (incident.layer, incident.cause)
    word = words.said(words.CERTAINTY, incident.verdict_status) if is_answer else ""
    return odds_of(view.cause_probability, word=word)


def _answers(*, layer: str, header: IncidentHeader) -> str:
    # Of the layer that is blamed the parties said who does, or that nobody does.
    is_blamed = layer == header.incident.layer
    parts = set(ANSWERS.get(layer, ()))
    return ", ".join(
        party.organization.name
        for party in header.parties
        if (party.answers if is_blamed else parts & set(party.parts))
    )


def _line(*, item: EvidencePiece, header: IncidentHeader, more: int = 0) -> EvidenceLine:
    at = f"{item.at:%H:%M:%S}" if item.at else ""
    mark = _("claimed") if item.is_claimed else ""
    who = shared_mark(item.shared) if item.shared else header.reader.name
    source = ", ".join(part for part in (who, _where(item), at, mark) if part)
    return EvidenceLine(
        weight=words.weight(item.weight),
        text=headline(statement_of(item.statement)),
        source=source,
        asks=hidden_of(item),
        alike=more_words(more),
    )


def _where(item: EvidencePiece) -> str:
    if item.source and item.line:
        return _("%(file)s line %(n)s") % {"file": item.source, "n": item.line}
    return words.source(item.source) if item.source in words.SOURCES else item.source


def _held(held: Sequence[HeldEvidence], *, side: str) -> tuple[HeldElsewhere, ...]:
    return tuple(
        HeldElsewhere(
            name=entry.organization.name,
            mark=entry.organization.mark,
            text=_held_by(entry),
            layer=layer_mark(entry.layer),
            weight=words.weight(entry.weight),
            slug=entry.organization.slug,
        )
        for entry in held
        if entry.side == side
    )


def _held_by(entry: HeldEvidence) -> str:
    told = {"items": words.items(entry.count), "name": entry.organization.name}
    if entry.is_claimed:
        return _("%(items)s claimed by %(name)s, who does not run it") % told
    return _("%(items)s held by %(name)s") % told


def _sum(items: Sequence[EvidencePiece], held: Sequence[HeldEvidence], *, side: str) -> str:
    total = sum(item.weight for item in items)
    total += sum(entry.weight for entry in held if entry.side == side)
    return words.weight(total) if total else ""


def _missing(*, entry: Mapping[str, Any], header: IncidentHeader) -> MissingSource:
    name = words.source(str(entry.get("source", "")))
    hosts = entry.get("hosts") or []
    part = str(entry.get("held_by", ""))
    holders = header.asked(part)
    is_ours = any(party.is_reader for party in holders)
    has_part = any(part in party.parts for party in holders)
    if is_ours:
        held_by = _("You hold it.") if has_part else _("You are the one to ask.")
    elif holders:
        names = words.either([party.organization.name for party in holders])
        told = _("Held by %(names)s.") if has_part else _("Ask %(names)s.")
        held_by = words.one_stop(told % {"names": names})
    else:
        held_by = _("Nobody here holds it.")
    return MissingSource(
        name=_("%(source)s of %(hosts)s") % {"source": name, "hosts": words.hosts_text(hosts)}
        if hosts
        else name,
        would=_sentence(said(statement_of(entry["would"]))),
        held_by=held_by,
        is_ours=is_ours,
    )


def _sentence(text: str) -> str:
    stripped = text.strip().rstrip(".")
    return f"{words.sentence_case(stripped)}." if stripped else ""


def _ruled_out(*, view: HypothesisView, header: IncidentHeader) -> RuledOut:
    own = next(iter(view.opposing), None)
    held = _held(view.held, side="against")
    return RuledOut(
        layer=layer_mark(view.layer),
        claim=naming.spoken(view.cause).name,
        probability=odds_of(view.cause_probability).text,
        because=_("because %(reason)s") % {"reason": said(view.ruled_out)}
        if view.ruled_out
        else "",
        against=_line(item=own, header=header) if own else None,
        against_held=() if own else held,
    )
