"""Parts in clusters as they are sent, and as they are offered and asked back."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.diagnosis.model import Layer
from apps.fleet.models import ParticipationRole, PartProposal, ProposalKind, ProposalState
from apps.fleet.parties.participants import Participant

LAYERS = [layer.value for layer in Layer]


class ParticipantSerializer(serializers.Serializer[Participant]):
    """Who takes part in a cluster, with what."""

    id = serializers.CharField(source="organization.slug")
    name = serializers.CharField(source="organization.name")
    parts = serializers.ListField(child=serializers.CharField())
    layers = serializers.ListField(child=serializers.CharField())
    hosts_agreed = serializers.ListField(
        source="agreed",
        child=serializers.CharField(),
        help_text="Of its parts, those for which the operator takes its word for hosts.",
    )


class HostsAgreementSerializer(serializers.Serializer[Any]):
    """Whether the operator takes a party's word for hosts."""

    organization = serializers.CharField(max_length=40, help_text="Its slug.")
    part = WordField(
        choices=ParticipationRole.values,
        default=ParticipationRole.TENANT.value,
        help_text="tenant: its word for the hosts its sessions run on; platform: for what kernels "
        "and metrics of hosts say. 404 for others.",
    )
    agreed = serializers.BooleanField()


class ProposalSerializer(serializers.Serializer[PartProposal]):
    """A part that an operator offers or asks back; nothing holds before the other side accepts."""

    id = serializers.CharField(source="public_id")
    kind = WordField(choices=ProposalKind.values)
    cluster = serializers.CharField(source="cluster.slug")
    by = serializers.CharField(source="organization.slug")
    to = serializers.CharField(source="slug", help_text="As it was written; may name nobody.")
    part = WordField(choices=ParticipationRole.values)
    layers = serializers.ListField(child=serializers.CharField())
    state = serializers.SerializerMethodField(
        help_text="open, accepted, declined, taken_back, or expired: not answered in time."
    )
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)

    def get_state(self, row: PartProposal) -> str:
        """Return what became of it; one that nobody answered in time is expired."""
        is_late = row.state == ProposalState.OPEN and row.expires_at <= self.context["now"]
        return "expired" if is_late else row.state


class ProposalCreateSerializer(serializers.Serializer[Any]):
    """A part as an operator offers it or asks it back."""

    kind = WordField(choices=ProposalKind.values, default=ProposalKind.OFFER.value)
    cluster = serializers.CharField(max_length=60)
    organization = serializers.CharField(max_length=40, help_text="Its slug.")
    part = WordField(choices=ParticipationRole.values)
    layers = serializers.ListField(
        child=WordField(choices=LAYERS),
        allow_null=True,
        default=None,
        max_length=len(LAYERS),
        help_text="null: those that the part usually answers for.",
    )
