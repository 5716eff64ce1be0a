"""What organizations show each other: read by members, proposed and answered by admins."""

from collections.abc import Callable

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, lists, writes
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

    def act_on(
        self, act: Callable[..., None], entry: type[VersionSerializer], public_id: str
    ) -> Response:
        """Do what an admin says of an agreement of its own, and answer it as it stands then."""
        # Before the body is judged: what is wrong with it must not tell who may act.
        self.actor.require(Right.MANAGE)
        facade.open_agreement(actor=self.actor, public_id=public_id, now=timezone.now())
        said = read_body(entry, request=self.request)
        act(actor=self.actor, public_id=public_id, context=self.act_context(), **said)
        return self.shown(public_id)


class Agreements(AgreementsView):
    """Agreements that one's organization is a side of."""

    creates = True

    @lists(AgreementSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, those that wait for an answer of one's own first."""
        found = facade.list_agreements(actor=self.actor, now=timezone.now())
        page = page_of_items(items=found, request=request)
        return Response(page.answer(sent(AgreementSerializer, page.results)))

    @writes(
        AgreementProposalSerializer,
        AgreementDetailSerializer,
        operation="agreement_propose",
        status=201,
    )
    def post(self, request: Request, organization: str) -> Response:
        """Propose terms, or answer the other side's with others. Signed-in admins only.

        They hold once an admin of the other side signs. 409 where a version came after `former`.
        """
        self.actor.require(Right.MANAGE)
        said = read_body(AgreementProposalSerializer, request=request)
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

    @writes(VersionSerializer, AgreementDetailSerializer, operation="agreement_sign")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Sign what the other side proposed: it holds from now on. Signed-in admins only."""
        return self.act_on(facade.sign, VersionSerializer, public_id)


class AgreementDecline(AgreementsView):
    """Say no."""

    @writes(DeclineSerializer, AgreementDetailSerializer, operation="agreement_decline")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Decline what the other side proposed; it reads the reason. Signed-in admins only."""
        return self.act_on(facade.decline, DeclineSerializer, public_id)


class AgreementTakeBack(AgreementsView):
    """Think again."""

    @writes(VersionSerializer, AgreementDetailSerializer, operation="agreement_take_back")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Take back what one proposed and nobody answered yet. Signed-in admins only."""
        return self.act_on(facade.take_back, VersionSerializer, public_id)


class AgreementRevoke(AgreementsView):
    """End it."""

    @writes(RevokeSerializer, AgreementDetailSerializer, operation="agreement_revoke")
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """End what holds, alone and at once; the other side reads why. Signed-in admins only."""
        return self.act_on(facade.revoke, RevokeSerializer, public_id)
