"""What lists may be narrowed by, checked before it reaches a query."""

from datetime import datetime
from typing import Any, TypedDict

from rest_framework import serializers
from rest_framework.request import Request

from apps.diagnosis.model import Layer
from apps.incidents.models import IncidentStatus


class IncidentFilters(TypedDict, total=False):
    """What a list of incidents was narrowed by."""

    status: str
    layer: str
    since: datetime
    until: datetime


class IncidentFilterSerializer(serializers.Serializer[Any]):
    """Narrow a list of incidents. `since` is included, `until` is not."""

    status = serializers.ChoiceField(
        choices=[IncidentStatus.OPEN, IncidentStatus.RESOLVED, IncidentStatus.WITHDRAWN],
        required=False,
    )
    layer = serializers.ChoiceField(choices=[layer.value for layer in Layer], required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


class ClusterFilterSerializer(serializers.Serializer[Any]):
    """Narrow a list to one cluster."""

    cluster = serializers.SlugField(max_length=60, required=False)


class InstantFilterSerializer(serializers.Serializer[Any]):
    """Answer as it was at this time; now, if it is not given."""

    at = serializers.DateTimeField(required=False)


class EpisodeFilterSerializer(ClusterFilterSerializer):
    """Narrow a list of episodes by when they were raised. `since` is included, `until` is not."""

    kind = serializers.ChoiceField(choices=["warning", "signal"], required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


def episode_filters(request: Request) -> dict[str, Any]:
    """Return what a list of episodes is narrowed by; raise ValidationError."""
    given = EpisodeFilterSerializer(data=request.query_params)
    given.is_valid(raise_exception=True)
    filters: dict[str, Any] = dict(given.validated_data)
    if "kind" in filters:
        filters["is_page"] = filters.pop("kind") == "warning"
    return filters


def incident_filters(request: Request) -> IncidentFilters:
    """Return what a list of incidents is narrowed by; raise ValidationError."""
    given = IncidentFilterSerializer(data=request.query_params)
    given.is_valid(raise_exception=True)
    filters: IncidentFilters = given.validated_data
    return filters


def cluster_filter(request: Request) -> str | None:
    """Return the slug of the one cluster that was asked for."""
    given = ClusterFilterSerializer(data=request.query_params)
    given.is_valid(raise_exception=True)
    slug: str | None = given.validated_data.get("cluster")
    return slug


def at_filter(request: Request) -> datetime | None:
    """Return the time that was asked about."""
    given = InstantFilterSerializer(data=request.query_params)
    given.is_valid(raise_exception=True)
    at: datetime | None = given.validated_data.get("at")
    return at
