"""What two parties show each other in full is met by no third, and by each other no further."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final

import pytest

from apps.tenancy.models import MemberRole, Organization
from tests.cast.agreements import agreed
from tests.cast.clients import member, token
from tests.cast.standing import standing
from tests.contracts.canaries import Planted, plant
from tests.contracts.canary_paths import paths_of
from tests.contracts.route_matrix import Route, inside
from tests.contracts.shared_canaries import canary
from tests.contracts.told_canaries import numbers_of

pytestmark = pytest.mark.sweep
THIRD: Final = ("platform", "other tenant", "vendor", "stranger")
# Shown by no agreement: where its holder finds a line, what it wrote to itself or to others.
NEVER: Final = ("FILE", "DETAIL", "NOTE", "SOURCE", "LABEL", "WORDS", "TICKET", "ASKED", "GIVEN")
# What holds things that can be shared, or tells of them.
FOLDERS: Final = ("incidents", "sessions", "warnings", "sharing", "ledger", "evidence-requests")


def _shown() -> Planted:
    planted = plant()
    cast = planted.cast
    agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")
    return planted


sown = standing(_shown)


@pytest.fixture
def planted(sown: Planted, db: None) -> Planted:
    """Words of every party, and an agreement of operator and tenant that shows everything."""
    return deepcopy(sown)


def _routes() -> list[Route]:
    found = [route for route in inside() if any(each in route.pattern for each in FOLDERS)]
    return [*found, *(route for route in inside() if route.pattern == "o/<slug:org>/")]


def _bodies(reader: Organization, planted: Planted) -> Iterator[tuple[str, str]]:
    person, machine = member(reader, MemberRole.ADMIN).client, token(reader).client
    for route in _routes():
        for path in paths_of(route, reader, planted):
            answer: Any = (person if route.is_page else machine).get(path)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            yield path, body.decode(errors="replace")


@pytest.mark.parametrize("reader", THIRD)
def test_no_third_party_meets_what_two_show_each_other(
    reader: str, planted: Planted, record_property: Callable[[str, object], None]
) -> None:
    organization = planted.everyone[reader]
    forbidden = planted.forbidden(organization)
    bodies = list(_bodies(organization, planted))

    record_property("counted", len(bodies))
    assert {(path, word) for path, body in bodies for word in forbidden if word in body} == set()


@pytest.mark.parametrize(("reader", "holder"), [("tenant", "operator"), ("operator", "tenant")])
def test_who_is_shown_everything_meets_that_and_nothing_of_what_is_never_shown(
    reader: str, holder: str, planted: Planted, record_property: Callable[[str, object], None]
) -> None:
    mine, other = planted.everyone[reader], planted.everyone[holder]
    forbidden = {canary(other, what) for what in (*NEVER, "SECRET")}
    # What third parties hold stays hidden, as without the agreement.
    own = (canary(other, what) for what in ("EVIDENCE", "MOMENT", "VALUE", "LINE", "AGREED"))
    # How a tenant's sessions get on is shown to who runs the cluster.
    shown = {*own, *numbers_of(other)} if holder == "tenant" else {*own}
    forbidden |= planted.forbidden(mine) - shown
    bodies = list(_bodies(mine, planted))

    record_property("counted", len(bodies))
    assert {(path, word) for path, body in bodies for word in forbidden if word in body} == set()
    for what in ("EVIDENCE", "MOMENT"):  # else the tests would pass where nothing is shown
        assert any(canary(other, what) in body for _, body in bodies)
