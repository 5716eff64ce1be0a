"""What parties of an incident ask each other to show, and how they answer."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_ASKED, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, changing, lists, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.sharing.evidence_requests import (
    EvidenceRequestEntrySerializer,
    EvidenceRequestSerializer,
    GrantEntrySerializer,
    RequestReasonSerializer,
)
from apps.incidents.evidence_requests.request_terms import GrantEntry, RequestEntry
from apps.incidents.facade import evidence_requests as facade
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.terms import Level
from apps.tenancy.access import Right

Entry = type[serializers.Serializer[Any]]


class EvidenceRequestsView(OrganizationView):
    """What acts on requests: the records of both sides tell of it."""

    def shown(self, public_id: str, *, status: int = 200) -> Response:
        """Answer a request as it stands now."""
        now = timezone.now()
        view = facade.open_request(
            actor=self.actor, public_id=public_id, now=now, channel=LedgerChannel.REST
        )
        return Response(EvidenceRequestSerializer(view).data, status=status)

    def given(self, entry: Entry, public_id: str, *, right: Right) -> Mapping[str, Any]:
        """Return what was sent of a request that the actor may act on."""
        # Before the body is judged: what is wrong with it must not tell who may act.
        self.actor.require(right)
        facade.open_request(actor=self.actor, public_id=public_id, now=timezone.now())
        return read_body(entry, request=self.request)


class EvidenceRequests(EvidenceRequestsView):
    """What one's organization asks others for, and is asked for."""

    creates = True

    @lists(EvidenceRequestSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, the newest first."""
        rows = facade.list_requests(
            actor=self.actor, now=timezone.now(), channel=LedgerChannel.REST
        )
        page = page_of_rows(rows=rows, order=NEWEST_ASKED, request=request)
        return Response(page.answer(sent(EvidenceRequestSerializer, page.results)))

    @writes(
        EvidenceRequestEntrySerializer,
        EvidenceRequestSerializer,
        operation="evidence_request_ask",
        status=201,
    )
    def post(self, request: Request, organization: str) -> Response:
        """Ask another party of an incident for one class of data, in a window, for a while.

        The answer never tells whether there is any.
        """
        self.actor.require(Right.ACT)
        said = read_body(EvidenceRequestEntrySerializer, request=request)
        public_id = facade.ask(
            actor=self.actor,
            incident=said.pop("incident"),
            entry=RequestEntry(level=Level(said.pop("level")), **said),
            context=self.act_context(),
        )
        return self.shown(public_id, status=201)


class EvidenceRequestDetail(EvidenceRequestsView):
    """One request."""

    @extend_schema(responses=answers(EvidenceRequestSerializer), operation_id="evidence_request")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it as it stands."""
        return self.shown(public_id)


class EvidenceRequestGrant(EvidenceRequestsView):
    """Show it."""

    @writes(GrantEntrySerializer, EvidenceRequestSerializer, operation="evidence_request_grant")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Show what is asked for, or less of it. Signed-in admins only.

        What is granted beyond what was asked for is refused.
        """
        said = self.given(GrantEntrySerializer, public_id, right=Right.MANAGE)
        level = Level(said["level"]) if said["level"] else None
        entry = GrantEntry(**{**said, "level": level})
        facade.grant(actor=self.actor, public_id=public_id, entry=entry, context=self.act_context())
        return self.shown(public_id)


class EvidenceRequestDecline(EvidenceRequestsView):
    """Say no."""

    @writes(
        RequestReasonSerializer, EvidenceRequestSerializer, operation="evidence_request_decline"
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Decline it; who asked reads the reason."""
        said = self.given(RequestReasonSerializer, public_id, right=Right.ACT)
        facade.decline(
            actor=self.actor, public_id=public_id, reason=said["reason"], context=self.act_context()
        )
        return self.shown(public_id)


class EvidenceRequestTakeBack(EvidenceRequestsView):
    """Think again."""

    @extend_schema(
        request=None,
        responses=changing(EvidenceRequestSerializer),
        operation_id="evidence_request_take_back",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Take back what one asked for and nobody answered yet."""
        facade.take_back(actor=self.actor, public_id=public_id, context=self.act_context())
        return self.shown(public_id)


class EvidenceRequestRevoke(EvidenceRequestsView):
    """End it."""

    @writes(RequestReasonSerializer, EvidenceRequestSerializer, operation="evidence_request_revoke")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """End a grant at once; from then on nothing is shown by it. The other side reads why."""
        said = self.given(RequestReasonSerializer, public_id, right=Right.ACT)
        facade.revoke(
            actor=self.actor, public_id=public_id, reason=said["reason"], context=self.act_context()
        )
        return self.shown(public_id)
