"""Evidence bundles: made by responders, sent by admins, downloaded by whom they were sent to."""

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_body
from apps.api.v1.schema import ProblemSerializer, answers, changing, lists, refusals, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.sharing.bundles import (
    BundleChoiceSerializer,
    BundlePreviewSerializer,
    BundleReasonSerializer,
    BundleSerializer,
    choice_of,
)
from apps.incidents.facade.bundles import make_bundle
from apps.sharing.bundles.bundle_contents import BundleSection
from apps.sharing.facade import bundles as facade
from apps.tenancy.access import Right

FILE = {(200, "application/zip"): OpenApiTypes.BINARY, **refusals()} | {
    (code, "application/problem+json"): ProblemSerializer for code in (409, 410)
}


class BundlesView(OrganizationView):
    """What acts on bundles: the records of both sides tell of it."""

    def shown(self, public_id: str, *, status: int = 200) -> Response:
        """Answer a bundle as it stands now."""
        view = facade.open_bundle(actor=self.actor, public_id=public_id, now=timezone.now())
        return Response(BundleSerializer(view).data, status=status)


class Bundles(BundlesView):
    """Bundles that one's organization made or was sent."""

    creates = True

    @lists(BundleSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, the newest first."""
        found = facade.list_bundles(actor=self.actor, now=timezone.now())
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(BundleSerializer, page.results)))

    @writes(BundleChoiceSerializer, BundleSerializer, operation="bundle_make", status=201)
    def post(self, request: Request, organization: str) -> Response:
        """Make one of what one's own organization holds of an incident. Nothing leaves yet.

        A token needs the scopes `read` and `write`.
        """
        self.actor.require(Right.ACT)
        self.actor.require(Right.READ)
        said = read_body(BundleChoiceSerializer, request=request)
        public_id = make_bundle(
            actor=self.actor,
            incident=said["incident"],
            choice=choice_of(said),
            context=self.act_context(),
        )
        return self.shown(public_id, status=201)


class BundleDetail(BundlesView):
    """One bundle."""

    @extend_schema(responses=answers(BundleSerializer), operation_id="bundle")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return how it stands."""
        return self.shown(public_id)


class BundlePreview(BundlesView):
    """What goes beside what stood there."""

    @extend_schema(responses=answers(BundlePreviewSerializer), operation_id="bundle_preview")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it for the holder alone; empty once the bundle is over."""
        found = facade.preview_of(actor=self.actor, public_id=public_id)
        return Response({str(each): found.get(str(each), []) for each in BundleSection})


class BundleSend(BundlesView):
    """Let them have it."""

    @extend_schema(request=None, responses=changing(BundleSerializer), operation_id="bundle_send")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Send it to its recipients. Signed-in admins only. 409 where it was sent or is over."""
        facade.send(actor=self.actor, public_id=public_id, context=self.act_context())
        return self.shown(public_id)


class BundleRevoke(BundlesView):
    """Take it back."""

    @writes(BundleReasonSerializer, BundleSerializer, operation="bundle_revoke")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Take it back and delete its content. Signed-in admins only. 409 where it is over."""
        self.actor.require(Right.MANAGE)
        facade.open_own_bundle(actor=self.actor, public_id=public_id, now=timezone.now())
        said = read_body(BundleReasonSerializer, request=request)
        facade.revoke(actor=self.actor, public_id=public_id, context=self.act_context(), **said)
        return self.shown(public_id)


class BundleDownload(BundlesView):
    """The file."""

    @extend_schema(responses=FILE, operation_id="bundle_download")
    def get(self, request: Request, organization: str, public_id: str) -> HttpResponse:
        """Send the ZIP. 410 once it was taken back or its time is over."""
        body = facade.download(actor=self.actor, public_id=public_id, context=self.act_context())
        answer = HttpResponse(body, content_type="application/zip")
        answer["Content-Disposition"] = f'attachment; filename="{public_id}.zip"'
        answer["X-Content-Type-Options"] = "nosniff"
        return answer
