"""`make demo-check`: verdicts decide, times are told beside them."""

import io
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

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


def _checked(monkeypatch: pytest.MonkeyPatch, *, differences: list[str]) -> str:
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

    monkeypatch.setattr(demo_check, "_read_demo", lambda path: {"ready_at": long_ago})
    monkeypatch.setattr(demo_check, "_look", look)
    monkeypatch.setattr(demo_check, "PATIENCE_SECONDS", 0.1)
    out = io.StringIO()
    call_command("demo_check", stdout=out)
    return out.getvalue()


def test_a_late_incident_is_told_and_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _checked(monkeypatch, differences=[])
    assert "the live incident came after 3600.0 s (on a quiet machine: within 5 s)" in said
    assert "every verdict, culprit and view is as the ledger says" in said


def test_a_wrong_verdict_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CommandError, match="gpu-lost: layer network instead of gpu"):
        _checked(monkeypatch, differences=["layer network instead of gpu"])
