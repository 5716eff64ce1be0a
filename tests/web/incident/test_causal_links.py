"""Arcs on the page of an incident: only where the stored diagnosis says so, of what one reads."""

from datetime import timedelta
from typing import Any

import pytest

from apps.incidents.models import EvidenceItem, Incident
from apps.incidents.timeline import append
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of, telling
from tests.cast.make import text_fact
from tests.cast.stopped_session import stopped_by_a_gpu
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page

pytestmark = pytest.mark.django_db
RULE = "GPU lost on PCIe: OPERATOR-RULE (+6.5)"
ARC = '<g class="arc"'


def tell(cast: Cast, incident: Incident, **more: Any) -> None:
    """Add a moment of the operator's, on clocks that are right."""
    with organization_scope(*cast.ids):
        told = telling(cast.operator, more.pop("title"), clock_error_seconds=0.0, **more)
        append(incident=incident, tellings=[told], now=make.AT)


def weigh(cast: Cast, incident: Incident, reference: str, weight: float, text: str) -> None:
    """Add evidence of the operator's for the leading explanation."""
    with organization_scope(*cast.ids):
        EvidenceItem.objects.create(
            organization=cast.operator,
            incident=incident,
            cause="gpu/gpu-off-bus",
            side="for",
            position=EvidenceItem.objects.count(),
            weight=weight,
            layer="gpu",
            statement=text_fact(text),
            text=text,
            at=make.AT,
            reference=reference,
        )


def explained(cast: Cast, *, seconds: int = 30, **header: Any) -> Incident:
    """Return a stop whose deciding line explains another one, some seconds later."""
    incident = stop_of(cast, attempt_of(cast, cast.tenant), **header)
    tell(cast, incident, title="DECIDES", detail={"reference": "event:1"})
    at = make.AT + timedelta(seconds=seconds)
    tell(cast, incident, title="EXPLAINED", at=at, detail={"reference": "event:2"})
    weigh(cast, incident, "event:1", 8.0, "OPERATOR-DECIDES")
    weigh(cast, incident, "event:2", 6.5, "OPERATOR-RULE")
    return incident


def shown(browser: Browser, who: Organization, incident: Incident, query: str = "") -> str:
    return page(browser(who), who, incident, query)


def test_evidence_is_joined_with_what_decides_and_says_its_rule(
    cast: Cast, browser: Browser
) -> None:
    text = shown(browser, cast.operator, explained(cast))
    assert text.count(ARC) == 1
    assert f'aria-label="{RULE}"' in text
    assert "arc-line is-open" not in text


def test_another_party_reads_neither_the_arc_nor_its_rule(cast: Cast, browser: Browser) -> None:
    text = shown(browser, cast.tenant, explained(cast))
    assert ARC not in text
    assert "OPERATOR-RULE" not in text


def test_what_stands_before_it_has_an_arc_that_claims_no_order(
    cast: Cast, browser: Browser
) -> None:
    text = shown(browser, cast.operator, explained(cast, seconds=-60))
    assert text.count(ARC) == 1
    assert "arc-line is-open" in text


def test_without_a_verdict_nothing_explains_anything(cast: Cast, browser: Browser) -> None:
    incident = explained(cast, verdict_status="unknown", layer="unknown", cause="unknown")
    text = shown(browser, cast.operator, incident)
    assert "EXPLAINED" in text
    assert ARC not in text


def test_the_list_says_the_same_in_words(cast: Cast, browser: Browser) -> None:
    text = shown(browser, cast.operator, explained(cast), "?group=list&all=1")
    assert f"explained by the deciding entry: {RULE}" in text


def test_what_only_follows_is_joined_by_the_rule_of_its_signature(
    cast: Cast, browser: Browser
) -> None:
    incident = explained(cast)
    at = make.AT + timedelta(minutes=5)
    detail = {"signature": "pg-watchdog-timeout"}
    tell(cast, incident, title="FOLLOWS", role="cascade", at=at, detail=detail)
    earlier = make.AT - timedelta(minutes=5)
    tell(cast, incident, title="BEFORE", role="cascade", at=earlier, detail=detail)
    text = shown(browser, cast.operator, incident)
    assert text.count(ARC) == 2
    assert "rule pg-watchdog-timeout: follows from a failure, is never its cause" in text


def test_a_possible_cause_explains_its_evidence_and_not_what_follows(
    cast: Cast, browser: Browser
) -> None:
    incident = explained(cast, verdict_status="possible")
    at = make.AT + timedelta(minutes=5)
    tell(cast, incident, title="FOLLOWS", role="cascade", at=at, detail={"signature": "x"})
    assert shown(browser, cast.operator, incident).count(ARC) == 1


def test_a_tenant_who_holds_no_cause_sees_what_follows_without_an_order(browser: Browser) -> None:
    story = stopped_by_a_gpu()
    incident = story.incident()
    text = shown(browser, story.people.tenant, incident)
    assert "is never its cause" in text
    assert "arc-line is-open" in text
    assert "is never its cause" not in shown(browser, story.people.operator, incident)
