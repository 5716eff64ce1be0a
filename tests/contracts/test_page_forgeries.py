"""Forms that another site has a member's browser send: refused on every page, and nothing is done.

The forms of nodes, reports and ratings are tried with what their pages hold, too: so they work.
"""

import re

import pytest
from django.test import Client

from apps.fleet.models import ClusterChange, NodeExclusion
from apps.reliability.models import GpuPrice, Report, ReportSchedule
from apps.telemetry.models import StorageRating
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of
from tests.contracts.route_matrix import FOLDERS, inside

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
# What the providers of an organization's sign-in send comes from their site.
FROM_ELSEWHERE = ("/saml/",)


def browser_of(organization: Organization) -> Client:
    """Return the browser of an admin; it looks at tokens of forms as in a real portal."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(
        make.user(organization=organization, role=MemberRole.ADMIN),
        backend="django.contrib.auth.backends.ModelBackend",
    )
    return client


@pytest.mark.django_db
def test_no_page_takes_a_form_of_another_site(cast: Cast) -> None:
    client, ids = browser_of(cast.operator), dict.fromkeys(FOLDERS, "absent")
    paths = [route.path(cast.operator.slug, ids) for route in inside() if route.is_page]
    taken = {
        path: answer.status_code
        for path in paths
        if not any(each in path for each in FROM_ELSEWHERE)
        if (answer := client.post(path, {"reason": "x"})).status_code != 403
    }
    assert len(paths) > 90
    assert taken == {}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("page", "form", "sent", "made"),
    [
        ("nodes/{c}/gpu001/", "nodes/{c}/gpu001/exclude/", {"reason": "burnt"}, NodeExclusion),
        (
            "changes/{c}/",
            "changes/{c}/tell/",
            {"kind": "deploy", "title": "burnt", "key": "k", "at": "2026-11-16T00:00"},
            ClusterChange,
        ),
        (
            "reports/",
            "reports/issue/",
            {"audience": "own", "first_day": "2026-11-16", "last_day": "2026-11-22"},
            Report,
        ),
        (
            "clusters/{c}/storage-path/?view=ratings",
            "clusters/{c}/storage-path/ratings/",
            {"kind": "save", "value": "250", "valid_from": ""},
            StorageRating,
        ),
    ],
    ids=["a node", "a change", "a report", "a rating"],
)
def test_a_form_works_with_the_token_of_its_page_alone(
    cast: Cast, page: str, form: str, sent: dict[str, str], made: type
) -> None:
    attempt_of(cast, cast.tenant, hosts=["gpu001"])
    client = browser_of(cast.operator)
    root, slug = f"/o/{cast.operator.slug}/", cast.cluster.slug
    shown = client.get(root + page.format(c=slug)).content.decode()
    found = TOKEN.search(shown)
    assert found, page
    refused = client.post(root + form.format(c=slug), sent)
    assert refused.status_code == 403
    assert count(cast.operator, made) == 0
    client.post(root + form.format(c=slug), {**sent, "csrfmiddlewaretoken": found[1]})
    assert count(cast.operator, made) == 1


def count(who: Organization, made: type) -> int:
    """Return how many rows an organization has."""
    with organization_scope(who.pk):
        found: int = made.objects.filter(organization=who).count()  # type: ignore[attr-defined]  # a model
        return found


@pytest.mark.django_db
def test_no_schedule_and_no_price_is_set_from_another_site(cast: Cast) -> None:
    client, root = browser_of(cast.operator), f"/o/{cast.operator.slug}/"
    for form in ("report-schedules/", "settings/costs/"):
        assert client.post(root + form, {"rhythm": "weekly", "audience": "own"}).status_code == 403
    assert [count(cast.operator, each) for each in (ReportSchedule, GpuPrice)] == [0, 0]
