"""How the views describe themselves in docs/openapi.yaml."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers

from apps.api.problems import CODE
from apps.api.v1.errors import KNOWN
from apps.api.v1.queries import reads, takes

View = TypeVar("View", bound=Callable[..., Any])
PAGING = (
    OpenApiParameter(
        "limit", {"type": "integer", "minimum": 1}, description="Items on a page, at most 200."
    ),
    OpenApiParameter(
        "cursor",
        str,
        description="`next_cursor` of the page before, as it is; without, the first page.",
    ),
)


NEXT = {
    "next": serializers.URLField(
        allow_null=True, help_text="The address of the page after this one; null on the last."
    ),
    "next_cursor": serializers.CharField(
        allow_null=True, help_text="What that address gives as `cursor`; null on the last page."
    ),
}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """A token as Bearer; Basic with the token as the password works, too."""

    target_class = "apps.api.v1.base_view.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the scheme."""
        return {"type": "http", "scheme": "bearer"}


class PeopleSchema(AutoSchema):
    """Describes views that are there for who signed in, and for no token."""

    def get_auth(self) -> list[dict[str, list[str]]]:
        """Return how one shows who one is: by the cookie alone."""
        return [each for each in super().get_auth() if "cookieAuth" in each]


class ProblemSerializer(serializers.Serializer[Any]):
    """Why a request was refused (RFC 9457). `code` is stable, `detail` is for people."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.RegexField(
        CODE,
        help_text="What programs go by: words with underscores, here and from receivers, such as "
        + ", ".join(sorted({"invalid", *(code for _, code, _ in KNOWN.values())})),
    )
    detail = serializers.CharField()
    errors = serializers.ListField(  # type: ignore[assignment]  # published name
        child=serializers.DictField(child=serializers.CharField()), required=False
    )


def refusals() -> dict[Any, Any]:
    """Return how any view may refuse."""
    return {(code, "application/problem+json"): ProblemSerializer for code in (400, 401, 404)}


def answers(
    answer: type[serializers.Serializer[Any]] | serializers.Serializer[Any] | None,
    *,
    status: int = 200,
) -> dict[Any, Any]:
    """Return what a view may answer: what was asked for, or a problem document."""
    return {status: answer, **refusals()}


def changing(
    answer: type[serializers.Serializer[Any]] | None,
    *,
    status: int = 200,
) -> dict[Any, Any]:
    """Return what a view that changes something may answer: a conflict, too."""
    conflict = {(409, "application/problem+json"): ProblemSerializer}
    return answers(answer, status=status) | conflict


def lists(
    item: type[serializers.Serializer[Any]],
    *parameters: type[serializers.Serializer[Any]],
    operation: str = "",
) -> Callable[[View], View]:
    """Describe a view that answers a page of these items, and let it take no other parameters."""
    describe = extend_schema(
        responses=answers(_page_of(item)),
        parameters=[*PAGING, *parameters],
        operation_id=operation or f"{_name(item).lower()}_list",
    )
    filters = (str(name) for each in parameters for name in each().fields)
    mark = takes(*(each.name for each in PAGING), *filters)
    return lambda view: mark(describe(view))


def writes(
    entry: type[serializers.Serializer[Any]],
    answer: type[serializers.Serializer[Any]] | None,
    *,
    operation: str,
    status: int = 200,
) -> Callable[[View], View]:
    """Describe a view that changes something by a body, and let it read no other keys."""
    describe = extend_schema(
        request=entry, responses=changing(answer, status=status), operation_id=operation
    )
    mark = reads(entry)
    return lambda view: mark(describe(view))


def sends_csv(
    *parameters: type[serializers.Serializer[Any]], operation: str
) -> Callable[[View], View]:
    """Describe a view that sends a table as a file, and let it take no other parameters."""
    describe = extend_schema(
        responses={(200, "text/csv"): OpenApiTypes.STR, **refusals()},
        parameters=[*parameters],
        operation_id=operation,
    )
    mark = takes(*(str(name) for each in parameters for name in each().fields))
    return lambda view: mark(describe(view))


@cache
def _page_of(item: type[serializers.Serializer[Any]]) -> serializers.Serializer[Any]:
    return inline_serializer(
        name=f"{_name(item)}Page",
        fields={"results": item(many=True), **NEXT},
    )


def _name(item: type[serializers.Serializer[Any]]) -> str:
    return item.__name__.removesuffix("Serializer")
