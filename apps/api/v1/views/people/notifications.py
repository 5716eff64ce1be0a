"""What a person is told of, and the webhook of the organization."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.v1.queries import read_body, reads
from apps.api.v1.schema import answers
from apps.api.v1.serializers.people.notifications import (
    NewWebhookSerializer,
    PreferencesSerializer,
    PreferencesWantedSerializer,
    WebhookSerializer,
    WebhookWantedSerializer,
)
from apps.api.v1.user_view import UserView
from apps.fleet.access import access_cluster, access_clusters
from apps.notifications.preferences.preference_forms import (
    ChosenPace,
    PreferenceInput,
    choose,
    wish_of,
)
from apps.notifications.webhook import webhook_settings
from apps.notifications.webhook.webhook_settings import WantedHook
from apps.tenancy.access import Actor, NotFound, Right


class Preferences(UserView):
    """What who asks is told of by e-mail."""

    @extend_schema(responses=answers(PreferencesSerializer), operation_id="preferences")
    def get(self, request: Request, organization: str) -> Response:
        """Return what was chosen, or what holds by default. Signed-in members only."""
        return Response(_preferences(self.actor))

    @reads(PreferencesWantedSerializer)
    @extend_schema(
        request=PreferencesWantedSerializer,
        responses=answers(PreferencesSerializer),
        operation_id="preferences_set",
    )
    def put(self, request: Request, organization: str) -> Response:
        """Choose anew. Signed-in members only."""
        said = read_body(PreferencesWantedSerializer, request=request)
        pace = ChosenPace(
            rhythm=said["rhythm"],
            zone=said["zone"],
            quiet_from=said["quiet_from"],
            quiet_until=said["quiet_until"],
            at_night=said["at_night"],
        )
        chosen = _chosen(self.actor, said)
        choose(actor=self.actor, chosen=chosen, pace=pace, now=timezone.now())
        self.note("notice.chosen", "")
        return Response(_preferences(self.actor))


class WebhookDetail(UserView):
    """The one webhook of the organization."""

    @extend_schema(responses=answers(WebhookSerializer), operation_id="webhook")
    def get(self, request: Request, organization: str) -> Response:
        """Return it and how it stands. Signed-in admins only."""
        return Response(_webhook(self.actor))

    # No Idempotency-Key: a kept answer would keep the secret. There is one webhook at most.
    @reads(WebhookWantedSerializer)
    @extend_schema(
        request=WebhookWantedSerializer,
        responses=answers(WebhookSerializer) | {201: NewWebhookSerializer},
        operation_id="webhook_set",
    )
    def put(self, request: Request, organization: str) -> Response:
        """Make or change it; a new one's secret is in this answer alone. Signed-in admins only."""
        self.actor.require(Right.MANAGE)
        said = read_body(WebhookWantedSerializer, request=request)
        wanted = WantedHook(
            url=said["url"],
            chosen=_chosen(self.actor, said),
            networks=said["networks"],
            is_enabled=said["is_enabled"],
        )
        secret = webhook_settings.set_webhook(actor=self.actor, wanted=wanted, now=timezone.now())
        self.note("webhook.changed" if secret is None else "webhook.made", "")
        return Response(_webhook(self.actor, secret), status=200 if secret is None else 201)

    @extend_schema(responses=answers(None, status=204), operation_id="webhook_remove")
    def delete(self, request: Request, organization: str) -> Response:
        """Forget it with its secret; what waits for it is dropped. Signed-in admins only."""
        webhook_settings.remove(actor=self.actor, now=timezone.now())
        self.note("webhook.removed", "")
        return Response(status=204)


class WebhookRotate(UserView):
    """Its secret."""

    @extend_schema(
        request=None, responses=answers(NewWebhookSerializer), operation_id="webhook_rotate"
    )
    def post(self, request: Request, organization: str) -> Response:
        """Make a new one; the former one signs beside it for a day. Signed-in admins only."""
        secret = webhook_settings.rotate(actor=self.actor, now=timezone.now())
        self.note("webhook.rotated", "")
        return Response(_webhook(self.actor, secret))


class WebhookResume(UserView):
    """Its pause."""

    @extend_schema(
        request=None, responses=answers(WebhookSerializer), operation_id="webhook_resume"
    )
    def post(self, request: Request, organization: str) -> Response:
        """Try again now what waits, also where the portal gave it up. Signed-in admins only."""
        webhook_settings.resume(actor=self.actor, now=timezone.now())
        self.note("webhook.resumed", "")
        return Response(_webhook(self.actor))


def _preferences(actor: Actor) -> dict[str, object]:
    context = {"clusters": _slugs(actor)}
    return dict(PreferencesSerializer(wish_of(actor=actor), context=context).data)


def _webhook(actor: Actor, secret: str | None = None) -> dict[str, object]:
    row = webhook_settings.webhook_of(actor=actor)
    if row is None:
        raise NotFound
    context = {"clusters": _slugs(actor), "secret": secret}
    kind = WebhookSerializer if secret is None else NewWebhookSerializer
    return dict(kind(row, context=context).data)


def _chosen(actor: Actor, said: dict[str, list[str]]) -> PreferenceInput:
    return PreferenceInput(
        kinds=said["kinds"],
        minimum=str(said["minimum"]),
        clusters=[access_cluster(actor=actor, slug=slug) for slug in said["clusters"]],
    )


def _slugs(actor: Actor) -> dict[int, str]:
    return {cluster.pk: cluster.slug for cluster in access_clusters(actor=actor)}
