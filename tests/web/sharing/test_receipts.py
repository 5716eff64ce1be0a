"""An agreement ends: nothing is shown from then on, and both sides keep the same receipt."""

import re
from typing import Any

import pytest
from django.utils import timezone

from apps.incidents.models import EvidenceItem, Incident
from apps.sharing.models import Agreement, LedgerEntry
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast.agreements import agreed
from tests.cast.clients import member
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line


@pytest.fixture
def agreement(cast: Cast) -> Agreement:
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    return agreed(
        cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator), now=now
    )


@pytest.fixture
def incident(cast: Cast, agreement: Agreement) -> Incident:
    return stop_of(cast, attempt_of(cast, cast.tenant))


def read_all(organization: Organization, incident: Incident) -> dict[str, str]:
    """Read an incident in every way that there is."""
    client = member(organization, MemberRole.RESPONDER).client
    inside = f"o/{organization.slug}/incidents/{incident.public_id}/"
    paths = (
        f"/{inside}",
        f"/{inside}annotations/changes/",
        f"/{inside}timeline/",
        f"/api/v1/{inside}hypotheses/",
        f"/api/v1/{inside}timeline/",
        f"/api/v1/{inside}export.json",
        f"/api/v1/{inside}export.csv",
    )
    found = {}
    for path in paths:
        answer: Any = client.get(path)
        assert answer.status_code == 200, path
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        found[path] = body.decode()
    return found


def end(cast: Cast, agreement: Agreement, browser: Browser) -> None:
    browser(cast.operator, MemberRole.ADMIN).post(
        f"/o/{cast.operator.slug}/sharing/agreements/{agreement.public_id}/end/",
        {"number": "1", "reason": "the contract ended"},
    )


def page(cast: Cast, organization: Organization, agreement: Agreement, browser: Browser) -> str:
    path = f"/o/{organization.slug}/sharing/agreements/{agreement.public_id}/"
    return one_line(browser(organization).get(path).content.decode())


def test_from_the_end_on_the_next_request_shows_nothing_in_any_way(
    cast: Cast, agreement: Agreement, incident: Incident, browser: Browser
) -> None:
    before = read_all(cast.tenant, incident)
    with organization_scope(cast.operator.pk):
        looks = LedgerEntry.objects.count()
    end(cast, agreement, browser)

    after = read_all(cast.tenant, incident)

    with organization_scope(cast.operator.pk):
        secret = incident_words(cast, incident)
        assert LedgerEntry.objects.count() == looks
    assert looks
    shown_before = [path for path, text in before.items() if secret in text]
    assert len(shown_before) >= 4
    assert [path for path, text in after.items() if secret in text] == []


def incident_words(cast: Cast, incident: Incident) -> str:
    """Return words that only the operator's evidence has."""
    row = EvidenceItem.objects.for_organization(cast.operator).filter(incident=incident).first()
    assert row is not None
    return str(row.statement["values"]["text"])


def test_both_sides_read_the_same_receipt(
    cast: Cast, agreement: Agreement, incident: Incident, browser: Browser
) -> None:
    read_all(cast.tenant, incident)
    assert "Receipt" not in page(cast, cast.tenant, agreement, browser)
    end(cast, agreement, browser)
    texts = [page(cast, side, agreement, browser) for side in (cast.operator, cast.tenant)]

    digests = {re.findall(r"\b[0-9a-f]{64}\b", text)[0] for text in texts}

    assert len(digests) == 1
    for text in texts:
        assert f"{cast.operator.name} ended it at" in text
        assert f"{cast.operator.name} had seen nothing by it." in text
        assert re.search(rf"{cast.tenant.name} had looked \d+ times, the last at", text)
        assert "one was an export" in text or "were exports" in text


def test_by_rest_it_counts_what_was_seen_and_nobody_else_reads_it(
    cast: Cast, agreement: Agreement, incident: Incident, browser: Browser
) -> None:
    path = f"agreements/{agreement.public_id}/receipts/"
    assert member(cast.tenant).get(path).json()["results"] == []
    read_all(cast.tenant, incident)
    end(cast, agreement, browser)

    (told,) = member(cast.tenant).get(path).json()["results"]
    (same,) = member(cast.operator).get(path).json()["results"]

    assert told == same
    assert (told["version"], told["ended_by"]) == (1, cast.operator.slug)
    assert told["reason"] == "the contract ended"
    seen = {each["reader"]: each for each in told["seen"]}
    assert seen[cast.operator.slug]["looks"] == 0
    assert seen[cast.tenant.slug]["looks"] >= 4
    assert seen[cast.tenant.slug]["exports"] == 1
    assert member(cast.vendor).get(path).status_code == 404
