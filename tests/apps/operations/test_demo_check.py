"""`make demo-check`: verdicts decide, times are told beside them."""

import io
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import pytest
from django.core.management import CommandError, call_command

from apps.operations.demo_pages import PartyPages
from apps.operations.demo_story import StoryPiece
from apps.operations.demo_verdicts import ScenarioCheck
from apps.operations.management.commands import demo_check
from tests.cast import make

TRUTH: Mapping[str, Any] = {
    "scenario": "gpu-lost",
    "organization": "northwind",
    "session": "solar-1",
    "attempt": 1,
    "layer": "gpu",
    "cause": "gpu-off-bus",
    "culprits": [],
    "expect": {"incident": True, "status": "likely", "visible_to": []},
    "live": True,
}


LOST: Final = StoryPiece(name="lemon", party="aurora", path="/o/aurora/nodes/m/gpu021/")
DEMO: Final[dict[str, Any]] = {
    "base_url": "http://127.0.0.1:9",
    "organizations": [
        {"slug": slug, "participations": parts, "user": slug, "password": "none", "token": "none"}
        for slug, parts in (("aurora", ["operator"]), ("northwind", ["tenant"]))
    ],
}


def _checked(
    monkeypatch: pytest.MonkeyPatch,
    *,
    differences: list[str],
    page: str = f'<a href="{LOST.path}">',
) -> str:
    """Run the check on a demo whose only incident came an hour after its last evidence."""
    now = make.AT
    long_ago = (now - timedelta(hours=1)).isoformat()
    truth = {**TRUTH, "newest_evidence_at": long_ago}

    def look(watch: demo_check.Watch, **_: object) -> None:
        watch.truths, watch.found_there = [truth], set()
        watch.first_seen = {"gpu-lost": now}
        finding = ScenarioCheck(
            scenario="gpu-lost", expected="gpu", seen="gpu", differences=differences
        )
        watch.findings = [finding]

    monkeypatch.setattr(demo_check, "_read_demo", lambda path: DEMO | {"ready_at": long_ago})
    monkeypatch.setattr(demo_check, "_session_ids", lambda demo, slug: {})
    monkeypatch.setattr(demo_check, "story_pieces", lambda **_: [LOST])
    monkeypatch.setattr(PartyPages, "sign_in", lambda reader, **_: None)
    monkeypatch.setattr(PartyPages, "read", lambda reader, path: page)
    monkeypatch.setattr(demo_check, "_look", look)
    monkeypatch.setattr(demo_check, "PATIENCE_SECONDS", 0.1)
    out = io.StringIO()
    call_command("demo_check", stdout=out)
    return out.getvalue()


def test_a_late_incident_is_told_and_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _checked(monkeypatch, differences=[])
    assert "the live incident came after 3600.0 s (on a quiet machine: within 5 s)" in said
    assert "every verdict, culprit and view is as the ledger says" in said
    assert "ok  lemon                       aurora     in 1 click(s) from Home" in said


def test_a_piece_of_the_story_that_home_does_not_lead_to_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(CommandError, match="lemon: aurora does not find /o/aurora/nodes/m/gpu021/"):
        _checked(monkeypatch, differences=[], page="<p>nothing</p>")


def test_a_wrong_verdict_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="gpu-lost: layer network instead of gpu"):
        _checked(monkeypatch, differences=["layer network instead of gpu"])
