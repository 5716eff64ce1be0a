"""Members and invitations as they are sent, and as an admin asks for them."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.tenancy.models import Invitation, MemberRole
from apps.tenancy.people.account import EMAIL_LIMIT, NAME_LIMIT
from apps.tenancy.people.members import Member


class MemberSerializer(serializers.Serializer[Member]):
    """A person and what the person may do in the organization."""

    username = serializers.CharField(source="user.username")
    name = serializers.CharField(source="user.get_full_name")
    email = serializers.CharField(source="user.email", help_text="May be empty.")
    is_email_confirmed = serializers.BooleanField(
        source="user.is_reachable", help_text="Notifications go to confirmed addresses alone."
    )
    role = WordField(choices=MemberRole.choices)
    is_needed = serializers.BooleanField(
        help_text="Nobody else could manage the organization: can't go."
    )
    last_signed_in_at = serializers.DateTimeField(source="user.last_login", allow_null=True)


class RoleSerializer(serializers.Serializer[Any]):
    """What a member is to do."""

    role = WordField(choices=MemberRole.choices)


class InvitationSerializer(serializers.Serializer[Invitation]):
    """A link that nobody followed yet, without its text."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    email = serializers.CharField()
    role = WordField(choices=MemberRole.choices)
    sets_password_of = serializers.CharField(
        source="user.username", allow_null=True, default=None, help_text="A member already."
    )
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    mailed_at = serializers.DateTimeField(allow_null=True)
    mail_error = serializers.CharField(
        source="mail_said", help_text="Why the letter was not taken; empty: it was, or none goes."
    )


class NewInvitationSerializer(InvitationSerializer):
    """An invitation that was just made, with its link."""

    link = serializers.SerializerMethodField(help_text="Works once. Shown here and never again.")

    def get_link(self, invitation: Invitation) -> str:
        """Return the address to open."""
        return str(self.context["link"])


class InvitationCreateSerializer(serializers.Serializer[Any]):
    """An invitation as an admin asks for it."""

    role = WordField(choices=MemberRole.choices)
    name = serializers.CharField(max_length=NAME_LIMIT, default="", allow_blank=True)
    email = serializers.CharField(max_length=EMAIL_LIMIT, default="", allow_blank=True)
    is_mailed = serializers.BooleanField(
        default=False, help_text="Send a link of its own to `email`, where there is a mail server."
    )
