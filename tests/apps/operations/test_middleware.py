"""What every answer carries, and what a lost database looks like from outside."""

import asyncio
import json
import logging
from collections.abc import Iterator
from io import BytesIO

import pytest
import redis
from django.core.exceptions import BadRequest
from django.core.handlers.asgi import ASGIRequest
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory, override_settings
from django.urls import path

from apps.api.problems import TITLES
from apps.operations.http import bad_requests, middleware
from apps.operations.monitoring import health
from apps.operations.process_log.log_lines import JsonLines
from apps.tenancy.refused_body import SCOPE_KEY, Withheld


def broken(request: HttpRequest) -> HttpResponse:
    """Behave as a view whose database went away."""
    raise OperationalError("the server closed the connection: password=hunter2")


def failing(request: HttpRequest) -> HttpResponse:
    """Behave as a view with a bug."""
    raise ValueError("line of a log")


def uncounted(request: HttpRequest) -> HttpResponse:
    """Behave as the sign-in page whose failures can't be counted."""
    raise redis.ConnectionError("Error 111 connecting to redis://:hunter2@valkey")


urlpatterns = [
    *(path("broken", broken), path("failing", failing), path("uncounted", uncounted)),
]
handler500 = health.server_error


@override_settings(ROOT_URLCONF="tests.apps.operations.test_middleware")
@pytest.mark.parametrize("path", ["/broken", "/uncounted"])
def test_a_lost_server_is_a_503_that_asks_to_come_back_and_tells_nothing(path: str) -> None:
    answer = Client(raise_request_exception=False).get(path)

    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert answer["Content-Type"] == "application/problem+json"
    assert b"hunter2" not in answer.content


@override_settings(ROOT_URLCONF="tests.apps.operations.test_middleware")
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


def withheld_answer(path: str, *, language: str = "en") -> HttpResponse:
    """Ask for something whose body was kept from the application."""
    why = Withheld(status=429, code="too_many_requests", detail="Not now.", retry_after=5)
    request = RequestFactory().post(path, HTTP_ACCEPT_LANGUAGE=language)
    request.scope = {SCOPE_KEY: why}  # type: ignore[attr-defined]
    handle = middleware.ReadersLanguage(middleware.bodies_withheld(failing))
    answer = handle(request)
    assert isinstance(answer, HttpResponse)
    return answer


def test_a_page_whose_form_was_not_read_says_when_to_try_again_in_the_readers_language() -> None:
    answer, korean = withheld_answer("/sign-in/"), withheld_answer("/sign-in/", language="ko")

    assert (answer.status_code, answer["Retry-After"]) == (429, "5")
    assert "Wait 5 seconds" in answer.content.decode()
    assert '<html lang="ko">' in korean.content.decode()


def test_a_machine_whose_body_was_not_read_is_told_in_its_own_form() -> None:
    answer = withheld_answer("/api/v1/o/aurora/tokens/")

    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["code"] == "too_many_requests"
    assert json.loads(answer.content)["title"] == TITLES[429]


def test_of_a_file_no_more_is_read_than_is_sent() -> None:
    read: list[int] = []

    def parts() -> Iterator[bytes]:
        for number in range(100):
            read.append(number)
            yield b"x" * 1000

    async def first_of(response: StreamingHttpResponse) -> bytes:
        return await anext(aiter(response))

    scope = {"type": "http", "method": "GET", "path": "/static/x", "headers": []}
    request = ASGIRequest(scope, BytesIO())
    response = middleware.files_in_steps(lambda _: StreamingHttpResponse(parts()))(request)
    assert isinstance(response, StreamingHttpResponse)

    assert asyncio.run(first_of(response)) == b"x" * 1000
    assert len(read) == 1


def test_of_parameters_with_a_nul_only_those_are_named() -> None:
    request = RequestFactory().get("/api/v1/", {"fine": "x", "wrong": "a\0b", "ba\0d": "y"})
    told = json.loads(bad_requests.refused(request, BadRequest()).content)
    fields = [each["field"] for each in told["errors"]]
    assert (told["code"], len(fields), fields[0]) == ("invalid", 2, "wrong")
    assert "fine" not in json.dumps(told)
    other = json.loads(
        bad_requests.refused(RequestFactory().get("/api/v1/?a=b"), BadRequest()).content
    )
    assert (other["code"], "errors" in other) == ("bad_request", False)
