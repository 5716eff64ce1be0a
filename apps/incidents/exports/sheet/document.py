"""A document of the export → one page of everything that its reader may read."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from apps.incidents.exports.export_format import Header, IncidentDocument, Json
from apps.incidents.exports.plain_words import (
    PartyNames,
    blamed_text,
    cause_text,
    certainty_text,
    hidden_texts,
    lane_text,
    layer_text,
    parties_text,
    place_text,
    role_text,
    spaced,
    verdict_text,
)
from apps.incidents.exports.printing.page import as_page
from apps.incidents.exports.sheet.charts import draw_charts
from apps.incidents.exports.sheet.evidence_text import (
    change_text,
    coverage_text,
    hypothesis_text,
    missing_text,
    session_text,
)
from apps.incidents.exports.sheet.instants import instant_text, read_instant, span_text
from apps.incidents.exports.sheet.timeline import draw_timeline

TEMPLATES: Final = Path(__file__).with_name("templates")
EVERYTHING: Final = 1_000_000


def incident_page(
    header: Header, document: IncidentDocument, *, most_moments: int = EVERYTHING
) -> str:
    """Return the page of one incident; of a long story no more moments than are asked for."""
    incident = document.incident
    parties = PartyNames(incident)
    story = document.timeline[:most_moments]
    values = {
        **_frame(header, parties.of(header.organization)),
        "title": str(incident["title"]),
        "incident": incident,
        "facts": [(name, value) for name, value in _facts(incident, parties) if value],
        "hidden": hidden_texts(incident),
        "actions": [_action(each, parties) for each in incident["actions"]],
        "timeline": draw_timeline(moments=story, broke_at=read_instant(incident["started_at"])),
        "moments": [_moment(number, each, parties) for number, each in enumerate(story, 1)],
        "left_out_count": len(document.timeline) - len(story),
        "charts": draw_charts(document_charts=document.charts, incident=incident),
        "hypotheses": [hypothesis_text(each, parties) for each in document.hypotheses],
        "missing": [missing_text(each) for each in document.missing],
        "coverage": [coverage_text(each) for each in incident["coverage"]],
        "verdict_text": verdict_text(incident["verdict"]["state"]),
        "stances": [_stance(each, parties) for each in incident["verdict"]["stances"]],
        "hands": [_hand(each, parties) for each in incident["work"]["hands"]],
        "steps": list(_steps(document, parties)),
        "sessions": [session_text(each, parties) for each in document.shared_sessions],
        "changes": [change_text(each, parties) for each in document.changes],
        "annotations": [_annotation(each, parties) for each in document.annotations],
    }
    return as_page(templates=TEMPLATES, name="incident.html", values=values)


def incidents_page(header: Header, incidents: Iterable[Json], *, is_cut: bool = False) -> str:
    """Return the page of a list of incidents."""
    rows = [
        {
            "id": each["id"],
            "url": each["url"],
            "title": each["title"],
            "at": instant_text(each["started_at"] or each["detected_at"]),
            "status": each["status"],
            "layer": layer_text(each["layer"]),
            "cause": cause_text(each["cause"]),
            "certainty": certainty_text(each),
            "holder": PartyNames(each).of(each["work"]["holder"]),
            "is_simulated": each["simulated"],
        }
        for each in incidents
    ]
    title = f"Incidents of {header.organization}"
    values = {**_frame(header, header.organization), "title": title, "rows": rows, "is_cut": is_cut}
    return as_page(templates=TEMPLATES, name="incidents.html", values=values)


def _frame(header: Header, reader: str) -> dict[str, str]:
    return {
        "schema": header.schema,
        "reader": reader,
        "exported_at": f"{instant_text(header.exported_at.replace(microsecond=0))} UTC",
    }


def _facts(incident: Json, parties: PartyNames) -> Iterator[tuple[str, str]]:
    yield "Status", str(incident["status"])
    yield "Broke at", _utc(incident["started_at"])
    yield "Found at", _utc(incident["detected_at"])
    yield "Resolved at", _utc(incident["resolved_at"])
    yield "Session", str(incident["session"] or "")
    yield "Cluster", str(incident["cluster"] or "")
    yield "Layer", layer_text(incident["layer"])
    yield "Cause", cause_text(incident["cause"])
    yield "Certainty", certainty_text(incident)
    yield "Blamed", blamed_text(incident["culprits"])
    yield "Verdict", verdict_text(incident["verdict"]["state"])
    yield "In the hands of", parties.of(incident["work"]["holder"])
    yield "Parties", parties_text(incident)


def _utc(told: Any) -> str:
    text = instant_text(told)
    return f"{text} UTC" if text else ""


def _action(action: Json, parties: PartyNames) -> dict[str, str]:
    state = f"{spaced(action['state'])} by {parties.of(action['by'])}"
    return {
        "owner": role_text(action["owner"]),
        "text": action["text"],
        "hosts": ", ".join(action.get("hosts") or ()),
        "state": "" if action["state"] == "open" else state,
    }


def _moment(number: int, told: Json, parties: PartyNames) -> dict[str, Any]:
    at = instant_text(told["at"])
    error = told["clock_error_seconds"]
    return {
        "number": number,
        "at": at or "no time told",
        "error": f"± {error:g} s" if at and error else "",
        "lane": lane_text(told["lane"]),
        "role": told["role"],
        "title": told["title"],
        "place": place_text(told),
        "organization": parties.of(told["organization"]),
        "shared": parties.shared(told["shared"], beside=told["organization"]),
    }


def _stance(each: Json, parties: PartyNames) -> dict[str, str]:
    instead = [
        layer_text(each["layer"]) if each["layer"] else "",
        cause_text(each["cause"]) if each["cause"] else "",
    ]
    about = ", of an earlier verdict" if each["of_earlier"] else ""
    return {
        "organization": parties.of(each["organization"]),
        "stance": f"{spaced(each['stance'])}{about}",
        "instead": ", ".join(filter(None, instead)),
        "at": instant_text(each["at"]),
    }


def _hand(each: Json, parties: PartyNames) -> dict[str, str]:
    since, until = read_instant(each["since"]), read_instant(each["until"])
    lasted = span_text((until - since).total_seconds()) if since and until else "still"
    return {
        "organization": parties.of(each["organization"]),
        "since": instant_text(since),
        "until": instant_text(until) or "now",
        "lasted": lasted,
    }


def _steps(document: IncidentDocument, parties: PartyNames) -> Iterator[dict[str, str]]:
    found = (("hand-over", document.hand_overs), ("resolution", document.resolutions))
    for kind, items in found:
        for item in items:
            for step in item["steps"]:
                words = filter(None, (spaced(step["reason"]), step["text"]))
                yield {
                    "kind": f"{kind} {item['id']}",
                    "at": instant_text(step["at"]),
                    "organization": parties.of(step["organization"]),
                    "state": spaced(step["state"]),
                    "text": ": ".join(words),
                }


def _annotation(note: Json, parties: PartyNames) -> dict[str, str]:
    return {
        "at": instant_text(note["starts_at"] or note["created_at"]),
        "who": f"{note['author']}, {parties.of(note['organization'])}",
        "text": "withdrawn" if note["withdrawn"] else note["text"],
    }
