"""Many of the same."""

from collections.abc import Iterable, Mapping
from typing import Any

from rest_framework import serializers


class SentParts:
    """Values as parts of something are sent, each kind by one serializer: to make one takes longer
    than to use it, and a list has many.
    """

    def __init__(self, context: Mapping[str, Any]) -> None:
        self._context = dict(context)
        self._made: dict[type[serializers.Serializer[Any]], serializers.Serializer[Any]] = {}

    def sent(self, serializer: type[serializers.Serializer[Any]], item: object) -> dict[str, Any]:
        """Return a value as it is sent."""
        if serializer not in self._made:
            self._made[serializer] = serializer(context=self._context)
        return dict(self._made[serializer].to_representation(item))


def sent(
    serializer: type[serializers.Serializer[Any]],
    items: Iterable[Any],
    context: Mapping[str, Any] | None = None,
) -> list[dict[str, Any]]:
    """Return the items as they are sent."""
    many: Any = serializer(list(items), many=True, context=dict(context or {}))
    return list(many.data)
