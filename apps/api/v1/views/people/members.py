"""Who belongs to an organization and who is to, for people who are signed in."""

from django.conf import settings
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.pagination import page_of_items
from apps.api.v1.queries import read_body
from apps.api.v1.schema import answers, changing, lists, writes
from apps.api.v1.serializers.listing import sent
from apps.api.v1.serializers.people.members import (
    InvitationCreateSerializer,
    InvitationSerializer,
    MemberSerializer,
    NewInvitationSerializer,
    RoleSerializer,
)
from apps.api.v1.user_view import UserView
from apps.notifications import wakeups
from apps.notifications.notification_kinds import Channel
from apps.notifications.payload import page
from apps.tenancy.access import Right
from apps.tenancy.models import MemberRole
from apps.tenancy.people import invitations
from apps.tenancy.people.invitations import InvitationWish
from apps.tenancy.people.members import access_member, access_members, change_role, remove_member


class Members(UserView):
    """Who belongs to the organization."""

    @lists(MemberSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List them by user name. Signed-in members only."""
        found = page_of_items(items=access_members(actor=self.actor), request=request)
        return Response(found.answer(sent(MemberSerializer, found.results)))


class MemberDetail(UserView):
    """One member."""

    @extend_schema(responses=answers(MemberSerializer), operation_id="member")
    def get(self, request: Request, organization: str, username: str) -> Response:
        """Return it. Signed-in members only."""
        member = access_member(actor=self.actor, username=username)
        return Response(MemberSerializer(member).data)

    @writes(RoleSerializer, MemberSerializer, operation="member_change")
    def patch(self, request: Request, organization: str, username: str) -> Response:
        """Let a member do more or less. Signed-in admins only; one admin has to stay."""
        self.actor.require(Right.MANAGE)
        access_member(actor=self.actor, username=username)
        role = MemberRole(read_body(RoleSerializer, request=request)["role"])
        if change_role(actor=self.actor, username=username, role=role, now=timezone.now()):
            self.note("member.role_changed", f"{username} {role.value}")
        return Response(MemberSerializer(access_member(actor=self.actor, username=username)).data)

    @extend_schema(responses=changing(None, status=204), operation_id="member_remove")
    def delete(self, request: Request, organization: str, username: str) -> Response:
        """Take a person out, and end its sessions. Signed-in admins only; one has to stay."""
        remove_member(actor=self.actor, username=username, now=timezone.now())
        self.note("member.removed", username)
        return Response(status=204)


class Invitations(UserView):
    """Links that make members."""

    @lists(InvitationSerializer)
    def get(self, request: Request, organization: str) -> Response:
        """List those that still work, the newest first. Signed-in admins only."""
        items = invitations.pending(actor=self.actor, now=timezone.now())
        found = page_of_items(items=items, request=request)
        return Response(found.answer(sent(InvitationSerializer, found.results)))

    # No Idempotency-Key: a kept answer would keep the link.
    @writes(
        InvitationCreateSerializer,
        NewInvitationSerializer,
        operation="invitation_create",
        status=201,
    )
    def post(self, request: Request, organization: str) -> Response:
        """Make one; its link is in this answer and nowhere else. Signed-in admins only."""
        self.actor.require(Right.MANAGE)
        said = read_body(InvitationCreateSerializer, request=request)
        wish = InvitationWish(
            role=MemberRole(said["role"]),
            name=said["name"],
            email=said["email"],
            is_mailed=bool(settings.PORTAL_SMTP) and said["is_mailed"],
        )
        issued = invitations.invite(actor=self.actor, wish=wish, now=timezone.now())
        self.note("member.invited", issued.invitation.public_id)
        wakeups.ask_on_commit(organization_id=self.actor.organization.pk, channels={Channel.EMAIL})
        context = {"link": page("web:join", issued.code)}
        return Response(
            NewInvitationSerializer(issued.invitation, context=context).data, status=201
        )


class InvitationDetail(UserView):
    """One link."""

    @extend_schema(responses=answers(None, status=204), operation_id="invitation_revoke")
    def delete(self, request: Request, organization: str, public_id: str) -> Response:
        """End it; ending it again changes nothing. Signed-in admins only."""
        now = timezone.now()
        if invitations.revoke_invitation(actor=self.actor, public_id=public_id, now=now):
            self.note("invitation.revoked", public_id)
        return Response(status=204)
