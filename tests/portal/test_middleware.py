"""What every answer carries, and what a lost database looks like from outside."""

import json
import logging

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from portal import health
from portal.log_lines import JsonLines


def broken(request: HttpRequest) -> HttpResponse:
    """Behave as a view whose database went away."""
    raise OperationalError("the server closed the connection: password=hunter2")


def failing(request: HttpRequest) -> HttpResponse:
    """Behave as a view with a bug."""
    raise ValueError("line of a log")


urlpatterns = [path("broken", broken), path("failing", failing)]
handler500 = health.server_error


@override_settings(ROOT_URLCONF="tests.portal.test_middleware")
def test_a_lost_database_is_a_503_that_asks_to_come_back_and_tells_nothing() -> None:
    answer = Client(raise_request_exception=False).get("/broken")

    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert answer["Content-Type"] == "application/problem+json"
    assert b"hunter2" not in answer.content


@override_settings(ROOT_URLCONF="tests.portal.test_middleware")
def test_a_bug_is_a_500_that_tells_nothing() -> None:
    answer = Client(raise_request_exception=False).get("/failing")

    assert answer.status_code == 500
    assert b"line of a log" not in answer.content


def test_every_answer_has_an_id_and_a_strict_policy(client: Client) -> None:
    first, second = client.get("/healthz"), client.get("/healthz")

    assert first["X-Request-ID"] != second["X-Request-ID"]
    assert "unsafe" not in first["Content-Security-Policy"]
    assert first["X-Frame-Options"] == "DENY"


def test_a_lost_database_below_the_views_is_the_same_503(rf: RequestFactory) -> None:
    answers = []
    try:
        broken(rf.get("/"))
    except OperationalError:
        answers.append(health.server_error(rf.get("/")))

    assert [answer.status_code for answer in answers] == [503]


def test_a_value_with_line_ends_stays_one_line_of_the_log() -> None:
    record = logging.makeLogRecord(
        {
            "name": "portal",
            "msg": "metrics.pulled",
            "source": "a\r\nforged\x1b[2J",
            "levelname": "INFO",
        }
    )

    line = JsonLines().format(record)

    assert "\n" not in line
    assert "\x1b" not in line
    assert json.loads(line)["source"] == "a\r\nforged\x1b[2J"
    assert json.loads(line)["event"] == "metrics.pulled"
