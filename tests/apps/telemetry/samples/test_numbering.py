"""Series get new numbers when others are forgotten; nobody reads a mixture of old and new."""

from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from django.db import connection

from apps.telemetry.models import PushedMetric
from apps.telemetry.samples import retire
from apps.telemetry.samples.window.blocks import SLOT_SECONDS
from apps.telemetry.samples.window.window_reading import PushedWindow
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import Series, snapped, v1, write
from tests.apps.telemetry.samples.windows import NOW, NOW_MS, drained, held, sources
from tests.cast.pushes import cast

LATER = NOW + timedelta(minutes=61, seconds=SLOT_SECONDS)


def series(name: str, *ages: int) -> Series:
    """Return a series whose value tells its number, at some ages in seconds."""
    number = float(name.strip("endlivg"))
    samples = [(NOW_MS - 1000 * age, number) for age in ages]
    return Series(labels={"__name__": "load", "instance": name}, samples=samples)


def roll_apart(organization: Organization) -> None:
    """Let the window roll on in a connection of its own."""

    def roll() -> None:
        with organization_scope(organization.pk):
            retire.roll(organization_id=organization.pk, now=LATER)
        connection.close()

    worker = Thread(target=roll)
    worker.start()
    worker.join()


@pytest.mark.django_db(transaction=True)
def test_series_forgotten_between_labels_and_samples_mix_nobody_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    ended = [series(f"ended{n}", 3600) for n in range(200)]
    living = [series(f"living{n}", 3600, 60) for n in range(1000, 1050)]
    body = snapped(v1([*ended, *living]))
    assert write(people.token(people.operator), body).status_code == 204
    drained(people.operator)
    (source,) = sources(people.operator)
    labels = PushedWindow._parts

    def labels_then_roll(window: PushedWindow, selector: Any) -> dict[int, PushedMetric]:
        found = labels(window, selector)
        roll_apart(people.operator)
        return found

    monkeypatch.setattr(PushedWindow, "_parts", labels_then_roll)
    during = held(source, "load")
    monkeypatch.undo()
    roll_apart(people.operator)
    after = held(source, "load")

    assert len(during) == len(after) == 50
    for told in (*during.items(), *after.items()):
        (instance,) = (value for name, value in told[0] if name == "instance")
        assert {f"living{value:.0f}" for _, value in told[1]} == {instance}
