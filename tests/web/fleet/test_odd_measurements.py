"""What parts may say of themselves: values no scale has, names that would tell who they are."""

import json
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import Organization, TokenScope
from tests.cast.agreements import agreed
from tests.cast.clients import token
from tests.cast.fleet_world import HOT, OURS, TEMPERATURE, THEIRS, FleetWorld, keep
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
ONE_MORE = {Device(kind="gpu", host=OURS[0], index=7): 55.0}
BOARD = "3f2c1d5e-aaaa-bbbb-cccc-0123456789ab"


def measure(world: FleetWorld, told: dict[Device, float], signal: str = TEMPERATURE) -> None:
    """Let the operator's source tell these values in the newest minute."""
    values = np.array([[each] for each in told.values()])
    frame = Frame(
        signal=catalog().signals[signal],
        entities=tuple(told),
        start=world.at.timestamp(),
        step=30.0,
        values=values,
    )
    keep(world.source, [frame])


def read(world: FleetWorld, browser: Browser, reader: Organization, at: datetime) -> dict[str, Any]:
    """Return what a page is told, as strictly as a browser reads it."""
    path = f"/o/{reader.slug}/fleet/{world.cluster.slug}/values/"
    answer = browser(reader).get(path, {"metric": TEMPERATURE, "at": at.isoformat()})
    assert answer.status_code == 200
    found: dict[str, Any] = json.loads(answer.content, parse_constant=lambda each: 1 / 0)
    return found


def show(world: FleetWorld, *rules: SharingRule, reader: Organization | None = None) -> None:
    """Let the operator show somebody something, else the vendor."""
    now = timezone.now()  # noqa: TID251  the page reads the clock
    terms = {world.operator.slug: [*rules]}
    agreed(world.operator, reader or world.vendor, world.cluster, terms=terms, now=now)


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e300])
def test_a_value_beyond_all_scales_is_none_and_breaks_no_page(
    world: FleetWorld, browser: Browser, value: float
) -> None:
    measure(world, {Device(kind="gpu", host=HOT[0], index=7): value, **ONE_MORE})

    told = read(world, browser, world.operator, world.at)

    node = told["hosts"].index(HOT[0])
    first = sum(map(len, told["parts"][:node]))
    assert told["values"][first + told["parts"][node].index("7")] is None
    base = f"/o/{world.operator.slug}/fleet/{world.cluster.slug}/"
    assert browser(world.operator).get(base).status_code == 200
    query = {"metric": TEMPERATURE}
    assert browser(world.operator).get(f"{base}nodes/{HOT[0]}/", query).status_code == 200
    answer = token(world.operator, TokenScope.READ).get("fleet/", metric=TEMPERATURE)
    assert answer.status_code == 200


def test_what_one_measures_beyond_all_scales_breaks_nobody_elses_page(
    world: FleetWorld, browser: Browser
) -> None:
    show(world, SharingRule(data="metrics:gpu", level=Level.FULL))
    measure(world, {Device(kind="gpu", host=HOT[0], index=7): np.inf, **ONE_MORE})

    assert read(world, browser, world.vendor, world.at)["values"]


def test_a_board_without_a_number_is_hidden_with_its_host(
    world: FleetWorld, browser: Browser
) -> None:
    measure(world, {Device(kind="gpu", host=THEIRS[0], uuid=BOARD): 55.0})
    assert BOARD in str(read(world, browser, world.operator, world.at)["parts"])

    show(world, SharingRule(data="metrics:gpu", level=Level.REDACTED), reader=world.tenant)

    told = read(world, browser, world.tenant, world.at)
    assert round(55 / told["step"]) in told["values"]
    assert THEIRS[0] not in told["hosts"]
    assert BOARD not in str(told["parts"])
    answer = token(world.tenant, TokenScope.READ).get("fleet/", metric=TEMPERATURE)
    assert BOARD not in answer.content.decode()


def test_a_vendors_support_reads_which_board_it_is(world: FleetWorld, browser: Browser) -> None:
    measure(world, {Device(kind="gpu", host=THEIRS[0], uuid=BOARD): 55.0})
    show(world, SharingRule(data="metrics:gpu", level=Level.REDACTED))

    assert BOARD in str(read(world, browser, world.vendor, world.at)["parts"])


def test_a_class_that_is_not_shown_is_not_named_by_the_rule_for_all(
    world: FleetWorld, browser: Browser
) -> None:
    show(
        world,
        SharingRule(data="metrics:*", level=Level.FULL),
        SharingRule(data="metrics:gpu", level=Level.NONE),
    )

    path = f"/o/{world.vendor.slug}/fleet/{world.cluster.slug}/"
    page = browser(world.vendor).get(path).content.decode()
    told = token(world.vendor, TokenScope.READ).get("fleet/", metric=TEMPERATURE).json()

    assert "(gpu.power)" not in page
    assert told["metrics"] == ["gpu.pcie.replays"]  # of the host


def test_who_may_read_of_its_sessions_learns_of_no_metric_while_none_runs(
    world: FleetWorld,
) -> None:
    show(world, SharingRule(data="metrics:gpu", level=Level.FULL, where=Place.OWN_SESSIONS))

    told = token(world.vendor, TokenScope.READ).get("fleet/", metric=TEMPERATURE).json()

    assert told["metrics"] == []
