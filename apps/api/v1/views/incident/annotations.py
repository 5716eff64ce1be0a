"""What people write on the timeline of an incident."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.errors import refused_with
from apps.api.v1.schema import answers, changing, lists, writes
from apps.api.v1.serializers.incident.annotations import (
    AnnotationEntrySerializer,
    AnnotationRevisionSerializer,
    AnnotationSerializer,
    ReadCountSerializer,
    audience_of,
    note_of,
)
from apps.api.v1.serializers.listing import sent
from apps.api.v1.user_view import UserView
from apps.api.v1.views.incident.incidents import IncidentEndpoint
from apps.incidents.facade.acts import (
    annotate,
    mark_read,
    note_annotation,
    own_annotation,
    revise,
    withdraw,
)
from apps.incidents.facade.notes import annotation_history, annotations_of, party_ids, unread_of
from apps.incidents.facade.reads import open_incident
from apps.incidents.projection.header_values import IncidentFacts
from apps.incidents.projection.values import AnnotationVersion
from apps.incidents.refusals import AlreadyChanged


class AnnotationView(IncidentEndpoint):
    """What the views of annotations share."""

    def context(self, incident: IncidentFacts) -> dict[str, Any]:
        """Return what it takes to name an audience."""
        is_person = self.actor.user is not None
        unread = unread_of(actor=self.actor, incident=incident) if is_person else None
        return {**self.names(incident), "unread": unread}

    def names(self, incident: IncidentFacts) -> dict[str, Any]:
        """Return the same for who is no person: nothing is new to it."""
        slugs = {key: slug for slug, key in party_ids(actor=self.actor, incident=incident).items()}
        return {"slugs": slugs, "reader": self.actor.organization.pk, "unread": None}

    def one(
        self, incident: IncidentFacts, annotation: AnnotationVersion, *, status: int
    ) -> Response:
        """Return one annotation as it is sent."""
        shown = AnnotationSerializer(annotation, context=self.context(incident))
        return Response(shown.data, status=status)

    def note_on(
        self,
        incident: IncidentFacts,
        annotation: AnnotationVersion,
        action: str,
        former: AnnotationVersion | None = None,
    ) -> None:
        """Append an act on an annotation to the records of who may know of it."""
        note_annotation(
            actor=self.actor,
            incident=incident,
            annotation=annotation,
            action=action,
            former=former,
            request=self.request._request,  # noqa: SLF001  what remembers the address
            now=timezone.now(),
        )


class Annotations(AnnotationView):
    """The annotations of an incident that one may read."""

    creates = True

    @lists(AnnotationSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List their newest versions, oldest first, each reply behind what it answers."""
        incident = self.incident(public_id)
        page = page_of_items(items=annotations_of(incident=incident), request=request)
        shown = sent(AnnotationSerializer, page.results, self.context(incident))
        return Response(page.answer(shown))

    @writes(
        AnnotationEntrySerializer, AnnotationSerializer, operation="annotation_create", status=201
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Write one, or a reply. Without an audience only one's own organization reads it."""
        incident = self.incident(public_id)
        given = AnnotationEntrySerializer(data=request.data)
        given.is_valid(raise_exception=True)
        written = annotate(
            actor=self.actor,
            incident=incident,
            note=note_of(given.validated_data),
            audience=audience_of(given.validated_data),
            now=timezone.now(),
        )
        self.note_on(incident, written, "annotation.written")
        return self.one(incident, written, status=201)


class AnnotationDetail(AnnotationView):
    """One annotation with its history."""

    @lists(AnnotationSerializer, operation="annotation_versions")
    def get(
        self,
        request: Request,
        organization: str,
        public_id: str,
        note: str,
    ) -> Response:
        """List its versions that one may read, oldest first."""
        incident = self.incident(public_id)
        versions = annotation_history(actor=self.actor, incident=incident, public_id=note)
        page = page_of_items(items=versions, request=request)
        shown = sent(AnnotationSerializer, page.results, self.context(incident))
        return Response(page.answer(shown))

    @writes(AnnotationRevisionSerializer, AnnotationSerializer, operation="annotation_revise")
    def patch(
        self,
        request: Request,
        organization: str,
        public_id: str,
        note: str,
    ) -> Response:
        """Write its next version; what is not given stays as it was."""
        incident = self.incident(public_id)
        former = own_annotation(actor=self.actor, incident=incident, public_id=note)
        known = self.context(incident)
        shown = AnnotationSerializer(former, context=known).data
        kept = {name: shown[name] for name in ("text", "lane", "starts_at", "ends_at", "audience")}
        given = AnnotationRevisionSerializer(
            data=kept | request.data if isinstance(request.data, dict) else request.data
        )
        given.is_valid(raise_exception=True)
        try:
            written = revise(
                actor=self.actor,
                incident=incident,
                former=former,
                note=note_of(given.validated_data),
                audience=audience_of(given.validated_data),
                seen_version=given.validated_data["version"],
                now=timezone.now(),
            )
        except AlreadyChanged:
            return refused_with(AlreadyChanged, current=shown)
        self.note_on(incident, written, "annotation.revised", former=former)
        return self.one(incident, written, status=200)

    @extend_schema(responses=changing(None, status=204), operation_id="annotation_withdraw")
    def delete(
        self,
        request: Request,
        organization: str,
        public_id: str,
        note: str,
    ) -> Response:
        """Take it back. Its words are gone for others, who read by whom and when it was."""
        incident = self.incident(public_id)
        former = own_annotation(actor=self.actor, incident=incident, public_id=note)
        withdraw(actor=self.actor, incident=incident, former=former, now=timezone.now())
        self.note_on(incident, former, "annotation.withdrawn")
        return Response(status=204)


class AnnotationsRead(UserView):
    """What a person has seen of the annotations of an incident."""

    @extend_schema(request=None, responses=answers(ReadCountSerializer))
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Note that one has seen all of them, as far as one may read them."""
        incident = open_incident(actor=self.actor, public_id=public_id)
        count = mark_read(actor=self.actor, incident=incident, now=timezone.now())
        return Response({"read": count})
