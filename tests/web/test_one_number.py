"""How sure an answer is: one number and one word of it, wherever it is told."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import (
    Diagnosis,
    EndState,
    Hypothesis,
    Layer,
    Phase,
    Restart,
    Verdict,
    VerdictStatus,
)
from apps.incidents.correlation.incident_rows.hit_attempts import attach
from apps.incidents.correlation.incident_rows.incident_writer import rewrite
from apps.incidents.models import Incident
from apps.notifications.email.email_delivery import NEWS
from apps.notifications.occasions.incident_changes import look
from apps.offline.report.forms import as_text
from apps.tenancy.scope import organization_scope
from tests.apps.notifications.receiving import mail_server, person
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import Cast, attempt_of, conclusion, stop_of
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page
from tests.web.markup import one_line

LATER = make.AT + timedelta(minutes=10)
HEADER = {"verdict_status": "possible", "probability": 0.91, "cause_probability": 0.62}
OTHER = {"cause": "gpu-nvlink", "probability": 0.91, "cause_probability": 0.29, "held": []}


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop whose layer is sure but for want of more than NCCL's words, and two of its causes."""
    made = stop_of(cast, attempt_of(cast, cast.tenant), **HEADER)
    told = conclusion(cast, **HEADER)
    first = told.hypotheses[0] | {"probability": 0.91, "cause_probability": 0.62}
    told = replace(told, hypotheses=[first, first | OTHER])
    with organization_scope(*cast.ids):
        assert made.attempt is not None
        attach(incident=made, attempt=made.attempt, conclusion=told)
        rewrite(
            incident=made,
            attempt=made.attempt,
            conclusion=told,
            newest_evidence_at=None,
            now=LATER,
        )
    return made


def test_the_page_says_it_once(cast: Cast, incident: Incident, browser: Browser) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert re.findall(r'<p class="value">(0\.\d\d) <span class="unit">(\w+)', text) == [
        ("0.91", "possible")
    ]
    assert "nothing but NCCL&#x27;s general text speaks for it" in text
    assert '<span class="mono">gpu-off-bus</span> 0.62' in text
    cards = re.findall(r'<div class="odds"><b>([^<]*)</b><span class="caption">([^<]*)', text)
    assert cards == [("0.62", "possible"), ("0.29", "")]


def test_the_list_says_number_and_word(cast: Cast, incident: Incident, browser: Browser) -> None:
    text = one_line(browser(cast.tenant).get(f"/o/{cast.tenant.slug}/incidents/").content.decode())
    assert "<b>0.91</b><small>possible</small>" in text


def test_the_story_tells_both_numbers(cast: Cast, incident: Incident, browser: Browser) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident, "?group=list&all=1")
    assert "GPU (0.91), GPU lost on PCIe (0.62)" in text


def test_rest_webhooks_and_letters_tell_the_same(
    cast: Cast, incident: Incident, settings: Any
) -> None:
    asking = member(cast.tenant)
    sent = asking.get(f"incidents/{incident.public_id}/").json()
    assert (sent["probability"], sent["cause_probability"]) == (0.91, 0.62)
    person(cast.tenant, "ann")
    with mail_server(settings) as box:
        (notice, *_) = look(organization_id=cast.tenant.pk, now=LATER)
        NEWS.take_turn(clock=lambda: 0.0, now=lambda: LATER)
        (letter,) = box.letters
    told = notice.body["incident"]
    assert (told["probability"], told["cause_probability"]) == (0.91, 0.62)
    text = letter.get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "Verdict: possible (0.91)" in text
    assert "Cause: GPU lost on PCIe (0.62)" in text


def test_the_command_writes_the_same_numbers() -> None:
    explanation = Hypothesis(
        layer=Layer.GPU, cause="gpu-off-bus", probability=0.91, cause_probability=0.62
    )
    other = replace(explanation, cause="gpu-nvlink", cause_probability=0.29)
    assert {explanation.cause, other.cause} <= set(load_causes())
    diagnosis = Diagnosis(
        verdict=Verdict(
            status=VerdictStatus.POSSIBLE,
            layer=Layer.GPU,
            cause="gpu-off-bus",
            probability=0.91,
            cause_probability=0.62,
        ),
        end_state=EndState.FAILED,
        phase=Phase.ITERATE,
        restart=Restart(advice="fix-first"),
        hypotheses=(explanation, other),
    )
    text = as_text(diagnosis=diagnosis)
    assert "Possible: layer gpu (0.91), cause gpu-off-bus (0.62)." in text
    assert "gpu, gpu-nvlink (0.29)" in text
    assert "%" not in text
