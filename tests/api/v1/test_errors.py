"""Refusals as problem documents: status, code, fields and headers of each kind."""

from typing import Any

import pytest
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from apps.api.idempotency import BadKey
from apps.api.v1.errors import FIELDS, KNOWN, answer_to
from apps.incidents.refusals import TextMissing
from apps.tenancy.access import NotFound


def told(error: Exception) -> Response:
    """Return the answer to an error."""
    answer = answer_to(error, {})
    assert answer is not None
    return answer


def test_what_nobody_foresaw_is_no_refusal() -> None:
    assert answer_to(ValueError("x"), {}) is None


def test_what_is_known_has_its_status_and_code() -> None:
    answers = {kind: told(kind()) for kind in (NotFound, BadKey)}
    assert {kind: (each.status_code, each.data["code"]) for kind, each in answers.items()} == {
        kind: KNOWN[kind][:2] for kind in answers
    }


def test_what_is_wrong_with_one_field_names_it() -> None:
    answer = told(TextMissing("write something"))
    field = FIELDS[TextMissing]
    assert answer.status_code == 400
    assert answer.data["errors"] == [{"field": field, "detail": "write something"}]
    assert answer.data["detail"] == f"{field}: write something"


@pytest.mark.parametrize("error", [Http404(), exceptions.NotFound("there was a row 7")])
def test_whoever_does_not_find_it_the_words_are_the_same(error: Exception) -> None:
    assert told(error).data == told(NotFound()).data


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (exceptions.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (exceptions.UnsupportedMediaType("text/csv"), 415, "unsupported_media_type"),
        (exceptions.AuthenticationFailed("no"), 401, "authentication_failed"),
    ],
)
def test_the_frameworks_refusals_keep_status_and_code(
    error: Exception, status: int, code: str
) -> None:
    answer = told(error)
    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert answer.data["detail"]


def test_when_to_come_back_and_how_to_sign_in_are_told_where_they_are_known() -> None:
    challenged: Any = exceptions.NotAuthenticated()
    challenged.auth_header = "Bearer"
    headers = [told(each).headers for each in (exceptions.Throttled(wait=7), challenged)]
    named = ("Retry-After", "WWW-Authenticate")
    assert [[each.get(name) for name in named] for each in headers] == [
        ["7", None],
        [None, "Bearer"],
    ]


def test_slips_in_deep_fields_are_named_by_their_path() -> None:
    slips: Any = {
        "pace": {"zone": ["no such zone"]},
        "urls": [{"non_field_errors": ["two of it"]}],
        "": [],
    }
    errors = told(exceptions.ValidationError(slips)).data["errors"]
    assert errors == [
        {"field": "pace.zone", "detail": "no such zone"},
        {"field": "urls", "detail": "two of it"},
    ]


def test_a_slip_without_a_field_stands_by_itself() -> None:
    assert told(exceptions.ValidationError({"": "send none"})).data["detail"] == "send none"
