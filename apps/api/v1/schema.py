"""How the views describe themselves in docs/openapi.yaml."""

from collections.abc import Callable
from typing import Any, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers

View = TypeVar("View", bound=Callable[..., Any])
PAGING = (
    OpenApiParameter("limit", int, description="Items on a page, at most 200."),
    OpenApiParameter("cursor", str, description="Taken from `next`; opaque."),
)


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  theirs has none
    """A token as Bearer; Basic with the token as the password works, too."""

    target_class = "apps.api.v1.door.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Return the scheme."""
        return {"type": "http", "scheme": "bearer"}


def lists(
    item: type[serializers.BaseSerializer[Any]],
    *parameters: type[serializers.BaseSerializer[Any]],
) -> Callable[[View], View]:
    """Describe a view that answers a page of these items."""
    name = item.__name__.removesuffix("Serializer")
    page = inline_serializer(
        name=f"{name}Page",
        fields={
            "results": item(many=True),
            "next": serializers.URLField(allow_null=True),
        },
    )
    return extend_schema(
        responses=page, parameters=[*PAGING, *parameters], operation_id=f"{name.lower()}_list"
    )
