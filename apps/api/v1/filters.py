"""What lists may be narrowed by, checked before it reaches a query."""

from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, TypedDict, cast

from rest_framework import serializers
from rest_framework.request import Request

from apps.api.v1.queries import read_query
from apps.api.v1.serializers.fields import DayField, WordField
from apps.diagnosis.model import EndState, Layer
from apps.diagnosis.spelling import meant, shown
from apps.fleet.access import access_clusters
from apps.fleet.sessions.session_filter import SessionFilter
from apps.incidents.facade.reads import hit_sessions
from apps.incidents.projection.incident_filter import IncidentFilter
from apps.incidents.states import IncidentStatus
from apps.sharing.ledger.reading import LedgerFilters, LedgerSide
from apps.telemetry.facade.warnings import EpisodeFilter, EpisodeState
from apps.tenancy.access import Actor
from apps.tenancy.values import PUBLIC_ID
from apps.wording.causes import CAUSES

INSTANT = "write it like 2026-11-21T02:00:00Z, or with +09:00; in an address the + is %2B"


class InstantField(serializers.DateTimeField):
    """A moment; without a zone it is in UTC."""

    default_error_messages: ClassVar[dict[str, Any]] = dict.fromkeys(
        ("invalid", "date", "make_aware", "overflow"), INSTANT
    )

    def __init__(self) -> None:
        super().__init__(required=False, default_timezone=UTC)


class SpanFilterSerializer(serializers.Serializer[Any]):
    """A span that ends after it begins."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a span that nothing can lie in."""
        if "since" in attrs and "until" in attrs and attrs["until"] <= attrs["since"]:
            raise serializers.ValidationError({"until": "it must be later than `since`"})
        return attrs


class IncidentFilters(TypedDict, total=False):
    """What a list of incidents was narrowed by."""

    wanted: IncidentFilter

    status: str
    layer: str
    since: datetime
    until: datetime


class CauseField(serializers.CharField):
    """The slug of a cause, as in docs/diagnosis-schema.md."""

    def to_internal_value(self, data: Any) -> str:
        """Refuse one that there is not, and name the one that was probably meant."""
        word = str(super().to_internal_value(data))
        if word in CAUSES:
            return word
        hint = meant(word=word, known=CAUSES)
        raise serializers.ValidationError(f"there is no cause `{shown(word=word)}`{hint}")


class NamedFilterSerializer(SpanFilterSerializer):
    """What several lists are narrowed by. A name that one may not know narrows to nothing."""

    cause = CauseField(required=False)
    layer = WordField(choices=[layer.value for layer in Layer], required=False)
    host = serializers.CharField(max_length=253, required=False)
    cluster = serializers.SlugField(max_length=60, required=False)
    since = InstantField()
    until = InstantField()


class IncidentFilterSerializer(NamedFilterSerializer):
    """Narrow a list of incidents. `since` is included, `until` is not."""

    status = WordField(
        choices=[IncidentStatus.OPEN, IncidentStatus.RESOLVED, IncidentStatus.WITHDRAWN],
        required=False,
    )
    session = serializers.CharField(
        max_length=200, required=False, help_text="The id, name or job of one that was hit."
    )
    party = serializers.CharField(max_length=60, required=False, help_text="A slug.")


class SessionFilterSerializer(NamedFilterSerializer):
    """Narrow a list of sessions by their last attempt, and by the incidents that hit them."""

    state = WordField(choices=[state.value for state in EndState], required=False)
    name = serializers.CharField(
        max_length=200, required=False, help_text="A part of its name or job, or its id."
    )
    tenant = serializers.CharField(max_length=60, required=False, help_text="A slug.")


class ClusterFilterSerializer(serializers.Serializer[Any]):
    """Narrow a list to one cluster."""

    cluster = serializers.SlugField(max_length=60, required=False)


class InstantFilterSerializer(serializers.Serializer[Any]):
    """Answer as it was at this time; now, if it is not given."""

    at = InstantField()


class DaysFilterSerializer(serializers.Serializer[Any]):
    """Over how many days until now it is counted."""

    days = serializers.IntegerField(min_value=1, max_value=730, required=False, default=90)


