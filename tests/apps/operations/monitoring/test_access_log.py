"""At which level an answer is told, and what stands for its address."""

import logging
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse

from apps.operations.monitoring import access_log


def request(
    *, path: str = "/o/aurora/", method: str = "GET", route: str | None = "o/<org>/"
) -> Any:
    """Return a request that was led to a route, or to none."""
    made = HttpRequest()
    made.path_info, made.method = path, method
    if route is not None:
        matched: Any = SimpleNamespace(route=route, kwargs={"org": "aurora"})
        made.resolver_match = matched
    return made


def told(caplog: pytest.LogCaptureFixture, asked: HttpRequest, status: int = 200) -> Any:
    """Return the line about an answer."""
    caplog.set_level(logging.DEBUG, "portal.access")
    access_log.told(lambda _: HttpResponse(status=status))(asked)
    (line,) = caplog.records
    return line


@pytest.mark.parametrize(
    ("route", "status", "level"),
    [
        ("o/<org>/", 200, logging.INFO),
        ("o/<org>/", 499, logging.INFO),
        ("o/<org>/", 500, logging.WARNING),
        ("o/<org>/", 501, logging.INFO),
        ("o/<org>/", 503, logging.WARNING),
        ("healthz", 200, logging.DEBUG),
        ("healthz", 503, logging.WARNING),
    ],
)
def test_faults_are_warnings_and_watchers_are_told_of_quietly(
    caplog: pytest.LogCaptureFixture, route: str, status: int, level: int
) -> None:
    assert told(caplog, request(route=route), status).levelno == level


@pytest.mark.parametrize(
    ("asked", "route"),
    [
        (request(), "o/<org>/"),
        (request(path="/static/app.css"), "static"),
        (request(route=None), "unknown"),
    ],
)
def test_the_route_stands_for_the_address(
    caplog: pytest.LogCaptureFixture, asked: HttpRequest, route: str
) -> None:
    assert told(caplog, asked).route == route


@pytest.mark.parametrize(("method", "named"), [("PATCH", "PATCH"), ("BREW", "other")])
def test_a_method_nobody_knows_has_no_name(
    caplog: pytest.LogCaptureFixture, method: str, named: str
) -> None:
    assert told(caplog, request(method=method)).method == named


def test_whose_credential_pushed_goes_before_whose_page_was_asked_for(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pushed = request()
    pushed.META["portal.organization"] = "northwind"
    assert told(caplog, pushed).organization == "northwind"
    caplog.clear()
    assert told(caplog, request()).organization == "aurora"
    caplog.clear()
    assert told(caplog, request(route=None)).organization is None
