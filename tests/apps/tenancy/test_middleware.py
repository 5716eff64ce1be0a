"""Pages run in the scope of the organization in their path, and what fails is undone."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.middleware import OrganizationMiddleware
from apps.tenancy.models import AuditEntry, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.scopes import current_scope


@pytest.fixture
def organization(db: None) -> Organization:
    """The organization in the path."""
    return make.organization()


def _request(path: str, user: User | AnonymousUser) -> HttpRequest:
    request = RequestFactory().get(path)
    request.user = user
    return request


def _deeds(organization: Organization) -> list[str]:
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization)
        return list(own.order_by("sequence").values_list("action", flat=True))


def test_a_page_runs_in_its_organizations_scope(organization: Organization) -> None:
    seen = []

    def page(request: HttpRequest) -> HttpResponse:
        seen.append(current_scope())
        return HttpResponse()

    user = make.user(organization=organization)
    answer = OrganizationMiddleware(page)(_request(f"/o/{organization.slug}/", user))

    assert seen == [str(organization.pk)]
    assert current_scope() == ""
    assert answer["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(("status", "kept"), [(200, ["done"]), (400, []), (500, [])])
def test_what_a_failed_page_wrote_is_undone(
    organization: Organization, status: int, kept: list[str]
) -> None:
    def page(request: HttpRequest) -> HttpResponse:
        record(organization_id=organization.pk, act=AuditAction(action="done"), now=make.AT)
        return HttpResponse(status=status)

    user = make.user(organization=organization)
    OrganizationMiddleware(page)(_request(f"/o/{organization.slug}/", user))

    assert _deeds(organization) == kept


def test_a_refusal_is_recorded_where_the_person_belongs(organization: Organization) -> None:
    other = make.organization()
    user = make.user(organization=organization)

    with pytest.raises(Http404):
        OrganizationMiddleware(lambda _: HttpResponse())(_request(f"/o/{other.slug}/", user))

    assert _deeds(organization) == ["access.refused"]
    assert _deeds(other) == []


@pytest.mark.parametrize("slug", ["absent", None])
def test_nobody_is_sent_to_the_door_whatever_exists(
    organization: Organization, slug: str | None
) -> None:
    path = f"/o/{slug or organization.slug}/incidents/?layer=gpu"
    answer = OrganizationMiddleware(lambda _: HttpResponse())(_request(path, AnonymousUser()))

    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/?next=%2Fo%2F")


def test_what_lies_outside_of_organizations_has_no_scope(organization: Organization) -> None:
    def page(request: HttpRequest) -> HttpResponse:
        assert current_scope() == ""
        return HttpResponse()

    for path in ("/", "/o/", "/ox/a/", "/sign-in/"):
        answer = OrganizationMiddleware(page)(_request(path, AnonymousUser()))
        assert answer.status_code == 200


@pytest.mark.parametrize(("path", "status"), [("/o/%00/", 404), ("/sign-in/?next=%00", 400)])
@pytest.mark.django_db
def test_a_nul_is_no_name(path: str, status: int, client: Client) -> None:
    assert client.get(path).status_code == status
