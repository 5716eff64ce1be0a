"""Markdown for tickets and chats: what the page says, in its order. No text of it is markup."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from apps.incidents.exports.export_format import ExportFormat, Header, IncidentDocument, Json
from apps.incidents.exports.plain_words import (
    PartyNames,
    blamed_text,
    cause_text,
    certainty_text,
    counted,
    hidden_texts,
    lane_text,
    layer_text,
    parties_text,
    place_text,
    role_text,
    source_text,
    spaced,
    verdict_text,
)
from apps.incidents.exports.sheet.evidence_text import change_text
from apps.incidents.exports.sheet.instants import instant_text

# What means something anywhere, links that are made of bare addresses, and what begins a list.
MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$@]|:(?=//)|(?<=www)\.|^[-+=])", re.IGNORECASE)
NUMBERED = re.compile(r"^(\d+)([.)])", re.ASCII)
TIME: Final = "Time (UTC)"
LIST_COLUMNS: Final = (
    *("Broke (UTC)", "Incident", "Status", "Layer", "Cause", "Certainty"),
    "In the hands of",
)
MOMENT_COLUMNS: Final = (TIME, "Lane", "What happened", "Where", "Told by")
CHANGE_COLUMNS: Final = (TIME, "What", "Title", "Where", "Layer", "Who")
CHANGE_CELLS: Final = ("at", "what", "title", "where", "layer", "who")
BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    incident = document.incident
    parties = PartyNames(incident)
    yield _lines(f"# {plain(incident['title'])}", "")
    yield _lines(*_bullets(_facts(incident, parties)), "")
    yield from _part("What to do", _actions(incident))
    for number, each in enumerate(document.hypotheses, 1):
        share = f"{each['probability']:.0%}"
        yield from _part(
            f"Explanation {number}: {_named(each)} ({share})",
            _explanation(each, parties),
        )
    missing = (
        f"- {plain(source_text(each['source']))}: {plain(each['would'])}"
        + (f" (held by {plain(role_text(each['held_by']))})" if each["held_by"] else "")
        for each in document.missing
    )
    yield from _part("What is missing", missing)
    moments = [
        (
            instant_text(each["at"]),
            lane_text(each["lane"]),
            each["title"],
            place_text(each),
            parties.of(each["organization"]),
        )
        for each in document.timeline
    ]
    told_changes = [change_text(each, parties) for each in document.changes]
    changes = [tuple(each[name] for name in CHANGE_CELLS) for each in told_changes]
    yield from _part("What was changed around it", _table(CHANGE_COLUMNS, changes))
    yield from _part("Timeline", _table(MOMENT_COLUMNS, moments))
    yield from _part("Sessions", (_session(each) for each in document.shared_sessions))
    yield from _part("Verdict", _stances(incident["verdict"], parties))
    for name, found in (("Hand-overs", document.hand_overs), ("Resolutions", document.resolutions)):
        steps = [
            (
                instant_text(step["at"]),
                parties.of(step["organization"]),
                spaced(step["state"]),
                spaced(step["reason"]),
                step["text"],
            )
            for each in found
            for step in each["steps"]
        ]
        yield from _part(name, _table((TIME, "By", "State", "Reason", "Text"), steps))
    yield from _part("Annotations", (_note(each, parties) for each in document.annotations))
    yield _lines(_foot(header, parties.of(header.organization)))


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    yield _lines(*_heads(LIST_COLUMNS))
    for each in incidents:
        cells = (
            instant_text(each["started_at"] or each["detected_at"]),
            f"{each['id']} {each['title']}",
            each["status"],
            layer_text(each["layer"]),
            cause_text(each["cause"]),
            certainty_text(each),
            PartyNames(each).of(each["work"]["holder"]),
        )
        yield _lines(_row(cells))
    yield _lines("", _foot(header, header.organization))


def _foot(header: Header, reader: str) -> str:
    at = instant_text(header.exported_at.replace(microsecond=0))
    return plain(f"{header.schema}, as {reader} reads it, {at} UTC")


def _facts(incident: Json, parties: PartyNames) -> Iterator[tuple[str, Any]]:
    yield "Incident", incident["id"]
    if incident["simulated"]:
        yield "Data", "simulated"
    yield "Status", incident["status"]
    broke_at = instant_text(incident["started_at"])
    yield "Broke at", f"{broke_at} UTC" if broke_at else None
    yield "Session", incident["session"]
    yield "Cluster", incident["cluster"]
    yield "Layer", layer_text(incident["layer"])
    yield "Cause", cause_text(incident["cause"])
    yield "Certainty", certainty_text(incident)
    yield "Blamed", blamed_text(incident["culprits"]) or None
    yield "Restart", incident["restart"]["text"]
    yield "In the hands of", parties.of(incident["work"]["holder"]) or None
    yield "Parties", parties_text(incident) or None
    yield "Hidden from this reader", "; ".join(hidden_texts(incident)) or None


def _actions(incident: Json) -> Iterator[str]:
    for each in incident["actions"]:
        hosts = f" ({plain(', '.join(each['hosts']))})" if each.get("hosts") else ""
        yield f"- {plain(role_text(each['owner']))}: {plain(each['text'])}{hosts}"


def _named(hypothesis: Json) -> str:
    return plain(f"{layer_text(hypothesis['layer'])}, {cause_text(hypothesis['cause'])}")


def _explanation(hypothesis: Json, parties: PartyNames) -> Iterator[str]:
    if blamed := blamed_text(hypothesis["culprits"]):
        yield f"- blamed: {plain(blamed)}"
    if hypothesis["ruled_out_because"]:
        yield f"- ruled out: {plain(hypothesis['ruled_out_because'])}"
    for side in ("for", "against"):
        for item in hypothesis[side]:
            at = f"{plain(instant_text(item['at']))} " if item["at"] else ""
            source = f" ({plain(item['source'])})" if item["source"] else ""
            yield f"- {side}: {at}{plain(item['text'])}{source}"
    for held in hypothesis["held"]:
        who = plain(parties.of(held["organization"]))
        yield f"- {plain(held['side'])}: {held['count']} held by {who}, not shown"


def _session(session: Json) -> str:
    name = plain(session["name"] or "a session")
    hosts = plain(", ".join(session["hosts"] or ()))
    state = plain(spaced(session["state"]) or "state not told")
    size = counted(session["host_count"], "host")
    return f"- {name}: {state}, {size}" + (f", {hosts}" if hosts else "")


def _stances(verdict: Json, parties: PartyNames) -> Iterator[str]:
    yield f"- {plain(verdict_text(verdict['state']))}"
    for each in verdict["stances"]:
        other = _instead(each)
        about = " of an earlier verdict" if each["of_earlier"] else ""
        who, stance = plain(parties.of(each["organization"])), plain(spaced(each["stance"]))
        yield f"- {who} {stance}{about}" + (f": {other}" if other else "")


def _instead(stance: Json) -> str:
    """Return what a party says that it was instead; empty where it says nothing."""
    if stance["cause"]:
        return _named(stance)
    return plain(layer_text(stance["layer"])) if stance["layer"] else ""


def _note(note: Json, parties: PartyNames) -> str:
    at = plain(instant_text(note["starts_at"] or note["created_at"]))
    who = plain(parties.of(note["organization"]))
    text = "withdrawn" if note["withdrawn"] else plain(note["text"])
    return f"- {at} {plain(note['author'])}, {who}: {text}"


def _bullets(facts: Iterable[tuple[str, Any]]) -> Iterator[str]:
    for name, value in facts:
        if value is not None:
            yield f"- {name}: {plain(value)}"


def _part(title: str, lines: Iterable[str]) -> Iterator[bytes]:
    """Yield a part with a heading; nothing where it has no lines."""
    found = list(lines)
    if found:
        yield _lines(f"## {title}", "", *found, "")


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    if rows:
        yield from _heads(columns)
        yield from map(_row, rows)


def _heads(columns: Sequence[str]) -> Iterator[str]:
    yield _row(columns)
    yield "|" + " --- |" * len(columns)


def _row(cells: Iterable[Any]) -> str:
    return "| " + " | ".join(plain(each) for each in cells) + " |"


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def plain(value: Any) -> str:
    """Return a text that Markdown shows as it is, on one line; nothing for None."""
    if value is None:
        return ""
    text = MARKUP.sub(r"\\\1", BREAKS.sub(" ", str(value)).strip())
    return NUMBERED.sub(r"\1\\\2", text)


MARKDOWN = ExportFormat(
    name="md",
    label="Markdown",
    order=4,
    media_type="text/markdown; charset=utf-8",
    is_text=True,
    one=_one,
    many=_many,
)
