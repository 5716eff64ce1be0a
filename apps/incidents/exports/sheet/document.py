"""A document of the export → one page of everything that its reader may read."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from apps.incidents.exports.blamed_parts import blamed
from apps.incidents.exports.export_format import Header, IncidentDocument, Json
from apps.incidents.exports.printing.page import as_page
from apps.incidents.exports.sheet.charts import draw_charts
from apps.incidents.exports.sheet.evidence_text import (
    cause_name,
    coverage_text,
    hypothesis_text,
    missing_text,
    shared_text,
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
    story = document.timeline[:most_moments]
    values = {
        **_frame(header),
        "title": str(incident["title"]),
        "incident": incident,
        "facts": [(name, value) for name, value in _facts(incident) if value],
        "hidden": [HIDDEN.get(each, each) for each in incident["hidden"]],
        "actions": [_action(each) for each in incident["actions"]],
        "timeline": draw_timeline(moments=story, broke_at=read_instant(incident["started_at"])),
        "moments": [_moment(number, each) for number, each in enumerate(story, 1)],
        "left_out_count": len(document.timeline) - len(story),
        "charts": draw_charts(document_charts=document.charts, incident=incident),
        "hypotheses": [hypothesis_text(each) for each in document.hypotheses],
        "missing": [missing_text(each) for each in document.missing],
        "coverage": [coverage_text(each) for each in incident["coverage"]],
        "stances": [_stance(each) for each in incident["verdict"]["stances"]],
        "hands": [_hand(each) for each in incident["work"]["hands"]],
        "steps": list(_steps(document)),
        "sessions": document.shared_sessions,
        "annotations": [_annotation(each) for each in document.annotations],
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
            "layer": each["layer"],
            "cause": cause_name(each["cause"]),
            "certainty": certainty(each),
            "holder": each["work"]["holder"] or "",
            "is_simulated": each["simulated"],
        }
        for each in incidents
    ]
    title = f"Incidents of {header.organization}"
    values = {**_frame(header), "title": title, "rows": rows, "is_cut": is_cut}
    return as_page(templates=TEMPLATES, name="incidents.html", values=values)


# What a reader may not see, as the export names it → in words.
HIDDEN: Final = {
    "culprits": "which part is blamed",
    "restart.exclude_hosts": "which hosts to leave out",
    "actions.hosts": "which hosts the actions are about",
    "session": "the session",
    "first_stopper": "which ranks stopped first",
    "coverage.missing_hosts": "which hosts sent nothing",
}


def certainty(incident: Json) -> str:
    """Return how sure the verdict is; nothing is sure of an unknown one."""
    if incident["verdict_status"] not in {"likely", "possible"}:
        return str(incident["verdict_status"])
    return f"{incident['verdict_status']}, {incident['probability']:.0%}"


def _frame(header: Header) -> dict[str, str]:
    return {
        "schema": header.schema,
        "reader": header.organization,
        "exported_at": f"{instant_text(header.exported_at.replace(microsecond=0))} UTC",
    }


def _facts(incident: Json) -> Iterator[tuple[str, str]]:
    yield "Status", str(incident["status"])
    yield "Broke at", _utc(incident["started_at"])
    yield "Found at", _utc(incident["detected_at"])
    yield "Resolved at", _utc(incident["resolved_at"])
    yield "Session", str(incident["session"] or "")
    yield "Cluster", str(incident["cluster"] or "")
    yield "Layer", str(incident["layer"])
    yield "Cause", cause_name(incident["cause"])
    yield "Certainty", certainty(incident)
    yield "Blamed", blamed(incident["culprits"])
    yield "Verdict", str(incident["verdict"]["state"])
    yield "In the hands of", str(incident["work"]["holder"] or "")
    parties = (f"{each['name']} ({', '.join(each['parts'])})" for each in incident["parties"])
    yield "Parties", "; ".join(parties)


def _utc(told: Any) -> str:
    text = instant_text(told)
    return f"{text} UTC" if text else ""


def _action(action: Json) -> dict[str, str]:
    return {
        "owner": action["owner"],
        "text": action["text"],
        "hosts": ", ".join(action.get("hosts") or ()),
        "state": "" if action["state"] == "open" else f"{action['state']} by {action['by']}",
    }


def _moment(number: int, told: Json) -> dict[str, Any]:
    at = instant_text(told["at"])
    error = told["clock_error_seconds"]
    return {
        "number": number,
        "at": at or "no time told",
        "error": f"± {error:g} s" if at and error else "",
        "lane": told["lane"],
        "role": told["role"],
        "title": told["title"],
        "organization": told["organization"] or "",
        "shared": shared_text(told["shared"]),
    }


def _stance(each: Json) -> dict[str, str]:
    instead = [each["layer"], cause_name(each["cause"]) if each["cause"] else ""]
    return {
        "organization": each["organization"],
        "stance": each["stance"] + (", of an earlier verdict" if each["of_earlier"] else ""),
        "instead": ", ".join(filter(None, instead)),
        "at": instant_text(each["at"]),
    }


def _hand(each: Json) -> dict[str, str]:
    since, until = read_instant(each["since"]), read_instant(each["until"])
    lasted = span_text((until - since).total_seconds()) if since and until else "still"
    return {
        "organization": each["organization"],
        "since": instant_text(since),
        "until": instant_text(until) or "now",
        "lasted": lasted,
    }


def _steps(document: IncidentDocument) -> Iterator[dict[str, str]]:
    found = (("hand-over", document.hand_overs), ("resolution", document.resolutions))
    for kind, items in found:
        for item in items:
            for step in item["steps"]:
                words = filter(None, (step["reason"], step["text"]))
                yield {
                    "kind": f"{kind} {item['id']}",
                    "at": instant_text(step["at"]),
                    "organization": step["organization"],
                    "state": step["state"],
                    "text": ": ".join(words),
                }


def _annotation(note: Json) -> dict[str, str]:
    return {
        "at": instant_text(note["starts_at"] or note["created_at"]),
        "who": f"{note['author']}, {note['organization']}",
        "text": "withdrawn" if note["withdrawn"] else note["text"],
    }
