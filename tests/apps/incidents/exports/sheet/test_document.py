"""The page of a list of incidents: whose turn each is."""

from typing import Any

from django.utils.html import strip_tags

from apps.incidents.exports.export_format import Header
from apps.incidents.exports.sheet.document import incidents_page
from tests.cast import make

HEADER = Header(schema="incidents", organization="aurora", exported_at=make.AT)


def _incident(name: str, holder: str | None) -> dict[str, Any]:
    return {
        "id": name,
        "url": f"https://portal.example/{name}",
        "title": f"Title of {name}",
        "started_at": None,
        "detected_at": "2026-03-10T05:44:00Z",
        "status": "open",
        "layer": "gpu",
        "cause": "gpu-off-bus",
        "verdict_status": "likely",
        "probability": 0.85,
        "work": {"holder": holder},
        "simulated": False,
    }


def test_a_list_says_with_whom_each_is_and_nothing_where_nobody_has_it() -> None:
    page = incidents_page(HEADER, [_incident("I-1", "borealis"), _incident("I-2", None)])
    held, free = (strip_tags(part) for part in page.split("<tr>")[2:4])
    assert held.split()[-1] == "borealis"
    assert "None" not in free
    assert free.split()[:2] == ["2026-03-10", "05:44:00"]
    assert "likely, 85%" in free
