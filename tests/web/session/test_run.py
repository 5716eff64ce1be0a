"""The page of a session shows what one's own logs tell of an attempt's steps and saves."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from apps.fleet.models import Attempt, Session
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast, drain_all, push_loki
from tests.web.conftest import Browser

SECOND = 1_000_000_000
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
SAVED = (100, 240)
LABELS = {"stream": "session", "session": "solar-7b", "rank": "0", "host": "gpu017"}


def line(step: int) -> str:
    """Return the line of a step."""
    return (
        f"step: {step} loss: 2.1 grad_norm: 1.0 memory: 1.0GiB(1.0%) tps: 7,412 tflops: 402.1 "
        "mfu: 40.6%"
    )


def run(people: Cast, *, attempt: int = 1, seconds: float = 6.0) -> None:
    """Push 200 steps of `seconds` each then 50 slower ones, with saves behind two of them."""
    at, lines = START + timedelta(days=attempt), []

    def tell(text: str) -> None:
        lines.append((int(at.timestamp()) * SECOND + at.microsecond * 1000, text))

    for step in range(250):
        at += timedelta(seconds=seconds if step < 200 else seconds * 1.2)
        tell(line(step))
        if step in SAVED:
            tell(f"saving checkpoint at iteration {step} to /a")
            at += timedelta(seconds=31)
            tell(f"successfully saved checkpoint from iteration {step} to /a")
    labels = {**LABELS, "attempt": str(attempt)}
    assert push_loki(people.token(people.tenant), lines, labels).status_code == 204
    drain_all(people.tenant)


def page(people: Cast, browser: Browser, query: str = "", *, of: str = "tenant") -> str:
    """Return the page of the session as a party reads it."""
    with organization_scope(people.tenant.pk):
        session = Session.objects.get()
    reader = getattr(people, of)
    answer = browser(reader).get(f"/o/{reader.slug}/sessions/{session.public_id}/{query}")
    assert answer.status_code == 200
    return str(answer.content.decode())


@pytest.mark.django_db
def test_steps_saves_and_a_slow_down_are_shown(browser: Browser) -> None:
    people = cast()
    run(people)
    text = page(people, browser)
    for told in (
        *("attempt 1, as rank 0 prints it, gpu017", "0 – 249", "7,412", "40.6 %"),  # noqa: RUF001
        *("1 change of the step time", "6 s to 7.2 s (+20 %)", "2 saves and loads"),
        *("Save at step 100: 31 s", "strip-change is-slower"),
    ):
        assert told in text, told


@pytest.mark.django_db
def test_the_attempt_is_chosen_by_the_address(browser: Browser) -> None:
    people = cast()
    run(people, attempt=1)
    run(people, attempt=2, seconds=3.0)
    assert "attempt 2, as rank 0" in page(people, browser)
    first = page(people, browser, "?attempt=1")
    assert "attempt 1, as rank 0" in first
    assert "6 s to 7.2 s" in first
    assert "3 s to 3.6 s" not in first
    odd = page(people, browser, "?attempt=9")
    assert "This session has no attempt “9”" in odd


@pytest.mark.django_db
def test_without_steps_there_is_no_strip(browser: Browser) -> None:
    people = cast()
    lines = [(int(START.timestamp()) * SECOND, "NCCL WARN Timeout waiting for RX")]
    push_loki(people.token(people.tenant), lines, LABELS)
    drain_all(people.tenant)
    assert 'id="run"' not in page(people, browser)


@pytest.mark.django_db
def test_where_the_time_went_adds_up_and_says_what_retries_came_to(browser: Browser) -> None:
    people = cast()
    run(people, attempt=1)
    run(people, attempt=2, seconds=3.0)
    first, second = START + timedelta(days=1), START + timedelta(days=2)
    with organization_scope(people.tenant.pk):
        for attempt, begin in ((1, first), (2, second)):
            Attempt.objects.filter(number=attempt).update(
                started_at=begin, ended_at=begin + timedelta(hours=1), state="failed", world_size=64
            )
    text = page(people, browser)
    assert "Where the time went" in text
    for told in (
        "Productive",
        "Waiting for saves",
        "Slower than usual",
        "Lost progress",
        "Recovery",
    ):
        assert told in text, told
    assert "25 h 00 min on 64 GPUs" in text
    assert "After #1: 1 automatic retry" in text
    assert "did not get past the stop" in text
    shares = [float(each) for each in re.findall(r"<title>[^<]+: ([\d.]+) %</title>", text)]
    assert sum(shares) == pytest.approx(100, abs=0.5)


@pytest.mark.django_db
def test_another_party_is_told_what_it_does_not_know(browser: Browser) -> None:
    people = cast()
    run(people)
    with organization_scope(people.tenant.pk):
        Attempt.objects.update(
            started_at=START, ended_at=START + timedelta(hours=2), state="failed"
        )
    text = page(people, browser, of="operator")
    assert 'id="run"' not in text
    assert "No log of yours tells its steps" in text
    assert "Not known" in text
    assert "7,412" not in text
