"""What could not be read is shown to who sent it, with the reason, on pages and over REST."""

from datetime import UTC, datetime

import pytest

from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts import undiagnosed
from apps.incidents.models import Incident
from apps.incidents.projection.incident_view import DIAGNOSIS
from apps.telemetry.logs.set_aside import set_aside
from apps.telemetry.models import Batch
from apps.tenancy.models import FailedWork, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.clients import member
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.upload.uploads import plain

REASON = "took longer than 5 s of processor time to read"
NOW = datetime(2026, 11, 21, 2, tzinfo=UTC)


@pytest.fixture
def batch(cast: Cast, browser: Browser) -> Batch:
    """Return a body of the tenant that was set aside."""
    browser(cast.tenant).post(f"/o/{cast.tenant.slug}/upload/", {"files": [plain()]})
    with organization_scope(cast.tenant.pk):
        found = Batch.objects.for_organization(cast.tenant).get()
        set_aside(organization_id=cast.tenant.pk, batch_id=found.pk, reason=REASON, now=NOW)
    return found


def page(browser: Browser, organization: Organization, path: str) -> str:
    return str(browser(organization).get(f"/o/{organization.slug}/{path}").content.decode())


def test_pages_say_which_body_could_not_be_read_and_why(
    cast: Cast, browser: Browser, batch: Batch
) -> None:
    for path in ("sources/", f"upload/{batch.public_id}/"):
        text = page(browser, cast.tenant, path)
        assert REASON in text
        assert batch.public_id in text


def test_others_see_nothing_of_it(cast: Cast, browser: Browser, batch: Batch) -> None:
    text = page(browser, cast.operator, "sources/")
    assert REASON not in text
    assert batch.public_id not in text
    assert member(cast.operator).get("batches/set-aside/").json()["results"] == []


def test_rest_lists_it_with_the_reason_and_none_of_its_text(cast: Cast, batch: Batch) -> None:
    (told,) = member(cast.tenant).get("batches/set-aside/").json()["results"]
    assert (told["id"], told["reason"], told["line_count"]) == (batch.public_id, REASON, 2)
    assert "first line" not in str(told)


def test_an_incident_says_that_its_diagnosis_failed_how_often_and_since_when(
    cast: Cast, browser: Browser, incident: Incident
) -> None:
    path = f"incidents/{incident.public_id}/"
    assert "diagnosis failed" not in page(browser, cast.tenant, path)
    with organization_scope(cast.tenant.pk):
        assert incident.attempt_id is not None
        Attempt.objects.filter(pk=incident.attempt_id).update(undiagnosed_at=NOW)
        FailedWork.objects.create(
            organization=cast.tenant,
            kind=DIAGNOSIS,
            subject=str(incident.attempt_id),
            attempt_count=4,
            began_at=NOW,
            tried_at=NOW,
            set_aside_at=NOW,
            edition="",
        )

    own = page(browser, cast.tenant, path)
    assert "The diagnosis failed 4 times, since 21 Nov 2026 02:00 UTC." in own
    assert "the operator of the portal" in own
    others = page(browser, cast.operator, path)
    assert "The diagnosis has been failing since 21 Nov 2026 02:00 UTC." in others

    undiagnosed.clear(owner_id=cast.tenant.pk, attempt_id=incident.attempt_id or 0)
    assert "diagnosis failed" not in page(browser, cast.tenant, path)
