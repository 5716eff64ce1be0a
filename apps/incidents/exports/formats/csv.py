"""CSV after RFC 4180, harmless when a spreadsheet opens it: no cell of text is ever a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from apps.incidents.exports.blamed_parts import blamed
from apps.incidents.exports.export_format import ExportFormat, Header, IncidentDocument, Json

# What spreadsheets take for the start of a formula; then = + - @ in their full-width forms.
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
INCIDENTS = (
    *("schema", "id", "title", "status", "kind", "simulated", "started_at", "detected_at"),
    *("resolved_at", "owner", "cluster", "session", "attempt", "layer", "cause", "verdict_status"),
    *("probability", "cause_probability", "culprits", "restart", "exclude_hosts", "parties"),
    *("hidden", "url", "restart_text", "holder", "held_since", "verdict_state", "dissent"),
)
STORY = (
    *("schema", "incident", "section", "at", "ends_at", "lane", "layer", "kind", "organization"),
    *("name", "text", "probability", "weight", "source", "line", "hosts"),
)


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    return csv_table(STORY, story_rows(header, document))


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    return csv_table(INCIDENTS, summary_rows(header, incidents))


def story_rows(header: Header, document: IncidentDocument) -> Iterator[Json]:
    """Yield the rows of one incident, their cells as REST has them."""
    for row in _story(document):
        yield {"schema": header.schema, "incident": document.incident["id"], **row}


def summary_rows(header: Header, incidents: Iterator[Json]) -> Iterator[Json]:
    """Yield a row for each incident, its cells as REST has them."""
    for each in incidents:
        yield {"schema": header.schema, **_summary(each)}


def _summary(incident: Json) -> dict[str, Any]:
    restart = incident["restart"]
    return dict(incident) | {
        "culprits": blamed(incident["culprits"]),
        "restart": restart["advice"],
        "exclude_hosts": _joined(restart["exclude_hosts"]),
        "restart_text": restart["text"],
        "parties": _joined(each["slug"] for each in incident["parties"]),
        "hidden": _joined(incident["hidden"]),
        "holder": incident["work"]["holder"],
        "held_since": incident["work"]["held_since"],
        "verdict_state": incident["verdict"]["state"],
        "dissent": _joined(_dissent(incident["verdict"]["stances"])),
    }


def _story(document: IncidentDocument) -> Iterator[dict[str, Any]]:
    yield _headline(document.incident)
    yield from _standing(document)
    yield from (_session(each) for each in document.shared_sessions)
    yield from (_change(each) for each in document.changes)
    for hypothesis in document.hypotheses:
        yield from _explanation(hypothesis)
    for each in document.missing:
        told = {"source": each["source"], "text": each["would"], "hosts": _joined(each["hosts"])}
        yield {"section": "missing", "organization": each["held_by"], **told}
    for entry in document.timeline:
        columns = ("at", "ends_at", "lane", "kind", "organization")
        shown = {name: entry[name] for name in columns}
        told = {"text": entry["title"], "hosts": entry["host"]}
        yield {"section": "timeline", **told, **shown}
    for note in document.annotations:
        shown = {name: note[name] for name in ("lane", "organization", "text")}
        shown |= {"at": note["starts_at"] or note["created_at"], "ends_at": note["ends_at"]}
        yield {"section": "annotation", "name": note["author"], "kind": _kind(note), **shown}


def _kind(note: Json) -> str:
    if note["withdrawn"]:
        return "withdrawn"
    return f"reply to {note['answers']}" if note["answers"] else ""


def _standing(document: IncidentDocument) -> Iterator[dict[str, Any]]:
    """Yield what the parties say of the verdict, in whose hands it was, and how it went round."""
    verdict = document.incident["verdict"]
    yield {"section": "verdict", "kind": verdict["state"], "ends_at": verdict["reply_until"]}
    for each in verdict["stances"]:
        shown = {name: each[name] for name in ("at", "organization", "layer")}
        yield {"section": "stance", "kind": each["stance"], "name": each["cause"], **shown}
    for each in document.incident["work"]["hands"]:
        shown = {"at": each["since"], "ends_at": each["until"]}
        yield {"section": "hands", "organization": each["organization"], **shown}
    for section, found in (
        ("hand-over", document.hand_overs),
        ("resolution", document.resolutions),
    ):
        for item in found:
            for step in item["steps"]:
                shown = {name: step[name] for name in ("at", "organization", "text")}
                told = {"kind": step["state"], "name": step["reason"], "source": item["id"]}
                yield {"section": section, **told, **shown}
    for each in document.incident["actions"]:
        told = {"kind": each["state"], "organization": each["by"], "name": each["reason"]}
        yield {"section": "action", "text": each["text"], **told}


def _dissent(stances: Iterable[Json]) -> Iterator[str]:
    for each in stances:
        if each["stance"] == "contests" and not each["of_earlier"]:
            yield ": ".join(filter(None, (each["organization"], each["layer"], each["cause"])))


def _headline(incident: Json) -> dict[str, Any]:
    return {
        "section": "incident",
        "at": incident["started_at"],
        "layer": incident["layer"],
        "kind": incident["verdict_status"],
        "organization": incident["owner"],
        "name": incident["cause"],
        "text": incident["title"],
        "probability": incident["probability"],
        "hosts": blamed(incident["culprits"]),
    }


def _session(session: Json) -> dict[str, Any]:
    size = f"{session['host_count']} hosts"
    if session["rank_count"] is not None:
        size = f"{session['rank_count']} ranks on {size}"
    shown = {"at": session["started_at"], "ends_at": session["ended_at"]}
    told = {"kind": session["state"], "name": session["name"], "text": size}
    holder = session["shared"]["organization"]
    hosts = _joined(session["hosts"])
    return {"section": "session", "organization": holder, "hosts": hosts, **shown, **told}


def _change(change: Json) -> dict[str, Any]:
    versions = " → ".join(filter(None, (change["before"], change["after"])))
    text = ", ".join(filter(None, (change["title"], versions)))
    shown = {"at": change["starts_at"], "ends_at": change["ends_at"]}
    told = {name: change[name] for name in ("layer", "kind")}
    told |= {"organization": change["told_by"], "name": change["by"], "text": text}
    source = " ".join(filter(None, (change["reference"], change["url"])))
    hosts = _joined(change["hosts"])
    return {"section": "change", "hosts": hosts, "source": source, **shown, **told}


def _explanation(hypothesis: Json) -> Iterator[dict[str, Any]]:
    about = {"layer": hypothesis["layer"], "name": hypothesis["cause"]}
    yield {
        **about,
        "section": "hypothesis",
        "text": hypothesis["ruled_out_because"],
        "probability": hypothesis["probability"],
        "hosts": blamed(hypothesis["culprits"]),
    }
    for side in ("for", "against"):
        for item in hypothesis[side]:
            shown = {name: item[name] for name in ("at", "text", "weight", "source", "line")}
            told = {"kind": side, "hosts": item["host"]}
            yield {**about, "section": "evidence", **told, **shown}
    for held in hypothesis["held"]:
        shown = {name: held[name] for name in ("layer", "organization", "weight")}
        text = f"{held['count']} held by {held['organization']}"
        yield {**about, "section": "held", "kind": held["side"], "text": text, **shown}


def _joined(words: Iterable[str] | None) -> str:
    return "; ".join(words or ())


def csv_table(columns: Sequence[str], rows: Iterable[Json]) -> Iterator[bytes]:
    """Yield a header and rows, each cell harmless."""
    kept = io.StringIO(newline="")
    writer = csv.writer(kept, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([harmless(row.get(name)) for name in columns])
        yield _taken(kept)
    yield _taken(kept)


def _taken(kept: io.StringIO) -> bytes:
    written = kept.getvalue()
    kept.seek(0)
    kept.truncate()
    return written.encode()


def harmless(value: Any) -> Any:
    """Return a cell: numbers stay numbers, text that could start a formula gets an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    text = str(value).replace("\x00", "")
    is_formula = text.startswith(("\t", "\r", "\n")) or text.lstrip().startswith(STARTS)
    return f"'{text}" if is_formula else text


CSV = ExportFormat(
    name="csv",
    label="CSV",
    order=2,
    media_type="text/csv; charset=utf-8",
    is_text=True,
    one=_one,
    many=_many,
)
