"""Sources that are sent their metrics, in the browser: how they stand, and where to."""

from datetime import UTC, datetime
from time import time

import pytest

from apps.telemetry.models import PushedState, Source
from apps.telemetry.samples import drain
from apps.telemetry.samples.accept import KIND
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.cast.incidents import Cast
from tests.cast.pushes import token
from tests.web.conftest import Browser


@pytest.fixture
def source(cast: Cast) -> Source:
    """A sender of the operator whose first samples came just now."""
    now = datetime.fromtimestamp(time(), UTC)
    samples = [(round(now.timestamp() * 1000), 1.0)]
    series = [
        Series(
            labels={"__name__": "up", "instance": f"gpu{n:03}"}, samples=samples, exemplar_count=1
        )
        for n in range(3)
    ]
    body = snapped(v1(series))
    assert write(token(cast.operator, cast.cluster), body, query="?source=edge").status_code == 204
    drain.take_turn(organization_id=cast.operator.pk, clock=lambda: 0.0, now=lambda: now)
    with organization_scope(cast.operator.pk):
        return Source.objects.select_related("cluster").get(kind=KIND)


def test_a_sender_appears_with_what_it_sent(cast: Cast, browser: Browser, source: Source) -> None:
    client, there = browser(cast.operator), f"/o/{cast.operator.slug}/sources/"

    rows = client.get(there).content.decode()
    page = client.get(f"{there}{source.public_id}/").content.decode()

    assert "edge" in rows
    assert "3 series" in rows
    assert "It sends, newest sample" in page
    assert "3 exemplars were left out" in page


def test_an_admin_says_where_it_goes_on_to_or_nowhere(
    cast: Cast, browser: Browser, source: Source
) -> None:
    client = browser(cast.operator, MemberRole.ADMIN)
    there = f"/o/{cast.operator.slug}/sources/{source.public_id}/"
    form = {"name": "edge", "auth": "none", "verify_tls": "1", "is_enabled": "1"}

    for url in ("", "https://store.example.com/api/v1/write", ""):
        assert client.post(there, {**form, "url": url}).status_code == 302
        with organization_scope(cast.operator.pk):
            assert Source.objects.get(pk=source.pk).url == url
    assert client.post(there, {**form, "url": "http://127.0.0.1/x"}).status_code == 422


def test_a_store_that_fails_is_told(cast: Cast, browser: Browser, source: Source) -> None:
    with organization_scope(cast.operator.pk):
        PushedState.objects.update(forward_state="failing", forward_error="HTTP 503: full")

    page = browser(cast.operator).get(f"/o/{cast.operator.slug}/sources/").content.decode()

    assert "sending on fails: HTTP 503: full" in page


def test_the_sender_of_others_is_not_there(cast: Cast, browser: Browser, source: Source) -> None:
    rows = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/sources/").content.decode()

    assert source.public_id not in rows
    there = f"/o/{cast.tenant.slug}/sources/{source.public_id}/"
    assert browser(cast.tenant, MemberRole.ADMIN).get(there).status_code == 404
