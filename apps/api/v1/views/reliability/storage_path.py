"""The storage path of a cluster: saves and loads, what they cost, what the path is rated at."""

from datetime import timedelta
from typing import Any, Final

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import InstantField, SpanFilterSerializer
from apps.api.v1.queries import read_body, read_query, reads, takes
from apps.api.v1.schema import answers, sends_csv
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.reliability.storage_path import (
    CheckpointLedgerRowSerializer,
    RatingEntrySerializer,
    RatingSerializer,
    StoragePathSerializer,
)
from apps.fleet.access import access_cluster
from apps.incidents.exports.formats.csv import csv_table
from apps.reliability.facade.storage_path import (
    StorageQuestion,
    checkpoint_ledger,
    storage_path,
)
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.storage_path.ratings import (
    BadRating,
    RatingKind,
    enter_rating,
    may_rate,
    ratings_of,
)
from apps.tenancy.access import NotFound

USUAL_SPAN: Final = timedelta(days=7)
LONGEST_SPAN: Final = timedelta(days=100)
COLUMNS: Final = tuple(CheckpointLedgerRowSerializer().fields)


class StorageSpanSerializer(SpanFilterSerializer):
    """`since` is included, `until` is not; without them the last seven days. 100 days at most."""

    since = InstantField()
    until = InstantField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Fill in what is not given; refuse a span that is too long."""
        told = super().validate(attrs)
        until = told.get("until") or timezone.now()
        since = told.get("since") or until - USUAL_SPAN
        if until - since > LONGEST_SPAN:
            raise serializers.ValidationError({"since": "a span of at most 100 days"})
        return {**told, "since": since, "until": until}


class StorageQuestionSerializer(StorageSpanSerializer):
    """The same, with the save or load around `at` in detail; `scale` asks for numbers of nodes."""

    at = InstantField()
    scale = serializers.BooleanField(required=False, default=False)


class StoragePath(OrganizationView):
    """A cluster's saves and loads."""

    @takes(*StorageQuestionSerializer().fields)
    @extend_schema(
        responses=answers(StoragePathSerializer),
        parameters=[StorageQuestionSerializer],
        operation_id="storage_path",
    )
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return them, with one in detail: that at `at`, else the newest."""
        told = read_query(StorageQuestionSerializer, request=request)
        found = storage_path(
            actor=self.actor,
            asked=StorageQuestion(
                cluster=public_id,
                since=told["since"],
                until=told["until"],
                at=told.get("at"),
                with_scale=told["scale"],
            ),
            channel=LedgerChannel.REST,
            now=timezone.now(),
        )
        return Response(StoragePathSerializer(found).data)


class CheckpointLedgerCsv(OrganizationView):
    """The ledger of saves and loads as a file."""

    @sends_csv(StorageSpanSerializer, operation="storage_path_ledger_csv")
    def get(self, request: Request, organization: str, public_id: str) -> StreamingHttpResponse:
        """Send the saves and loads of the span by time."""
        told = read_query(StorageSpanSerializer, request=request)
        rows = checkpoint_ledger(
            actor=self.actor,
            asked=StorageQuestion(cluster=public_id, since=told["since"], until=told["until"]),
            channel=LedgerChannel.EXPORT,
            now=timezone.now(),
        )
        self.note("storage.exported", public_id)
        return self.send_csv(
            csv_table(COLUMNS, iter(sent(CheckpointLedgerRowSerializer, rows))),
            name=f"checkpoints-{public_id}",
        )


class StorageRatings(OrganizationView):
    """What the storage path is rated at, and since when."""

    creates = True

    @extend_schema(responses=answers(RatingSerializer(many=True)), operation_id="storage_ratings")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List what was entered, the newest first."""
        cluster = access_cluster(actor=self.actor, slug=public_id)
        return Response(sent(RatingSerializer, ratings_of(actor=self.actor, cluster=cluster)))

    @reads(RatingEntrySerializer)
    @extend_schema(
        request=RatingEntrySerializer,
        responses=answers(RatingSerializer, status=201),
        operation_id="enter_storage_rating",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Enter a rating. For the operator and the storage vendor of the cluster."""
        cluster = access_cluster(actor=self.actor, slug=public_id)
        if not may_rate(actor=self.actor, cluster=cluster):
            raise NotFound
        told = read_body(RatingEntrySerializer, request=request)
        now = timezone.now()
        try:
            made = enter_rating(
                actor=self.actor,
                slug=public_id,
                kind=RatingKind(told["kind"]),
                value=told["value"],
                valid_from=told.get("valid_from") or now,
                now=now,
            )
        except BadRating as error:
            raise ValidationError({"value": str(error)}) from error
        self.note("storage.rated", f"{public_id} {made.kind}")
        return Response(RatingSerializer(made).data, status=201)
