"""Saves and loads of logs, worked out when their lines came: once, in any order, for one's own."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from apps.fleet.models import Session
from apps.telemetry.facade import logged_checkpoints as logged_facade
from apps.telemetry.facade.logged_checkpoints import (
    LoggedCheckpoint,
    due_sessions,
    logged_checkpoints,
    work_out,
)
from apps.telemetry.models import LoggedCheckpoints
from apps.telemetry.retention.purge.storage import drop_storage
from apps.telemetry.tasks import work_out_checkpoints_of
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import FailedWork, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Cast, cast, drain_all, push_loki

pytestmark = pytest.mark.django_db
SECOND = 1_000_000_000
START = datetime(2026, 11, 22, 12, tzinfo=UTC)
LABELS = {
    "stream": "session", "session": "solar-7b", "rank": "0", "host": "gpu017", "attempt": "1",
}  # fmt: skip
LATER = START + timedelta(days=300)


def _lines() -> list[tuple[int, str]]:
    """Return 40 steps with a save behind the tenth and the thirtieth."""
    at, lines = START, []

    def tell(text: str) -> None:
        lines.append((int(at.timestamp()) * SECOND, text))

    for step in range(40):
        at += timedelta(seconds=6)
        tell(f"step: {step} loss: 2.1 grad_norm: 1.0 memory: 1.0GiB(1.0%) tps: 7,412")
        if step in {10, 30}:
            tell(f"saving checkpoint at iteration {step} to /a")
            at += timedelta(seconds=31)
            tell(f"successfully saved checkpoint from iteration {step} to /a")
    return lines


def _read(people: Cast, reader: Organization) -> tuple[LoggedCheckpoint, ...]:
    with organization_scope(people.tenant.pk):
        session = Session.objects.get().pk
    actor = Actor(organization=reader, rights=frozenset({Right.READ}))
    for due in due_sessions(organization_id=reader.pk, now=LATER):
        work_out(organization_id=reader.pk, session_id=due)
    with organization_scope(reader.pk):
        return logged_checkpoints(
            actor=actor, session_ids=[session], since=START, until=START + timedelta(days=1)
        )


def _pushed(pieces: list[list[tuple[int, str]]]) -> Cast:
    people = cast()
    for each in pieces:
        assert push_loki(people.token(people.tenant), each, LABELS).status_code == 204
        drain_all(people.tenant)
    return people


def test_each_save_has_its_span_and_step() -> None:
    people = _pushed([_lines()])
    first, second = _read(people, people.tenant)
    assert (first.kind, first.attempt, first.step, second.step) == ("save", 1, 10, 30)
    assert first.ends_at - first.starts_at == timedelta(seconds=31)
    assert first.is_complete
    assert not first.is_background


def test_lines_in_pieces_late_and_twice_tell_the_same() -> None:
    lines = _lines()
    cut = [lines[:20], lines[20:35], lines[35:]]
    mixed = [cut[at] for at in np.random.default_rng(3).permutation(3).tolist()]
    people = _pushed([*mixed, mixed[0]])
    told = _read(people, people.tenant)
    assert [(each.step, each.is_complete) for each in told] == [(10, True), (30, True)]


def test_more_lines_make_it_due_again() -> None:
    lines = _lines()
    people = _pushed([lines[:20]])
    assert len(_read(people, people.tenant)) == 1
    push_loki(people.token(people.tenant), lines[20:], LABELS)
    drain_all(people.tenant)
    assert len(_read(people, people.tenant)) == 2
    with organization_scope(people.tenant.pk):
        assert LoggedCheckpoints.objects.get().due_at is None


def test_another_organization_has_none_of_it() -> None:
    people = _pushed([_lines()])
    assert _read(people, people.operator) == ()


def test_it_goes_with_the_facts() -> None:
    people = _pushed([_lines()])
    _read(people, people.tenant)
    with organization_scope(people.tenant.pk):
        kept = drop_storage(organization_id=people.tenant.pk, now=START + timedelta(days=1))
        assert kept.row_count == 0
        gone = drop_storage(organization_id=people.tenant.pk, now=START + timedelta(days=5000))
        assert gone.row_count == 1
        assert not LoggedCheckpoints.objects.exists()


def test_a_session_that_fails_waits_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    people = _pushed([_lines()])
    push_loki(people.token(people.tenant), _lines(), LABELS | {"session": "solar-8b"})
    drain_all(people.tenant)
    owner = people.tenant.pk
    with organization_scope(owner):
        LoggedCheckpoints.objects.update(due_at=START)
        bad, good = Session.objects.order_by("pk").values_list("pk", flat=True)
    real = logged_facade.work_out

    def failing(*, organization_id: int, session_id: int) -> None:
        if session_id == bad:
            raise ValueError("CANARY-TEXT of a line")
        real(organization_id=organization_id, session_id=session_id)

    monkeypatch.setattr(logged_facade, "work_out", failing)
    work_out_checkpoints_of(organization_id=owner)
    work_out_checkpoints_of(organization_id=owner)

    with organization_scope(owner):
        told = {row.session_id: row for row in LoggedCheckpoints.objects.all()}
        failed = FailedWork.objects.get()
    assert told[good].due_at is None
    assert len(told[good].body) == 2
    assert told[bad].due_at is not None
    assert (failed.kind, failed.subject, failed.attempt_count) == ("checkpoints", str(bad), 1)
    assert "CANARY" not in failed.error
