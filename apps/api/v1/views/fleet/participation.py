"""Who takes part in a cluster; parts offered, asked back, accepted, declined and left."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import NEWEST_MADE, page_of_items, page_of_rows
from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, changing, lists, writes
from apps.api.v1.serializers.fleet.participation import (
    HostsAgreementSerializer,
    ParticipantSerializer,
    ProposalCreateSerializer,
    ProposalSerializer,
)
from apps.api.v1.serializers.listing import sent
from apps.fleet.access import access_cluster
from apps.fleet.models import ParticipationRole, PartProposal, ProposalKind
from apps.fleet.parties.host_agreements import may_agree
from apps.fleet.parties.leave_cluster import leave
from apps.fleet.parties.participants import participants
from apps.fleet.parties.role_proposals import (
    ProposedRole,
    accept,
    access_proposal,
    access_proposals,
    decline,
    propose,
    take_back,
)
from apps.notifications.occasions import role_offers
from apps.telemetry.facade.hosts_agreement import agree_on_hosts
from apps.tenancy.access import NotFound


class PartsView(OrganizationView):
    """What acts on parts: the records of both sides tell of it."""

    def shown(self, row: PartProposal, *, status: int = 200) -> Response:
        """Answer a proposal as it is now."""
        row = access_proposal(actor=self.actor, public_id=row.public_id)
        context = {"now": timezone.now()}
        return Response(ProposalSerializer(row, context=context).data, status=status)


class Parties(OrganizationView):
    """Who takes part in a cluster, as far as the reader may know."""

    @lists(ParticipantSerializer)
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """List them by name: operators and platforms see all, others no tenant beside them."""
        cluster = access_cluster(actor=self.actor, slug=public_id)
        page = page_of_items(items=participants(actor=self.actor, cluster=cluster), request=request)
        return Response(page.answer(sent(ParticipantSerializer, page.results)))


class HostsAgreement(PartsView):
    """Taking a party's word for hosts."""

    @writes(HostsAgreementSerializer, None, operation="hosts_agreement", status=204)
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Take it, or no longer; running sessions are looked at again. Operators' admins only."""
        # Before the body is read: what is wrong with it must not tell who may ask.
        cluster = access_cluster(actor=self.actor, slug=public_id)
        if not may_agree(actor=self.actor, cluster=cluster):
            raise NotFound
        said = read_body(HostsAgreementSerializer, request=request)
        agree_on_hosts(
            actor=self.actor,
            cluster=cluster,
            slug=said["organization"],
            part=ParticipationRole(said["part"]),
            is_agreed=said["agreed"],
            context=self.act_context(),
        )
        return Response(status=204)


class OwnParticipation(PartsView):
    """A part of one's own in a cluster."""

    @extend_schema(responses=changing(None, status=204), operation_id="part_leave")
    def delete(self, request: Request, organization: str, public_id: str, part: str) -> Response:
        """Leave it at once; 409 for the last operator. Admins only."""
        cluster = access_cluster(actor=self.actor, slug=public_id)
        if part not in ParticipationRole.values:
            raise NotFound
        leave(
            actor=self.actor,
            cluster=cluster,
            part=ParticipationRole(part),
            context=self.act_context(),
        )
        return Response(status=204)


class Proposals(PartsView):
    """Parts that one's organization offered, asked back, or was offered or asked for."""

    creates = True

    @lists(ProposalSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them, newest first. Admins only."""
        rows = access_proposals(actor=self.actor)
        page = page_of_rows(rows=rows, order=NEWEST_MADE, request=request)
        context = {"now": timezone.now()}
        return Response(page.answer(sent(ProposalSerializer, page.results, context)))

    @writes(ProposalCreateSerializer, ProposalSerializer, operation="proposal_create", status=201)
    def post(self, request: Request, organization: str) -> Response:
        """Offer a part, or ask one back; one that waits already is renewed.

        For admins of an operator. The answer is the same whether anybody has the slug.
        """
        said = read_body(ProposalCreateSerializer, request=request)
        cluster = access_cluster(actor=self.actor, slug=said["cluster"])
        wish = ProposedRole(
            kind=ProposalKind(said["kind"]),
            slug=said["organization"],
            part=ParticipationRole(said["part"]),
            layers=said["layers"],
        )
        told = self.act_context()
        row, is_new = propose(actor=self.actor, cluster=cluster, wish=wish, context=told)
        if is_new:
            role_offers.tell(proposal=row, now=told.now)
        return self.shown(row, status=201)


class ProposalDetail(PartsView):
    """One proposal."""

    @extend_schema(responses=answers(ProposalSerializer), operation_id="proposal")
    def get(self, request: Request, organization: str, public_id: str) -> Response:
        """Return it. Admins only."""
        return self.shown(access_proposal(actor=self.actor, public_id=public_id))

    @extend_schema(responses=answers(None, status=204), operation_id="proposal_take_back")
    def delete(self, request: Request, organization: str, public_id: str) -> Response:
        """Take back what one proposed; doing so again changes nothing. Admins only."""
        take_back(actor=self.actor, public_id=public_id, context=self.act_context())
        return Response(status=204)


class Accept(PartsView):
    """Say yes."""

    @extend_schema(
        request=None, responses=changing(ProposalSerializer), operation_id="proposal_accept"
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Take the part, or give it up, from now on; 404 unless it waits. Admins only."""
        return self.shown(accept(actor=self.actor, public_id=public_id, context=self.act_context()))


class Decline(PartsView):
    """Say no."""

    @extend_schema(
        request=None, responses=changing(ProposalSerializer), operation_id="proposal_decline"
    )
    def post(self, request: Request, organization: str, public_id: str) -> Response:
        """Decline; the other side is told. 404 unless it waits. Admins only."""
        decline(actor=self.actor, public_id=public_id, context=self.act_context())
        return self.shown(access_proposal(actor=self.actor, public_id=public_id))
