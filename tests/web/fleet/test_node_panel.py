"""A node beside the grid: what is open of it, and that it is left out."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.cast.clients import member
from tests.cast.failing_nodes import LEMON, broken, left_out
from tests.cast.incidents import Cast
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


def _path(cast: Cast, slug: str, more: str = "") -> str:
    return f"/o/{slug}/fleet/{cast.cluster.slug}/{more}"


def test_an_open_incident_and_an_exclusion_stand_in_it(cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock
    incident = broken(cast, LEMON, now - timedelta(hours=3))
    left_out(cast, LEMON, now - timedelta(hours=2), hours=None)
    slug = cast.operator.slug
    answer = member(cast.operator).client.get(_path(cast, slug, f"nodes/{LEMON}/"))
    panel = one_line(answer.content.decode())
    assert f"/o/{slug}/incidents/{incident.public_id}/" in panel
    assert "drained" in panel
    assert "no data" in panel
    page = one_line(member(cast.operator).client.get(_path(cast, slug)).content.decode())
    assert "1 left out" in page


def test_what_was_left_out_later_was_not_before(cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock
    broken(cast, LEMON, now - timedelta(hours=3))
    left_out(cast, LEMON, now - timedelta(hours=2), hours=None)
    at = f"{now - timedelta(hours=2, minutes=30):%Y-%m-%dT%H:%M:%SZ}"
    path = _path(cast, cast.operator.slug, f"nodes/{LEMON}/")
    answer = member(cast.operator).client.get(path, {"at": at})
    assert "drained" not in answer.content.decode()
