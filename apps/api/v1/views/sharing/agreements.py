"""What organizations show each other: read by members, proposed and answered by admins."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import reads
from apps.api.v1.schema import answers, changing, lists
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.sharing.agreements import (
    AgreementDetailSerializer,
    AgreementProposalSerializer,
    AgreementSerializer,
    DeclineSerializer,
    EndReceiptSerializer,
    RevokeSerializer,
    VersionSerializer,
)
from apps.sharing.agreement_acts import Proposal
from apps.sharing.facade import agreements as facade
from apps.sharing.facade.receipts import receipts_of
from apps.sharing.terms import read_terms
from apps.tenancy.access import Right


class AgreementsView(OrganizationView):
    """What acts on agreements: the records of both sides tell of it."""

    def shown(self, public_id: str, *, status: int = 200) -> Response:
        """Answer an agreement as it stands now."""
        now = timezone.now()
        view = facade.open_agreement(actor=self.actor, public_id=public_id, now=now)
        return Response(AgreementDetailSerializer(view).data, status=status)

    def given(self, entry: type[VersionSerializer], public_id: str) -> Mapping[str, Any]:
        """Return what an admin sent of an agreement of its own."""
        # Before the body is judged: what is wrong with it must not tell who may act.
        self.actor.require(Right.MANAGE)
        facade.open_agreement(actor=self.actor, public_id=public_id, now=timezone.now())
        told = entry(data=self.request.data)
        told.is_valid(raise_exception=True)
        said: Mapping[str, Any] = told.validated_data
        return said


class Agreements(AgreementsView):
    """Agreements that one's organization is a side of."""

    creates = True

    @lists(AgreementSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, those that wait for an answer of one's own first."""
        found = facade.list_agreements(actor=self.actor, now=timezone.now())
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(AgreementSerializer, page.results)))

    @reads(AgreementProposalSerializer)
    @extend_schema(
        request=AgreementProposalSerializer,
        responses=changing(AgreementDetailSerializer, status=201),
        operation_id="agreement_propose",
    )
    def post(self, request: Request, organization: str) -> Response:
        """Propose terms, or answer the other side's with others. Signed-in admins only.

        They hold once an admin of the other side signs. 409 where a version came after `former`.
        """
        self.actor.require(Right.MANAGE)
        given = AgreementProposalSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        said = given.validated_data
        sides = (self.actor.organization.slug, said["organization"])
        gives = said["gives"]
        proposal = Proposal(
            counterpart=said["organization"],
            terms=None if gives is None else read_terms(gives, sides=sides),
            preset=said["preset"],
            note=said["note"],
            until=said["until"],
            former=said["former"],
        )
        public_id = facade.propose(
            actor=self.actor, cluster=said["cluster"], proposal=proposal, context=self.act_context()
        )
        return self.shown(public_id, status=201)


class AgreementDetail(AgreementsView):
    """One agreement."""

    @extend_schema(responses=answers(AgreementDetailSerializer), operation_id="agreement")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it with all of its versions."""
        return self.shown(public_id)


class AgreementReceipts(AgreementsView):
    """What is left of what ended."""

    @lists(EndReceiptSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List what ended without another version in its place, the newest first."""
        view = facade.open_agreement(actor=self.actor, public_id=public_id, now=timezone.now())
        page = page_of_items(items=receipts_of(actor=self.actor, view=view), request=request)
        return Response(page.answer(sent(EndReceiptSerializer, page.results)))


class AgreementSign(AgreementsView):
    """Say yes."""

    @reads(VersionSerializer)
    @extend_schema(
        request=VersionSerializer,
        responses=changing(AgreementDetailSerializer),
        operation_id="agreement_sign",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Sign what the other side proposed: it holds from now on. Signed-in admins only."""
        said = self.given(VersionSerializer, public_id)
        facade.sign(
            actor=self.actor,
            public_id=public_id,
            number=said["version"],
            context=self.act_context(),
        )
        return self.shown(public_id)


class AgreementDecline(AgreementsView):
    """Say no."""

    @reads(DeclineSerializer)
    @extend_schema(
        request=DeclineSerializer,
        responses=changing(AgreementDetailSerializer),
        operation_id="agreement_decline",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Decline what the other side proposed; it reads the reason. Signed-in admins only."""
        said = self.given(DeclineSerializer, public_id)
        facade.decline(
            actor=self.actor,
            public_id=public_id,
            number=said["version"],
            reason=said["reason"],
            context=self.act_context(),
        )
        return self.shown(public_id)


class AgreementTakeBack(AgreementsView):
    """Think again."""

    @reads(VersionSerializer)
    @extend_schema(
        request=VersionSerializer,
        responses=changing(AgreementDetailSerializer),
        operation_id="agreement_take_back",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Take back what one proposed and nobody answered yet. Signed-in admins only."""
        said = self.given(VersionSerializer, public_id)
        facade.take_back(
            actor=self.actor,
            public_id=public_id,
            number=said["version"],
            context=self.act_context(),
        )
        return self.shown(public_id)


class AgreementRevoke(AgreementsView):
    """End it."""

    @reads(RevokeSerializer)
    @extend_schema(
        request=RevokeSerializer,
        responses=changing(AgreementDetailSerializer),
        operation_id="agreement_revoke",
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """End what holds, alone and at once; the other side reads why. Signed-in admins only."""
        said = self.given(RevokeSerializer, public_id)
        facade.revoke(
            actor=self.actor,
            public_id=public_id,
            number=said["version"],
            reason=said["reason"],
            context=self.act_context(),
        )
        return self.shown(public_id)
