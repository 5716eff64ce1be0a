"""What the portal tells Prometheus of itself, read as Prometheus reads it."""

import re

import pytest
from celery import shared_task
from django.core.cache import cache
from django.test import Client, override_settings

from apps.operations.monitoring import task_log
from apps.telemetry.models import BatchState, Submission
from apps.telemetry.submission_kinds import SubmissionKind
from apps.telemetry.submissions.accept import accept
from apps.telemetry.submissions.pieces import SubmissionPiece
from apps.tenancy.models import TokenScope
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work
from tests.cast import make
from tests.cast.clients import token
from tests.contracts.world import build

SAMPLE = re.compile(
    r'([a-z_:]+)(?:\{((?:[a-z_]+="(?:[^"\\]|\\.)*",?)*)\})? (-?[0-9.]+(?:e[+-][0-9]+)?)'
)


@shared_task(name="portal.sleepy", queue="default", soft_time_limit=1, time_limit=2)
def sleepy() -> None:
    """Behave as a task that has nothing to do."""


def scrape() -> dict[str, float]:
    """Return every sample of the page; fail on a line that Prometheus would refuse."""
    found = {}
    for line in Client().get("/metrics").content.decode().splitlines():
        if line.startswith("# "):
            continue
        match = SAMPLE.fullmatch(line)
        assert match, line
        found[line.rpartition(" ")[0]] = float(match[3])
    return found


@pytest.mark.django_db
def test_work_that_waits_is_counted_over_all_organizations() -> None:
    before = scrape()
    for _ in range(2):
        sender = token(make.organization(), TokenScope.INGEST)
        answer = sender.client.post("/api/v1/logs", "one line", content_type="text/plain")
        assert answer.status_code == 200

    after = scrape()
    name = 'portal_batches_waiting{kind="logs"}'
    assert after[name] - before[name] == 2
    assert after['portal_oldest_waiting_seconds{kind="logs"}'] >= 0
    assert after["portal_organizations"] - before["portal_organizations"] == 2


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["inventory", "session-events"])
def test_what_workers_carry_out_piece_by_piece_is_counted_while_it_waits(kind: str) -> None:
    before = scrape()
    organization = make.organization()
    cluster = make.cluster()
    with organization_scope(organization.pk):
        accept(
            organization_id=organization.pk,
            kind=SubmissionKind(kind),
            parts=[
                (cluster.pk, SubmissionPiece(said={"n": n}, first_entry=n, entry_count=1))
                for n in (1, 2)
            ],
            now=make.AT,
        )

    after = scrape()
    for name, more in (("portal_batches_waiting", 2), ("portal_batches_waiting_bytes", 14)):
        assert after[f'{name}{{kind="{kind}"}}'] - before[f'{name}{{kind="{kind}"}}'] == more
    assert after[f'portal_oldest_waiting_seconds{{kind="{kind}"}}'] >= 420


@pytest.mark.django_db
def test_pieces_that_were_given_up_are_counted_with_the_bodies() -> None:
    cache.delete("metrics.dead")
    before = scrape()["portal_batches_dead"]
    organization = make.organization()
    cluster = make.cluster()
    with organization_scope(organization.pk):
        Submission.objects.create(
            organization=organization,
            cluster=cluster,
            kind=SubmissionKind.INVENTORY,
            received_at=make.AT,
            state=BatchState.DEAD,
        )
    cache.delete("metrics.dead")

    assert scrape()["portal_batches_dead"] - before == 1


@pytest.mark.django_db
def test_work_that_is_set_aside_is_counted_by_kind() -> None:
    now, name = make.AT, 'portal_work_set_aside{kind="diagnosis"}'
    before = scrape().get(name, 0)
    unit = failed_work.Unit(organization_id=make.organization().pk, kind="diagnosis", subject="7")
    for turn in range(failed_work.ATTEMPT_LIMIT):
        failed_work.attempt(unit=unit, now=now + turn * failed_work.PAUSE, work=lambda: 1 // 0)

    assert scrape()[name] - before == 1


@pytest.mark.django_db
def test_messages_on_their_way_stand_under_both_names_for_one_release() -> None:
    build()
    found = scrape()
    for what in ("waiting", "oldest_seconds"):
        now, former = (
            found[f'portal_{name}_{what}{{channel="webhook"}}']
            for name in ("notifications", "notices")
        )
        assert former > 0
        assert abs(now - former) < 60


@pytest.mark.django_db
def test_no_sample_names_an_organization() -> None:
    organization = make.organization("aurora-cloud")
    token(organization).get("incidents/")

    assert "aurora" not in Client().get("/metrics").content.decode()


@pytest.mark.django_db
def test_tasks_are_counted_by_outcome_and_remembered_by_their_last_success() -> None:
    name = 'portal_task_seconds_count{outcome="success",task="portal.sleepy"}'
    before = scrape().get(name, 0)
    sleepy.apply()

    after = scrape()
    assert after[name] - before == 1
    assert after['portal_task_last_success_timestamp_seconds{task="portal.sleepy"}'] > 1.7e9
    assert after['portal_queue_tasks{queue="ingest"}'] >= 0


@pytest.mark.django_db
def test_answers_are_counted_by_route_with_their_time() -> None:
    name = 'portal_request_seconds_bucket{le="+Inf",route="healthz",status="2xx"}'
    before = scrape().get(name, 0)
    Client().get("/healthz")

    assert scrape()[name] - before == 1


@pytest.mark.django_db
def test_a_part_that_is_away_is_told_and_the_others_stay() -> None:
    task_log._server.cache_clear()
    with override_settings(PORTAL_REDIS_URL="redis://127.0.0.1:1/0"):
        told = scrape()
    task_log._server.cache_clear()

    assert told['portal_metrics_part_ok{part="tasks"}'] == 0
    assert told['portal_metrics_part_ok{part="rows"}'] == 1
    assert told['portal_check_ok{check="broker"}'] == 0
    assert told['portal_disk_free_bytes{disk="storage"}'] > 0


@pytest.mark.django_db
def test_a_task_is_counted_once_and_up_to_each_bound() -> None:
    for seconds in (0.2, 0.25, 3.0, 900.0):
        task_log._add(name="portal.timed", outcome="failure", seconds=seconds)

    after = scrape()
    labels = 'outcome="failure",task="portal.timed"'
    counts = {
        bound: after[f'portal_task_seconds_bucket{{le="{bound}",{labels}}}']
        for bound in ("0.05", "0.25", "1.0", "5.0", "300.0", "+Inf")
    }
    assert counts == {"0.05": 0, "0.25": 2, "1.0": 2, "5.0": 3, "300.0": 3, "+Inf": 4}
    assert after[f"portal_task_seconds_sum{{{labels}}}"] == 903.45
    assert after[f"portal_task_seconds_count{{{labels}}}"] == 4


@pytest.mark.django_db
def test_the_web_process_tells_of_itself_and_not_when_its_counts_began() -> None:
    Client().get("/healthz")
    told = scrape()

    assert told["process_resident_memory_bytes"] > 1e6
    assert not [name for name in told if "_created" in name]


@pytest.mark.django_db
def test_a_label_can_not_break_its_line() -> None:
    task_log._server().hset(task_log.LAST, 'q"\n\\', 1.5)
    told = scrape()
    task_log._server().hdel(task_log.LAST, 'q"\n\\')

    assert told['portal_task_last_success_timestamp_seconds{task="q\\"\\n\\\\"}'] == 1.5
