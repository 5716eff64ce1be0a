"""Keys of a body that nobody would read are refused by their place, and bodies nobody reads."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from apps.api.v1.queries import check_body, reads


class PaceSerializer(serializers.Serializer[Any]):
    """How often."""

    zone = serializers.CharField()


class PortSerializer(serializers.Serializer[Any]):
    """One of many."""

    name = serializers.CharField()
    seen_at = serializers.DateTimeField(read_only=True)


class EntrySerializer(serializers.Serializer[Any]):
    """A body with something deep, and something in numbers."""

    pace = PaceSerializer()
    ports = PortSerializer(many=True)
    tags = serializers.DictField()


@reads(EntrySerializer)
def reading(request: Request) -> None:
    """Read such a body."""


def reading_nothing(request: Request) -> None:
    """Read no body."""


def refused(handler: Callable[..., Any], body: Any, method: str = "post") -> dict[str, str]:
    """Return place → refusal of what a body holds."""
    made = getattr(APIRequestFactory(), method)("/", body, format="json")
    try:
        check_body(handler=handler, request=Request(made, parsers=[JSONParser()]))
    except ValidationError as error:
        told: Any = error.detail
        return {name: str(words) for name, words in told.items()}
    return {}


GOOD = {"pace": {"zone": "UTC"}, "ports": [{"name": "a"}], "tags": {"any": "thing"}}


def test_keys_that_are_known_are_read_whatever_their_values() -> None:
    assert refused(reading, GOOD) == {}
    assert refused(reading, {"pace": 7, "ports": {"a": 1}, "tags": [{"x": 1}]}) == {}
    assert refused(reading, []) == {}


@pytest.mark.parametrize(
    ("body", "place", "words"),
    [
        ({"paces": 1}, "paces", "did you mean `pace`?"),
        ({"pace": {"zones": "UTC"}}, "pace.zones", "did you mean `zone`?"),
        ({"ports": [{"name": "a"}, {"names": "b"}]}, "ports[1].names", "did you mean `name`?"),
        ({"ports": [{"seen_at": "now"}]}, "ports[0].seen_at", "can't be set"),
    ],
)
def test_a_key_that_would_be_ignored_is_refused_by_its_place(
    body: dict[str, Any], place: str, words: str
) -> None:
    ((found, told),) = refused(reading, GOOD | body).items()
    assert found == place
    assert words in told


def test_a_body_that_nobody_reads_is_refused_and_an_empty_one_is_not() -> None:
    assert "send none" in refused(reading_nothing, {"a": 1})[""]
    assert refused(reading_nothing, {}) == {}
    assert refused(reading_nothing, None) == {}


@pytest.mark.parametrize("method", ["get", "head", "options"])
def test_nothing_is_read_of_a_body_that_only_asks(method: str) -> None:
    made = APIRequestFactory().generic(method.upper(), "/", "{", content_type="application/json")
    check_body(handler=reading_nothing, request=Request(made, parsers=[JSONParser()]))


@pytest.mark.parametrize("headers", [{"CONTENT_LENGTH": ""}, {"CONTENT_LENGTH": "0"}, {}])
def test_a_body_of_no_length_is_not_looked_at(headers: dict[str, str]) -> None:
    made = APIRequestFactory().generic("POST", "/", "a", content_type="text/unknown")
    del made.META["CONTENT_LENGTH"]
    made.META |= headers
    check_body(handler=reading_nothing, request=Request(made, parsers=[JSONParser()]))
