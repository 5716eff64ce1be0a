"""Tokens as they are sent, and as an admin asks for one. The clear text goes out once."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import NameField, WordField
from apps.tenancy.models import Token, TokenScope
from apps.tenancy.tokens import NAME_LENGTH

SCOPES = TokenScope.values
USUAL_DAYS = 90  # as the page proposes: what nobody remembers ends


class TokenSerializer(serializers.Serializer[Token]):
    """A token: what it may do, where, until when. Its text is kept nowhere."""

    id = serializers.CharField(source="prefix", help_text="How the text of the token begins.")
    name = serializers.CharField()
    scopes = serializers.ListField(child=WordField(choices=SCOPES))
    clusters = serializers.SerializerMethodField(help_text="Clusters that it may send to.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_clusters(self, token: Token) -> list[str]:
        """Return slugs; a cluster that the organization left is not named."""
        slugs: dict[int, str] = self.context["clusters"]
        return [slugs[pk] for pk in token.clusters if pk in slugs]


class NewTokenSerializer(TokenSerializer):
    """A token that was just made, with its text."""

    token = serializers.SerializerMethodField(help_text="Shown here and never again.")

    def get_token(self, token: Token) -> str:
        """Return the clear text."""
        return str(self.context["clear_text"])


class TokenCreateSerializer(serializers.Serializer[Any]):
    """A token as an admin asks for it."""

    name = NameField(max_length=NAME_LENGTH)
    scopes = serializers.ListField(
        child=WordField(choices=SCOPES), min_length=1, max_length=len(SCOPES)
    )
    clusters = serializers.ListField(
        child=serializers.CharField(max_length=60), max_length=100, default=list
    )
    days = serializers.IntegerField(
        min_value=1,
        max_value=3650,
        allow_null=True,
        default=USUAL_DAYS,
        help_text="How long it lasts; null: until it is revoked.",
    )
