"""The settings in the browser: which tabs one sees, and who belongs to the organization."""

import pytest

from apps.tenancy.models import MemberRole
from tests import make
from tests.apps.incidents.cast import Cast
from tests.web.conftest import Browser


@pytest.mark.parametrize("role", list(MemberRole))
def test_the_settings_lead_to_a_tab_that_one_may_see(
    cast: Cast, browser: Browser, role: MemberRole
) -> None:
    client, there = browser(cast.tenant, role), f"/o/{cast.tenant.slug}/settings/"
    answer = client.get(there, follow=True)

    assert answer.redirect_chain == [(f"{there}members/", 302)]
    assert answer.status_code == 200


def test_members_of_the_organization_and_of_no_other_are_listed(
    cast: Cast, browser: Browser
) -> None:
    make.user(organization=cast.tenant, role=MemberRole.ADMIN, name="anna")
    make.user(organization=cast.operator, role=MemberRole.ADMIN, name="oleg")
    page = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/settings/members/").content.decode()

    assert "anna" in page
    assert "oleg" not in page
