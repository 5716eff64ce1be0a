"""Two incidents side by side, as their reader may read each."""

import pytest

from apps.fleet.models import Attempt
from apps.incidents.models import Incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db
LINK = {
    "layer": "network",
    "cause": "link-down",
    "culprits": [{"kind": "link", "host": "gpu001", "name": "mlx5_0"}],
}


@pytest.fixture
def pair(cast: Cast) -> tuple[Incident, Incident]:
    """A GPU that fell off the bus, and a link that went down."""
    return (
        stop_of(cast, attempt_of(cast, cast.tenant)),
        stop_of(cast, attempt_of(cast, cast.tenant), **LINK),
    )


def _answer(who: Organization, first: Incident, second: Incident) -> tuple[int, str]:
    path = f"/o/{who.slug}/incidents/{first.public_id}/compare/{second.public_id}/"
    answer = member(who).client.get(path)
    return answer.status_code, one_line(answer.content.decode())


def test_each_question_is_answered_of_both(cast: Cast, pair: tuple[Incident, Incident]) -> None:
    status, page = _answer(cast.operator, *pair)
    assert status == 200
    for words in ("GPU: ", "Network: ", "Both blame gpu001.", "OPERATOR-WORDS", "OPERATOR-MOMENT"):
        assert words in page
    assert page.count("the same") >= 1


def test_what_others_hold_is_counted_and_never_said(
    cast: Cast, pair: tuple[Incident, Incident]
) -> None:
    _, page = _answer(cast.operator, *pair)
    assert "TENANT-WORDS" not in page
    assert f"1 item held by {cast.tenant.name}" in page


def test_a_vendor_reads_whom_its_own_layer_blames_and_no_session(
    cast: Cast, pair: tuple[Incident, Incident]
) -> None:
    status, page = _answer(cast.vendor, *pair)
    assert status == 200
    assert page.count("hidden by policy") >= 3
    assert "mlx5_0" not in page


def test_an_incident_of_others_is_not_found_on_either_side(
    cast: Cast, pair: tuple[Incident, Incident]
) -> None:
    own = stop_of(cast, attempt_of(cast, cast.other_tenant))
    for first, second in ((own, pair[0]), (pair[0], own)):
        assert _answer(cast.other_tenant, first, second)[0] == 404
        assert _answer(cast.stranger, first, second)[0] == 404
    assert _answer(cast.other_tenant, own, own)[0] == 200


def test_the_page_of_a_session_with_several_incidents_leads_here(cast: Cast) -> None:
    first = attempt_of(cast, cast.tenant)
    path = f"/o/{cast.tenant.slug}/sessions/{first.session.public_id}/"
    stop = stop_of(cast, first)
    assert "/compare/" not in member(cast.tenant).client.get(path).content.decode()
    with organization_scope(*cast.ids):
        again = Attempt.objects.create(
            organization=cast.tenant,
            session=first.session,
            number=2,
            hosts=["gpu001"],
            hosts_asserted=True,
            started_at=make.AT,
        )
    pair = {stop.public_id, stop_of(cast, again, **LINK).public_id}
    page = member(cast.tenant).client.get(path).content.decode()
    one, other = pair
    assert f"/{one}/compare/{other}/" in page or f"/{other}/compare/{one}/" in page
