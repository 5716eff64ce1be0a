"""Markdown for tickets and chats: what the page says, in its order. No text of it is markup."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from apps.incidents.exports.blamed_parts import blamed
from apps.incidents.exports.export_format import ExportFormat, Header, IncidentDocument, Json

# What means something anywhere, links that are made of bare addresses, and what begins a list.
MARKUP = re.compile(r"([\\`*_\[\]<>#|~&$@]|:(?=//)|(?<=www)\.|^[-+=])", re.IGNORECASE)
NUMBERED = re.compile(r"^(\d+)([.)])", re.ASCII)
BREAKS = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    incident = document.incident
    yield _lines(f"# {plain(incident['title'])}", "")
    yield _lines(*_bullets(_facts(incident)), "")
    yield from _part("What to do", _actions(incident))
    for number, each in enumerate(document.hypotheses, 1):
        share = f"{each['probability']:.0%}"
        yield from _part(
            f"Explanation {number}: {plain(each['layer'])}, {plain(each['cause'])} ({share})",
            _explanation(each),
        )
    missing = (
        f"- {plain(each['source'])}: {plain(each['would'])}"
        + (f" (held by {plain(each['held_by'])})" if each["held_by"] else "")
        for each in document.missing
    )
    yield from _part("What is missing", missing)
    moments = [
        (each["at"], each["lane"], each["title"], each["organization"])
        for each in document.timeline
    ]
    yield from _part("Timeline", _table(("Time", "Lane", "What happened", "Told by"), moments))
    yield from _part("Sessions", (_session(each) for each in document.shared_sessions))
    yield from _part("Verdict", _stances(incident["verdict"]))
    for name, found in (("Hand-overs", document.hand_overs), ("Resolutions", document.resolutions)):
        steps = [
            (step["at"], step["organization"], step["state"], step["reason"], step["text"])
            for each in found
            for step in each["steps"]
        ]
        yield from _part(name, _table(("Time", "By", "State", "Reason", "Text"), steps))
    yield from _part("Annotations", (_note(each) for each in document.annotations))
    told = f"{header.schema}, as {header.organization} reads it, {header.exported_at.isoformat()}"
    yield _lines(plain(told))


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    columns = ("Broke", "Incident", "Status", "Layer", "Cause", "Probability", "With")
    yield _lines(*_heads(columns))
    for each in incidents:
        cells = (
            each["started_at"] or each["detected_at"],
            f"{each['id']} {each['title']}",
            each["status"],
            each["layer"],
            each["cause"],
            f"{each['probability']:.2f}",
            each["work"]["holder"],
        )
        yield _lines(_row(cells))
    told = f"{header.schema}, as {header.organization} reads it, {header.exported_at.isoformat()}"
    yield _lines("", plain(told))


def _facts(incident: Json) -> Iterator[tuple[str, Any]]:
    yield "Incident", incident["id"]
    if incident["simulated"]:
        yield "Data", "simulated"
    yield "Status", incident["status"]
    yield "Broke at", incident["started_at"]
    yield "Session", incident["session"]
    yield "Cluster", incident["cluster"]
    yield "Layer", incident["layer"]
    yield "Cause", incident["cause"]
    yield "Certainty", f"{incident['verdict_status']}, {incident['probability']:.0%}"
    yield "Blamed", blamed(incident["culprits"]) or None
    yield "Restart", incident["restart"]["text"]
    yield "With", incident["work"]["holder"]
    yield "Hidden from this reader", "; ".join(incident["hidden"]) or None


def _actions(incident: Json) -> Iterator[str]:
    for each in incident["actions"]:
        hosts = f" ({plain(', '.join(each['hosts']))})" if each.get("hosts") else ""
        yield f"- {plain(each['owner'])}: {plain(each['text'])}{hosts}"


def _explanation(hypothesis: Json) -> Iterator[str]:
    if hypothesis["ruled_out_because"]:
        yield f"- ruled out: {plain(hypothesis['ruled_out_because'])}"
    for side in ("for", "against"):
        for item in hypothesis[side]:
            at = f"{plain(item['at'])} " if item["at"] else ""
            source = f" ({plain(item['source'])})" if item["source"] else ""
            yield f"- {side}: {at}{plain(item['text'])}{source}"
    for held in hypothesis["held"]:
        who = plain(held["organization"])
        yield f"- {plain(held['side'])}: {held['count']} held by {who}, not shown"


def _session(session: Json) -> str:
    name = plain(session["name"] or "a session")
    hosts = plain(", ".join(session["hosts"] or ()))
    state = plain(session["state"] or "state not told")
    return f"- {name}: {state}, {session['host_count']} hosts" + (f", {hosts}" if hosts else "")


def _stances(verdict: Json) -> Iterator[str]:
    yield f"- {plain(verdict['state'])}"
    for each in verdict["stances"]:
        other = ", ".join(filter(None, (each["layer"], each["cause"])))
        about = " of an earlier verdict" if each["of_earlier"] else ""
        yield f"- {plain(each['organization'])} {plain(each['stance'])}{about}" + (
            f": {plain(other)}" if other else ""
        )


def _note(note: Json) -> str:
    at, who = plain(note["starts_at"] or note["created_at"]), plain(note["organization"])
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
