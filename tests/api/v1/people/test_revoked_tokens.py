"""A token that was revoked is refused at the next request, whatever it was used for before."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

import pytest
from django.test import Client

from apps.tenancy.models import MemberRole, TokenScope
from tests.cast.clients import Asking, member
from tests.cast.incidents import Cast

RECEIVERS: Final = (
    *("loki/api/v1/push", "api/v1/logs", "api/v1/session-events", "api/v1/inventory"),
    *("api/v1/write", "v1/metrics", "v1/logs", "api/v1/alertmanager"),
)
READS: Final = ("incidents/", "incidents/export.ndjson", "sessions/", "ledger/", "agreements/")


def _made(admin: Asking, name: str) -> tuple[str, Client]:
    wish = {"name": name, "scopes": [str(each) for each in TokenScope]}
    made = admin.post("tokens/", wish).json()
    return made["id"], Client(headers={"Authorization": f"Bearer {made['token']}"})


def _status(machine: Client, cast: Cast, door: str) -> int:
    if door in RECEIVERS:
        return machine.post(f"/{door}", "{}", content_type="application/json").status_code
    answer: Any = machine.get(f"/api/v1/o/{cast.operator.slug}/{door}")
    return int(answer.status_code)


@pytest.mark.parametrize("door", [*READS, *RECEIVERS])
def test_it_is_refused_at_once_where_it_was_heard_a_moment_before(
    door: str, cast: Cast, record_property: Callable[[str, object], None]
) -> None:
    admin = member(cast.operator, MemberRole.ADMIN)
    public_id, machine = _made(admin, "shipper")
    _, other = _made(admin, "stays")
    assert _status(machine, cast, door) != 401

    assert admin.send("DELETE", f"tokens/{public_id}/").status_code == 204
    since = perf_counter()
    assert _status(machine, cast, door) == 401
    record_property("seconds", round(perf_counter() - since, 3))
    record_property("counted", 1)
    assert _status(other, cast, door) != 401
