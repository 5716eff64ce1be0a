"""Sources as they are sent, and as an admin enters them. A credential goes in, never out."""

from typing import Any

from rest_framework import serializers

from apps.telemetry.models import Source


class SourceSerializer(serializers.Serializer[Source]):
    """A source, how it is reached and how it is doing."""

    id = serializers.CharField(source="public_id", read_only=True)
    cluster = serializers.CharField(source="cluster.slug", read_only=True)
    kind = serializers.CharField(read_only=True)
    name = serializers.CharField(max_length=120)
    url = serializers.CharField(max_length=500)
    auth = serializers.ChoiceField(choices=["none", "basic", "bearer"], default="none")
    has_credential = serializers.SerializerMethodField()
    verify_tls = serializers.BooleanField(default=True)
    ca_pem = serializers.CharField(max_length=100_000, allow_blank=True, default="")
    allowed_networks = serializers.ListField(
        child=serializers.CharField(max_length=50), max_length=50, default=list
    )
    label_map = serializers.DictField(
        child=serializers.ChoiceField(choices=["host", "cluster", "gpu", "uuid", "pci"]),
        default=dict,
    )
    zone = serializers.CharField(max_length=64, allow_blank=True, default="")
    enabled = serializers.BooleanField(source="is_enabled", default=True)
    simulated = serializers.BooleanField(source="is_simulated", read_only=True)
    state = serializers.CharField(read_only=True)
    last_success_at = serializers.DateTimeField(read_only=True, allow_null=True)
    last_attempt_at = serializers.DateTimeField(read_only=True, allow_null=True)
    last_error = serializers.CharField(read_only=True)
    series_count = serializers.IntegerField(read_only=True, allow_null=True)

    def get_has_credential(self, source: Source) -> bool:
        """Say whether a credential is kept, and nothing more of it."""
        return source.credential is not None


class SourceEntrySerializer(SourceSerializer):
    """A source as it is entered."""

    credential = serializers.CharField(
        max_length=4000,
        write_only=True,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Token, or user:password for basic. Write-only; empty removes it.",
    )


class SourceCreateSerializer(SourceEntrySerializer):
    """A new source."""

    cluster = serializers.CharField(max_length=60)


def changes(entry: SourceEntrySerializer) -> tuple[dict[str, Any], str | None]:
    """Return the given values by column, and the credential apart from them."""
    values = dict(entry.validated_data)
    credential = values.pop("credential", None)
    values.pop("cluster", None)
    return values, credential
