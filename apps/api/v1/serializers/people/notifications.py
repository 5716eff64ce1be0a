"""What is told, to whom and how it went, as it is sent and as people ask for it."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import StatementField, WordField
from apps.notifications.models import Delivery, DeliveryAttempt, Webhook
from apps.notifications.notification_kinds import (
    AT_NIGHT_CHOICES,
    CHOICES,
    Channel,
    DeliveryState,
    Minimum,
    NotificationKind,
    Rhythm,
)
from apps.notifications.preferences.preferences import Preference
from apps.notifications.webhook.webhook_settings import NETWORKS_AT_MOST, URL_LENGTH

KINDS = [kind.value for kind in CHOICES]
AT_NIGHT = [kind.value for kind in AT_NIGHT_CHOICES]
SLUGS = serializers.ListField(child=serializers.CharField())


class ChosenSerializer(serializers.Serializer[Any]):
    """Which notices: kinds, clusters and how sure a verdict has to be."""

    kinds = serializers.ListField(
        child=WordField(choices=KINDS), max_length=len(KINDS), help_text="[]: none."
    )
    minimum = WordField(choices=Minimum.values, default=Minimum.ANY)
    clusters = serializers.ListField(
        child=serializers.CharField(max_length=60),
        max_length=100,
        default=list,
        help_text="[]: all.",
    )


class PreferencesWantedSerializer(ChosenSerializer):
    """What a person wants to be told of by e-mail, and when. What is left out is the default."""

    rhythm = WordField(choices=Rhythm.values, default=Rhythm.AT_ONCE)
    zone = serializers.CharField(max_length=64, default="UTC")
    quiet_from = serializers.CharField(max_length=8, default="", allow_blank=True)
    quiet_until = serializers.CharField(max_length=8, default="", allow_blank=True)
    at_night = serializers.ListField(
        child=WordField(choices=AT_NIGHT), max_length=len(AT_NIGHT), default=list
    )


class PreferencesSerializer(serializers.Serializer[Preference]):
    """What a person is told of by e-mail: as chosen, or by default."""

    kinds = serializers.SerializerMethodField()
    minimum = WordField(choices=Minimum.values)
    clusters = serializers.SerializerMethodField()
    rhythm = WordField(choices=Rhythm.values, source="pace.rhythm")
    zone = serializers.CharField(source="pace.zone.key")
    quiet_from = serializers.TimeField(source="pace.quiet_from", format="%H:%M", allow_null=True)
    quiet_until = serializers.TimeField(source="pace.quiet_until", format="%H:%M", allow_null=True)
    at_night = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ListField(child=WordField(choices=KINDS)))
    def get_kinds(self, preference: Preference) -> list[str]:
        """Return them in a fixed order."""
        return [kind for kind in KINDS if kind in preference.kinds]

    @extend_schema_field(SLUGS)
    def get_clusters(self, preference: Preference) -> list[str]:
        """Return slugs; empty means all."""
        slugs: dict[int, str] = self.context["clusters"]
        return sorted(slugs[pk] for pk in preference.clusters if pk in slugs)

    @extend_schema_field(serializers.ListField(child=WordField(choices=AT_NIGHT)))
    def get_at_night(self, preference: Preference) -> list[str]:
        """Return what is sent in quiet hours, too."""
        return [kind for kind in AT_NIGHT if kind in preference.at_night]


class WebhookWantedSerializer(ChosenSerializer):
    """A webhook as an admin asks for it. What is left out is the default."""

    url = serializers.CharField(max_length=URL_LENGTH)
    networks = serializers.ListField(
        child=serializers.CharField(max_length=50),
        max_length=NETWORKS_AT_MOST,
        default=list,
        help_text="Private networks that it may lead to.",
    )
    is_enabled = serializers.BooleanField(default=True)


class WebhookSerializer(serializers.Serializer[Webhook]):
    """The webhook and how it stands, without its secret."""

    url = serializers.CharField()
    kinds = serializers.ListField(child=WordField(choices=KINDS))
    minimum = WordField(choices=Minimum.values)
    clusters = serializers.SerializerMethodField()
    networks = serializers.ListField(source="allowed_networks", child=serializers.CharField())
    is_enabled = serializers.BooleanField()
    paused_because = StatementField(
        source="pause", help_text="Empty: the portal did not give it up."
    )
    created_at = serializers.DateTimeField()
    last_success_at = serializers.DateTimeField(allow_null=True)
    failing_since = serializers.DateTimeField(allow_null=True)
    last_error = StatementField(source="failure", help_text="Empty: it took the last message.")
    failure = serializers.JSONField(
        allow_null=True, help_text="The same as a kind with its values; null: none."
    )
    former_secret_until = serializers.DateTimeField(source="former_until", allow_null=True)

    @extend_schema_field(SLUGS)
    def get_clusters(self, webhook: Webhook) -> list[str]:
        """Return slugs; empty means all."""
        slugs: dict[int, str] = self.context["clusters"]
        return sorted(slugs[pk] for pk in webhook.clusters if pk in slugs)


class NewWebhookSerializer(WebhookSerializer):
    """A webhook with a secret that was just made."""

    secret = serializers.SerializerMethodField(help_text="whsec_…, shown here and never again.")

    def get_secret(self, webhook: Webhook) -> str:
        """Return what signs."""
        return str(self.context["secret"])


class DeliverySerializer(serializers.Serializer[Delivery]):
    """A notice on its way to one recipient."""

    id = serializers.CharField(source="public_id", help_text="The webhook-id of a message.")
    kind = serializers.CharField(
        source="notice.kind", help_text=f"One of: {', '.join(NotificationKind.values)}."
    )
    incident = serializers.SerializerMethodField()
    channel = WordField(choices=Channel.values)
    to = serializers.CharField(
        source="user.username", allow_null=True, default=None, help_text="null: the webhook."
    )
    state = serializers.CharField(help_text=f"One of: {', '.join(DeliveryState.values)}.")
    attempt_count = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField(help_text="Of the next try, while it waits.")
    sent_at = serializers.DateTimeField(allow_null=True)

    def get_incident(self, delivery: Delivery) -> str | None:
        """Return the id of the incident it is about, if it is about one."""
        notice = delivery.notice
        return notice.body["incident"]["id"] if notice.incident_id else None


class TrySerializer(serializers.Serializer[DeliveryAttempt]):
    """One try of a delivery."""

    at = serializers.DateTimeField()
    status = serializers.IntegerField(allow_null=True, help_text="Of HTTP or SMTP.")
    is_success = serializers.BooleanField()
    error = StatementField(source="failure")
    failure = serializers.JSONField(
        allow_null=True, help_text="The same as a kind with its values; null: none."
    )
    seconds = serializers.FloatField()
    next_at = serializers.DateTimeField(allow_null=True)


class DeliveryDetailSerializer(DeliverySerializer):
    """A delivery with its last tries."""

    tries = serializers.SerializerMethodField(help_text="The newest first, at most 20.")

    @extend_schema_field(TrySerializer(many=True))
    def get_tries(self, delivery: Delivery) -> list[dict[str, Any]]:
        """Return how each went."""
        many: Any = TrySerializer(self.context["tries"], many=True)
        return list(many.data)


class ChannelSerializer(serializers.Serializer[Any]):
    """Where a test goes: to the address of who asks, or to the webhook."""

    channel = WordField(choices=Channel.values)


class CountSerializer(serializers.Serializer[Any]):
    """How many it was."""

    count = serializers.IntegerField()
