"""The lines of the processes: one JSON object each, with nothing in them that somebody sent."""

import json
import logging
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from celery import shared_task
from django.test import Client, override_settings

from apps.operations.process_log.log_lines import JsonLines, name_work
from apps.operations.process_log.loggers import Faults, logging_of
from apps.tenancy.models import TokenScope
from tests.cast import make
from tests.cast.clients import member
from tests.running import environment

LINE = "rank 3: loss=1.52 secret-dataset"


@shared_task(name="portal.fail", queue="default", soft_time_limit=1, time_limit=2)
def fail(*, organization_id: int, text: str) -> None:
    """Behave as a task that trips over somebody's line."""
    raise ValueError(text)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Any:
    """Return what was written so far, as whoever collects the lines reads it."""
    caplog.set_level(logging.INFO)
    caplog.handler.setFormatter(JsonLines())
    return lambda: [json.loads(line) for line in caplog.text.splitlines()]


def written(**fields: object) -> dict[str, Any]:
    """Return one record as it is written."""
    record = logging.makeLogRecord({"name": "portal", "levelname": "INFO", "msg": "x", **fields})
    told: dict[str, Any] = json.loads(JsonLines().format(record))
    return told


@pytest.mark.django_db
def test_an_answer_is_one_line_with_its_route_and_not_its_address(said: Any) -> None:
    organization = make.organization()
    client = member(organization).client

    answer = client.get(f"/o/{organization.slug}/incidents/?q=secret-dataset")

    (line,) = [each for each in said() if each["event"] == "request.answered"]
    assert line["status"] == 200
    assert line["method"] == "GET"
    assert line["organization"] == organization.slug
    assert line["route"].startswith("o/<slug:org>/incidents/")
    assert line["request_id"] == answer["X-Request-ID"]
    assert 0 <= line["seconds"] < 60
    assert "secret-dataset" not in json.dumps(said())


@pytest.mark.django_db
def test_the_line_of_a_push_names_the_organization_of_its_credential(said: Any) -> None:
    organization = make.organization()
    sender = make.token(organization=organization, scopes=[TokenScope.INGEST])

    Client().post(
        "/api/v1/logs",
        LINE,
        content_type="text/plain",
        headers={"Authorization": f"Bearer {sender}"},
    )

    (line,) = [each for each in said() if each["event"] == "request.answered"]
    assert line["organization"] == organization.slug
    assert LINE not in json.dumps(said())
    assert sender not in json.dumps(said())


@override_settings(ROOT_URLCONF="tests.apps.operations.test_middleware")
def test_a_failed_request_names_the_place_in_the_code_and_not_the_text(said: Any) -> None:
    Client(raise_request_exception=False).get("/failing?token=flt_abc")

    (line,) = [each for each in said() if each["event"] == "request.failed"]
    assert line["exception"] == "ValueError"
    assert line["where"][-1].endswith(" failing")
    assert "line of a log" not in json.dumps(said())
    assert "flt_abc" not in json.dumps(said())


def test_a_task_ends_with_one_line_that_holds_no_text(said: Any) -> None:
    fail.apply(kwargs={"organization_id": 7, "text": LINE})

    (line,) = [each for each in said() if each["event"] == "task.ended"]
    assert line["task"] == "portal.fail"
    assert line["outcome"] == "failure"
    assert line["exception"] == "ValueError"
    assert line["organization_id"] == 7
    assert LINE not in json.dumps(said())


def test_a_line_written_after_a_task_no_longer_names_it(said: Any) -> None:
    fail.apply(kwargs={"organization_id": 7, "text": LINE})
    logging.getLogger("portal").info("later")

    assert "task" not in said()[-1]


@pytest.mark.parametrize(
    "text",
    [
        "can't reach postgresql://portal_app:hunter2@db/portal",
        "refused flt_hunter2_hunter2",
    ],
)
def test_what_opens_a_door_is_cut_out_of_any_line(text: str) -> None:
    assert "hunter2" not in json.dumps(written(msg=text, reason=text))


def test_of_an_object_only_its_kind_is_written() -> None:
    assert written(thing=Client())["thing"] == "Client"
    assert written(share=float("nan"))["share"] is None


def test_lines_name_the_work_at_hand() -> None:
    name_work(request_id="abc")
    try:
        assert written()["request_id"] == "abc"
    finally:
        name_work()


def test_the_web_server_itself_writes_json_too(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = subprocess.run(  # noqa: S603  our own command
            [
                *(sys.executable, "-m", "uvicorn", "portal.asgi:application", "--lifespan", "off"),
                *("--port", str(taken.getsockname()[1])),
            ],
            env=environment(tmp_path, {"PORTAL_SECRET_KEYS": "k" * 50}),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert "uvicorn.error" in {line["logger"] for line in lines}
    assert "address already in use" in done.stderr


@pytest.mark.parametrize(("status", "is_written"), [(500, True), (503, True), (501, False)])
def test_a_format_that_is_not_installed_is_no_fault_of_ours(
    status: int, *, is_written: bool
) -> None:
    record = logging.makeLogRecord({"name": "django.request", "status_code": status})
    assert Faults().filter(record) is is_written
    assert logging_of(level="INFO")["loggers"]["django.request"]["filters"] == ["faults"]
