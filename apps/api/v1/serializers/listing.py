"""Many of the same."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers


def sent(
    serializer: type[serializers.Serializer[Any]],
    items: Iterable[Any],
    context: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Return the items as they are sent."""
    many: Any = serializer(list(items), many=True, context=dict(context or {}))
    return list(many.data)
