"""Jumps to a time."""

from datetime import timedelta

import pytest

from apps.telemetry.facade import held_logs
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.ageing import come_in
from tests.apps.telemetry.held_logs.held import START, Holder, holder, sent_as_files, sent_stamped
from tests.cast import make


def place(made: Holder, seconds: float) -> int | None:
    """Return the line at so many seconds from the start."""
    key = made.stream().key
    with organization_scope(made.organization.pk):
        at = START + timedelta(seconds=seconds)
        return held_logs.place_of_time(actor=made.actor, key=key, at=at)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "made",
    [lambda: sent_as_files(20, 30), lambda: sent_stamped(list(range(1, 21)), list(range(21, 51)))],
)
def test_a_time_leads_to_the_first_line_at_or_after_it(made) -> None:  # type: ignore[no-untyped-def]
    held = made()
    assert place(held, 1) == 1
    assert place(held, 17) == 17
    assert place(held, 20.5) == 21
    assert place(held, 33.2) == 34
    assert place(held, -500) == 1
    assert place(held, 5_000) == 51


@pytest.mark.django_db
def test_lines_without_times_between_are_passed() -> None:
    made = holder()
    stack = [f"  at frame {number}" for number in range(30)]
    lines = [
        f"{START + timedelta(seconds=10):%Y-%m-%dT%H:%M:%S}+00:00 gpu001 kernel: one",
        *stack,
        f"{START + timedelta(seconds=20):%Y-%m-%dT%H:%M:%S}+00:00 gpu001 kernel: two",
    ]
    come_in(made.organization, made.cluster, lines, at=make.AT, stream="kernel", host="gpu001")
    found = place(made, 15)
    assert found is not None
    assert 2 <= found <= 32


@pytest.mark.django_db
def test_a_log_without_times_has_no_place_for_one() -> None:
    made = holder()
    come_in(made.organization, made.cluster, ["a", "b"], at=make.AT, stream="kernel", host="gpu001")
    assert place(made, 1) is None


@pytest.mark.django_db
def test_nobody_jumps_in_the_log_of_another() -> None:
    made, stranger = sent_as_files(2), holder()
    key = made.stream().key
    with organization_scope(stranger.organization.pk), pytest.raises(NotFound):
        held_logs.place_of_time(actor=stranger.actor, key=key, at=START)
