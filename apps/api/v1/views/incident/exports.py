"""Incidents as files."""

from collections.abc import Iterator
from dataclasses import replace

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request

from apps.api.exporting import stream
from apps.api.pagination import NEWEST_MOMENT
from apps.api.v1.filters import IncidentFilters, IncidentFilterSerializer, incident_filters
from apps.api.v1.queries import takes
from apps.api.v1.schema import ProblemSerializer, refusals
from apps.api.v1.serializers.fleet.changes import ClusterChangeSerializer
from apps.api.v1.serializers.incident.annotations import AnnotationSerializer
from apps.api.v1.serializers.incident.coordination import HandOverSerializer, ResolutionSerializer
from apps.api.v1.serializers.incident.evidence import KeptSerializer
from apps.api.v1.serializers.incident.hypotheses import BareHypothesisSerializer, MissingSerializer
from apps.api.v1.serializers.incident.shared import SharedAsSerializer, SharedSessionSerializer
from apps.api.v1.serializers.incident.timeline import BareTimelineSerializer
from apps.api.v1.serializers.listing import sent
from apps.api.v1.views.incident.annotations import AnnotationView
from apps.api.v1.views.incident.incidents import IncidentEndpoint, distinct_missing
from apps.diagnosis.spelling import meant, one_of
from apps.incidents.exports.export_format import (
    INCIDENT_SCHEMA,
    INCIDENTS_SCHEMA,
    ExportFormat,
    Header,
    IncidentDocument,
    Json,
    lacks_nothing,
)
from apps.incidents.exports.known_formats import all_formats
from apps.incidents.facade.cluster_changes import changes_around
from apps.incidents.facade.reads import incident_view_of, list_incidents
from apps.incidents.facade.shared import one_reading, shared_charts
from apps.incidents.projection.header_values import IncidentFacts, IncidentHeader
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.evidence import kept_charts
from apps.tenancy.access import Right
from apps.tenancy.scope import organization_scope

ROWS_A_SCOPE = 50
FORMAT = OpenApiParameter("format", str, enum=sorted(all_formats()), default="json")


def answers_of(*forms: ExportFormat) -> dict[object, object]:
    """Return how the answers in these formats are described."""
    types = {(200, form.media_type.partition(";")[0]): _body_type(form) for form in forms}
    lacking = {(501, "application/problem+json"): ProblemSerializer}
    needs_more = any(form.lacks is not lacks_nothing for form in forms)
    return {**types, **refusals(), **(lacking if needs_more else {})}


def _body_type(form: ExportFormat) -> OpenApiTypes:
    if form.is_binary:
        return OpenApiTypes.BINARY
    return OpenApiTypes.STR if form.is_text else OpenApiTypes.OBJECT


ANY = answers_of(*all_formats().values())


class IncidentsExport(IncidentEndpoint):
    """The list of incidents as a file."""

    @takes(FORMAT.name, *IncidentFilterSerializer().fields)
    @extend_schema(
        responses=ANY,
        parameters=[FORMAT, IncidentFilterSerializer],
        operation_id="incidents_export",
        deprecated=True,
    )
    def get(self, request: Request, organization: str) -> StreamingHttpResponse:
        """Send the headers of all incidents, newest first; `export.` with the name of a format
        does so, too, with an answer of one type.
        """
        return self.file(_format(request), organization)

    def file(self, form: ExportFormat, organization: str) -> StreamingHttpResponse:
        """Return the answer that sends them."""
        filters = incident_filters(self.request)
        self.actor.require(Right.READ)
        require_format(form)
        header = Header(
            schema=INCIDENTS_SCHEMA, organization=organization, exported_at=timezone.now()
        )
        self.note("incidents.exported", form.name)
        chunks = form.many(header, self.all_headers(filters))
        name = f"incidents-{organization}"
        return stream(request=self.request._request, chunks=chunks, form=form, name=name)  # noqa: SLF001  how it is served

    def all_headers(self, filters: IncidentFilters) -> Iterator[Json]:
        """Yield the headers of all incidents, read in short scopes of their own."""
        last: IncidentHeader | None = None
        while True:
            if last is not None:
                self.require_still()
            with organization_scope(self.actor.organization.pk):
                rows = list_incidents(actor=self.actor, **filters)
                if last is not None:
                    rows = rows.filter(NEWEST_MOMENT.after((last.moment, last.id)))
                found = rows[:ROWS_A_SCOPE]
                shown = self.sent_headers(found)
            yield from shown
            if len(found) < ROWS_A_SCOPE:
                return
            last = found[-1]


