"""Connecting an agent in a browser: choose it by keyboard, paste, see the first line come."""

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from apps.tenancy.models import MemberRole
from tests.api.receivers.agents import KERNEL, loki_protobuf, send
from tests.cast import make
from tests.cast.incidents import Cast, assemble
from tests.cast.pushes import drain_all
from tests.e2e.conftest import OpenPage

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
]


@pytest.fixture
def signed_in() -> tuple[Cast, Client]:
    """A cluster, and an admin of its operator."""
    cast, client = assemble(), Client()
    user = make.user(organization=cast.operator, role=MemberRole.ADMIN)
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return cast, client


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_from_a_text_to_the_first_line(
    live_server: LiveServer,
    open_page: OpenPage,
    signed_in: tuple[Cast, Client],
    width: int,
    scheme: str,
) -> None:
    cast, client = signed_in
    page = open_page(width=width, color_scheme=scheme)
    name = settings.SESSION_COOKIE_NAME
    value = client.cookies[name].value
    page.context.add_cookies([{"name": name, "value": value, "url": live_server.url}])
    page.goto(f"{live_server.url}/o/{cast.operator.slug}/sources/connect/?agent=vector")
    assert page.is_visible("#text-vector")
    assert not page.is_visible("#text-alloy")
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.focus("#agent-vector")
    page.keyboard.press("ArrowRight")
    assert page.is_visible("#text-fluent-bit")

    page.fill("#token-name", "agents")
    page.click("#token button[type=submit]")
    token = page.inner_text("#made-token").strip()
    assert token in page.inner_text("#text-alloy")
    expect(page.locator("#coming")).to_contain_text("waiting for the first line")

    sent = loki_protobuf('{stream="kernel", host="gpu017"}', KERNEL, agent="Alloy")
    assert send(sent, token=token).status_code == 204
    drain_all(cast.operator)
    expect(page.locator("#coming")).to_contain_text("from gpu017", timeout=20_000)
    assert "first line" in page.inner_text("#coming")
