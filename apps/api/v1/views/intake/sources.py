"""The sources of an organization."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import BY_NAME, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.filters import ClusterFilterSerializer, cluster_filter
from apps.api.v1.schema import answers, lists, writes
from apps.api.v1.serializers.intake.sources import (
    SourceCreateSerializer,
    SourceDetailSerializer,
    SourceEntrySerializer,
    SourceSerializer,
    changes,
)
from apps.api.v1.serializers.listing import sent
from apps.fleet.access import access_cluster
from apps.telemetry.facade.sources import add_source, change_source, list_sources, open_source
from apps.telemetry.metrics.source_settings import SourceSettings


class Sources(OrganizationView):
    """Where an organization's metrics come from."""

    creates = True

    @lists(SourceSerializer, ClusterFilterSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them by name."""
        rows = list_sources(
            actor=self.actor, cluster=cluster_filter(actor=self.actor, request=request)
        )
        page = page_of_rows(rows=rows, order=BY_NAME, request=request)
        return Response(page.answer(sent(SourceSerializer, page.results)))

    @writes(SourceCreateSerializer, SourceSerializer, operation="source_create", status=201)
    def post(self, request: Request, organization: str) -> Response:
        """Add a Prometheus-compatible server. Admins only."""
        given = SourceCreateSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        cluster = access_cluster(actor=self.actor, slug=given.validated_data["cluster"])
        values, credential = changes(given)
        source = add_source(
            actor=self.actor,
            cluster=cluster,
            wanted=SourceSettings(values=values, credential=credential),
            now=timezone.now(),
        )
        self.note("source.added", source.public_id)
        return Response(SourceSerializer(source).data, status=201)


class SourceDetail(OrganizationView):
    """One source."""

    @extend_schema(responses=answers(SourceDetailSerializer), operation_id="source")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it and what its metrics can tell, without its credential."""
        source = open_source(actor=self.actor, public_id=public_id)
        return Response(SourceDetailSerializer(source, context={"actor": self.actor}).data)

    @writes(SourceEntrySerializer, SourceSerializer, operation="source_change")
    def patch(self, request: Request, organization: str, public_id: str) -> Response:
        """Change what is given. Admins only; a new URL takes the credential again."""
        source = open_source(actor=self.actor, public_id=public_id)
        given = SourceEntrySerializer(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        values, credential = changes(given)
        wanted = SourceSettings(values=values, credential=credential)
        changed = change_source(actor=self.actor, public_id=source.public_id, wanted=wanted)
        self.note("source.changed", source.public_id)
        return Response(SourceSerializer(changed).data)