class IncidentExport(AnnotationView):
    """One incident with its explanations, story and annotations as a file."""

    @takes(FORMAT.name)
    @extend_schema(
        responses=ANY, parameters=[FORMAT], operation_id="incident_export", deprecated=True
    )
    def get(self, request: Request, organization: str, public_id: str) -> StreamingHttpResponse:
        """Send all of it that one may read; `export.` with the name of a format does so, too, with
        an answer of one type.
        """
        return self.file(_format(request), organization, public_id)

    def file(self, form: ExportFormat, organization: str, public_id: str) -> StreamingHttpResponse:
        """Return the answer that sends it."""
        incident = self.incident(public_id)
        require_format(form)
        header = Header(
            schema=INCIDENT_SCHEMA, organization=organization, exported_at=timezone.now()
        )
        with one_reading():
            document = self.document(incident)
            if form.draws_charts:
                document = replace(document, charts=self.charts(incident))
        self.note("incident.exported", f"{incident.public_id} {form.name}")
        chunks = form.one(header, document)
        name = incident.public_id
        return stream(request=self.request._request, chunks=chunks, form=form, name=name)  # noqa: SLF001  how it is served

    def document(self, incident: IncidentFacts) -> IncidentDocument:
        """Return everything of the incident that the actor may read, as REST sends it."""
        view = incident_view_of(
            actor=self.actor, public_id=incident.public_id, channel=LedgerChannel.EXPORT
        )
        changes, _hosts = changes_around(
            actor=self.actor,
            header=view.header,
            now=timezone.now(),
            channel=LedgerChannel.EXPORT,
        )
        parties = {each.organization.id: each.organization for each in view.header.parties}
        work = view.header.coordination
        texts = {"texts": {each.public_id: each.text for each in view.annotations}}
        return IncidentDocument(
            incident=self.sent_header(view.header),
            hypotheses=tuple(sent(BareHypothesisSerializer, view.hypotheses)),
            missing=tuple(sent(MissingSerializer, distinct_missing(view.hypotheses))),
            timeline=tuple(sent(BareTimelineSerializer, view.timeline, {"parties": parties})),
            # A file is for everybody of an organization: nothing in it is new to one person.
            annotations=tuple(
                sent(
                    AnnotationSerializer,
                    view.annotations,
                    self.names(incident),
                )
            ),
            hand_overs=tuple(sent(HandOverSerializer, work.hand_overs, texts)),
            resolutions=tuple(sent(ResolutionSerializer, work.resolutions, texts)),
            shared_sessions=tuple(sent(SharedSessionSerializer, view.sessions)),
            changes=tuple(sent(ClusterChangeSerializer, changes)),
        )

    def charts(self, incident: IncidentFacts) -> tuple[Json, ...]:
        """Return the metrics that the actor's organization kept, and what others show it."""
        own = kept_charts(
            actor=self.actor,
            incident_owner=incident.owner_id,
            incident_public_id=incident.public_id,
        )
        others = shared_charts(
            actor=self.actor, public_id=incident.public_id, channel=LedgerChannel.EXPORT
        )
        shown = sent(KeptSerializer, [each.series for each in others])
        marks = sent(SharedAsSerializer, [each.shared for each in others])
        marked = [{**each, "shared": mark} for each, mark in zip(shown, marks, strict=True)]
        return (*sent(KeptSerializer, own), *marked)


def incidents_as(form: ExportFormat) -> type[IncidentsExport]:
    """Return the view that sends the list of incidents in one format."""

    class IncidentsAs(IncidentsExport):
        """The list of incidents as a file of one format."""

        @takes(*IncidentFilterSerializer().fields)
        @extend_schema(
            responses=answers_of(form),
            parameters=[IncidentFilterSerializer],
            operation_id=f"incidents_export_{form.name}",
        )
        def get(self, request: Request, organization: str) -> StreamingHttpResponse:
            """Send the headers of all incidents, newest first."""
            return self.file(form, organization)

    return IncidentsAs


def incident_as(form: ExportFormat) -> type[IncidentExport]:
    """Return the view that sends one incident in one format."""

    class IncidentAs(IncidentExport):
        """One incident as a file of one format."""

        @takes()
        @extend_schema(responses=answers_of(form), operation_id=f"incident_export_{form.name}")
        def get(self, request: Request, organization: str, public_id: str) -> StreamingHttpResponse:
            """Send all of it that one may read."""
            return self.file(form, organization, public_id)

    return IncidentAs


class FormatNotInstalled(APIException):
    """What makes a format is an extra that is missing here; the text says what to do."""

    status_code = 501
    default_code = "format_not_installed"


def require_format(form: ExportFormat) -> None:
    """Refuse a format that can't be made here. Raises FormatNotInstalled."""
    if lacking := form.lacks():
        raise FormatNotInstalled(lacking)


def _format(request: Request) -> ExportFormat:
    name = request.query_params.get("format", "json")
    if name not in all_formats():
        raise ValidationError(
            {"format": one_of(known=all_formats()) + meant(word=name, known=all_formats())}
        )
    return all_formats()[name]
