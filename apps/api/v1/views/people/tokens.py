"""The tokens of an organization, for people who manage it."""

from datetime import timedelta

from django.utils import timezone
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.base_view import OrganizationView
from apps.api.v1.queries import read_body
from apps.api.v1.schema import NEXT, answers, writes
from apps.api.v1.serializers.people.tokens import (
    NewTokenSerializer,
    TokenCreateSerializer,
    TokenSerializer,
)
from apps.fleet.access import access_cluster, access_clusters
from apps.tenancy.access import Actor
from apps.tenancy.models import TokenScope
from apps.tenancy.tokens import (
    TokenWish,
    access_token,
    access_tokens,
    make_token,
    revoke_token,
)

LISTED = inline_serializer(
    "TokenList",
    {"results": TokenSerializer(many=True), **NEXT},
)


class Tokens(OrganizationView):
    """What machines of the organization sign in with."""

    @extend_schema(responses=answers(LISTED), operation_id="tokens")
    def get(self, request: Request, organization: str) -> Response:
        """List all of them, living ones first. Admins only."""
        context = {"clusters": _slugs(self.actor)}
        rows = [
            TokenSerializer(token, context=context).data
            for token in access_tokens(actor=self.actor)
        ]
        return Response({"results": rows, "next": None, "next_cursor": None})

    # No Idempotency-Key: a kept answer would keep the text of the token. Names are unique instead.
    @writes(TokenCreateSerializer, NewTokenSerializer, operation="token_create", status=201)
    def post(self, request: Request, organization: str) -> Response:
        """Make one; its text is in this answer and nowhere else. Admins only."""
        said = read_body(TokenCreateSerializer, request=request)
        clusters = [access_cluster(actor=self.actor, slug=slug) for slug in said["clusters"]]
        wish = TokenWish(
            name=said["name"],
            scopes=frozenset(TokenScope(scope) for scope in said["scopes"]),
            clusters=tuple(cluster.pk for cluster in clusters),
            lasts=timedelta(days=said["days"]) if said["days"] else None,
        )
        issued = make_token(actor=self.actor, wish=wish, now=timezone.now())
        self.note("token.issued", issued.token.prefix)
        context = {"clusters": _slugs(self.actor), "clear_text": issued.clear_text}
        return Response(NewTokenSerializer(issued.token, context=context).data, status=201)


class TokenDetail(OrganizationView):
    """One token."""

    @extend_schema(responses=answers(TokenSerializer), operation_id="token")
    def get(self, request: Request, organization: str, prefix: str) -> Response:
        """Return it, without its text. Admins only."""
        token = access_token(actor=self.actor, prefix=prefix)
        return Response(TokenSerializer(token, context={"clusters": _slugs(self.actor)}).data)

    @extend_schema(responses=answers(None, status=204), operation_id="token_revoke")
    def delete(self, request: Request, organization: str, prefix: str) -> Response:
        """End it at once; ending it again changes nothing. Admins only."""
        if revoke_token(actor=self.actor, prefix=prefix, now=timezone.now()):
            self.note("token.revoked", prefix)
        return Response(status=204)


def _slugs(actor: Actor) -> dict[int, str]:
    return {cluster.pk: cluster.slug for cluster in access_clusters(actor=actor)}
