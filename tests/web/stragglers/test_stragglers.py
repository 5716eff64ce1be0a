"""Stragglers on pages: traces that people add, who is slow now, and all sessions together."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from apps.fleet.models import Attempt
from apps.telemetry.models import StragglerFinding
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import trace_files
from tests.cast.storage_world import StorageWorld, build
from tests.web.conftest import Browser
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def world() -> StorageWorld:
    """A tenant with a running session on four nodes whose ranks were reported."""
    made = build(now=timezone.now())  # noqa: TID251  the page reads the clock
    ranks = {str(rank): {"host": f"gpu{rank // 8 + 1:03}", "gpu": rank % 8} for rank in range(32)}
    with organization_scope(made.tenant.pk):
        Attempt.objects.filter(session=made.session).update(ranks=ranks)
    return made


def _add(
    world: StorageWorld,
    browser: Browser,
    body: bytes,
    *,
    who: Organization | None = None,
    role: MemberRole = MemberRole.RESPONDER,
) -> Any:
    who = who or world.tenant
    address = f"/o/{who.slug}/sessions/{world.session.public_id}/traces/"
    form = {"attempt": "1", "files": [SimpleUploadedFile("trace", body)]}
    return browser(who, role).post(address, form)


def _page(world: StorageWorld, browser: Browser, who: Organization | None = None) -> str:
    who = who or world.tenant
    answer = browser(who).get(f"/o/{who.slug}/sessions/{world.session.public_id}/")
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def _findings(world: StorageWorld) -> list[StragglerFinding]:
    with organization_scope(world.tenant.pk):
        return list(StragglerFinding.objects.order_by("id"))


def test_a_slow_worker_is_named_with_its_node_and_gpu(
    world: StorageWorld, browser: Browser
) -> None:
    assert _add(world, browser, trace_files.slow_worker()).status_code == 302
    text = _page(world, browser)
    assert "One slow worker explains" in text
    assert "Look at rank 0 on gpu001, GPU 0." in text
    assert "1.7 %" in text  # how often the study met it
    with organization_scope(world.tenant.pk):
        assert AuditEntry.objects.filter(action="session.traced").count() == 1


def test_a_slow_stage_is_no_reason_to_look_at_a_node(world: StorageWorld, browser: Browser) -> None:
    _add(world, browser, trace_files.slow_last_stage())
    text = _page(world, browser)
    assert "The last pipeline stage explains" in text
    assert "no node is to blame" in text
    assert "Look at rank" not in text


def test_a_simulation_that_is_off_is_refused_and_shows_no_slow_down(
    world: StorageWorld, browser: Browser
) -> None:
    _add(world, browser, trace_files.unexplained())
    text = _page(world, browser)
    assert "Refused: the simulation is off by" in text
    assert "Slow-down S" not in text
    (row,) = _findings(world)
    assert row.slowdown is None
    assert "ideal_seconds" not in row.body["what_if"]


def test_lines_of_the_inspector_name_who_comes_last(world: StorageWorld, browser: Browser) -> None:
    _add(world, browser, trace_files.inspector_lines(late=5))
    text = _page(world, browser)
    assert "gpu001, GPU 5, rank 5" in text
    assert "last to 100.0 % of the collectives" in text
    # Such a file tells no time of day: when it came in is not since when.
    assert "not told" in text


def test_the_same_trace_twice_is_one(world: StorageWorld, browser: Browser) -> None:
    for _ in range(2):
        _add(world, browser, trace_files.slow_worker())
    assert len(_findings(world)) == 1


@pytest.mark.parametrize("body", [b"step,rank\n1,2\n", b"\x00\x01garbage", b'{"a": 1}'])
def test_what_is_no_trace_is_told_and_keeps_nothing(
    world: StorageWorld, browser: Browser, body: bytes
) -> None:
    address = f"/o/{world.tenant.slug}/sessions/{world.session.public_id}/traces/"
    form = {"attempt": "1", "files": [SimpleUploadedFile("trace", body)]}
    answer = browser(world.tenant).post(address, form, follow=True)
    assert "Not taken:" in one_line(answer.content.decode())
    assert not _findings(world)


def test_another_tenant_and_a_vendor_find_no_session(world: StorageWorld, browser: Browser) -> None:
    for who in (world.other, world.vendor, world.outsider):
        answer = _add(world, browser, trace_files.slow_last_stage(), who=who, role=MemberRole.ADMIN)
        assert answer.status_code == 404
    assert not _findings(world)


def test_a_viewer_adds_no_trace(world: StorageWorld, browser: Browser) -> None:
    body = trace_files.slow_last_stage()
    assert _add(world, browser, body, role=MemberRole.VIEWER).status_code == 404
    assert not _findings(world)


def test_what_the_tenant_traced_is_not_the_operators_to_read(
    world: StorageWorld, browser: Browser
) -> None:
    _add(world, browser, trace_files.slow_worker())
    assert "One slow worker" not in _page(world, browser, world.operator)
    answer = browser(world.operator).get(f"/o/{world.operator.slug}/stragglers/")
    assert "There is no step trace in this span." in one_line(answer.content.decode())


def test_all_sessions_have_their_share_with_n_and_an_interval(
    world: StorageWorld, browser: Browser
) -> None:
    _add(world, browser, trace_files.slow_worker())
    address = f"/o/{world.tenant.slug}/stragglers/"
    text = one_line(browser(world.tenant).get(address).content.decode())
    assert "100.0 % (1 of 1)" in text
    assert "20.7 to 100.0 %" in text
    assert "192" in text  # 32 GPUs for six hours
    assert "one slow worker 1" in text


def test_a_refused_trace_is_in_no_share(world: StorageWorld, browser: Browser) -> None:
    _add(world, browser, trace_files.unexplained())
    address = f"/o/{world.tenant.slug}/stragglers/"
    text = one_line(browser(world.tenant).get(address).content.decode())
    assert "1 refused, in no share" in text
    assert "100.0 %" not in text


def test_attempts_before_the_span_are_left_out(world: StorageWorld, browser: Browser) -> None:
    _add(world, browser, trace_files.slow_worker())
    long_ago = timezone.now() - timedelta(days=300)  # noqa: TID251  as the page does
    with organization_scope(world.tenant.pk):
        Attempt.objects.filter(session=world.session).update(
            started_at=long_ago, ended_at=long_ago + timedelta(hours=1)
        )
    address = f"/o/{world.tenant.slug}/stragglers/"
    assert "no step trace in this span" in browser(world.tenant).get(address).content.decode()
    longer = browser(world.tenant).get(f"{address}?months=12").content.decode()
    assert "(1 of 1)" in one_line(longer)