class WarningFilterSerializer(NamedFilterSerializer):
    """Narrow a list of warnings by when they were raised. `since` is included, `until` is not."""

    kind = WordField(choices=["warning", "signal"], required=False)
    state = WordField(choices=[state.value for state in EpisodeState], required=False)


def warning_filters(*, actor: Actor, request: Request) -> tuple[dict[str, Any], EpisodeFilter]:
    """Return what a list of warnings is narrowed by, columns apart; raise ValidationError."""
    given = read_query(WarningFilterSerializer, request=request)
    _check_cluster(actor, given.get("cluster"))
    if "kind" in given:
        given["is_page"] = given.pop("kind") == "warning"
    named = {name: given.pop(name, "") for name in ("cause", "host", "state")}
    return given, EpisodeFilter(**named)


def incident_filters(request: Request) -> IncidentFilters:
    """Return what a list of incidents is narrowed by; raise ValidationError."""
    given = read_query(IncidentFilterSerializer, request=request)
    names = ("cause", "host", "session", "party", "cluster")
    wanted = IncidentFilter(**{name: given.pop(name, "") for name in names})
    return cast("IncidentFilters", {**given, "wanted": wanted})


def session_filter(*, actor: Actor, request: Request) -> SessionFilter:
    """Return what a list of sessions is narrowed by; raise ValidationError."""
    given = read_query(SessionFilterSerializer, request=request)
    _check_cluster(actor, given.get("cluster"))
    cause, layer = given.pop("cause", ""), given.pop("layer", "")
    hit = hit_sessions(actor=actor, layer=layer, cause=cause) if cause or layer else None
    return SessionFilter(**given, ids=hit)


def cluster_filter(*, actor: Actor, request: Request) -> str | None:
    """Return the slug of the one cluster that was asked for; raise ValidationError."""
    given = read_query(ClusterFilterSerializer, request=request)
    slug: str | None = given.get("cluster")
    _check_cluster(actor, slug)
    return slug


def _check_cluster(actor: Actor, slug: str | None) -> None:
    """Raise ValidationError for a misspelt cluster of one's own.

    Of another one, there or not, nothing is here: so says the list, empty.
    """
    known = set(access_clusters(actor=actor).values_list("slug", flat=True)) if slug else set()
    if slug and slug not in known and (hint := meant(word=slug, known=known)):
        words = f"there is no cluster `{shown(word=slug)}` of yours{hint}"
        raise serializers.ValidationError({"cluster": words})


def at_filter(request: Request) -> datetime | None:
    """Return the time that was asked about."""
    given = read_query(InstantFilterSerializer, request=request)
    at: datetime | None = given.get("at")
    return at


class PublicIdField(serializers.RegexField):
    """The id of an agreement, an incident, a request or a bundle."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "invalid": "write an id as it stands on a page, such as INC-7K2M9P"
    }

    def __init__(self) -> None:
        super().__init__(regex=PUBLIC_ID, required=False)


class LedgerFilterSerializer(serializers.Serializer[Any]):
    """Narrow the ledger. `day` is one in UTC; `until` is not included."""

    side = WordField(choices=list(LedgerSide), required=False)
    party = serializers.CharField(max_length=60, required=False, help_text="The other side's slug.")
    agreement = PublicIdField()
    incident = PublicIdField()
    day = DayField(required=False)
    until = InstantField()


def ledger_filters(request: Request) -> LedgerFilters:
    """Return what the ledger is narrowed by; raise ValidationError."""
    told = read_query(LedgerFilterSerializer, request=request)
    return LedgerFilters(
        side=LedgerSide(told["side"]) if "side" in told else None,
        party=told.get("party", ""),
        ground=told.get("agreement", ""),
        incident=told.get("incident", ""),
        day=told.get("day"),
        until=told.get("until"),
    )


def days_filter(request: Request) -> timedelta:
    """Return over how long something is counted; raise ValidationError."""
    given = read_query(DaysFilterSerializer, request=request)
    return timedelta(days=given["days"])
