"""Requests for evidence as they are sent, and as parties ask and answer them."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.api.v1.serializers.sharing.answers import AttestedAnswerSerializer
from apps.incidents.evidence_requests.request_terms import (
    DAYS_AT_MOST,
    REASON_LIMIT,
    USUAL_DAYS,
)
from apps.incidents.evidence_requests.request_views import (
    EvidenceRequestView,
    RequestEnd,
    RequestGrant,
)
from apps.incidents.evidence_requests.states import RequestState
from apps.sharing.terms import Level

LEVELS = list(Level)
BEGINS = "null: of metrics 20 minutes before it broke, else 30 minutes before the incident."
ENDS = "null: of metrics 6 minutes after it broke, else 30 minutes after the incident."


class RequestGrantSerializer(serializers.Serializer[RequestGrant]):
    """What the holder shows: how much, of when, and until when."""

    level = serializers.ChoiceField(choices=LEVELS)
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    until = serializers.DateTimeField()
    by = serializers.CharField(help_text="The person, as the other side is told.")
    at = serializers.DateTimeField()


class RequestEndSerializer(serializers.Serializer[RequestEnd]):
    """Who said no to it, took it back or ended it, and why."""

    organization = serializers.CharField(source="organization.slug")
    by = serializers.CharField()
    at = serializers.DateTimeField()
    reason = serializers.CharField(help_text="May be empty.")


class EvidenceRequestSerializer(serializers.Serializer[EvidenceRequestView]):
    """What one party of an incident asks another to show it, and what came of it."""

    id = serializers.CharField(source="public_id")
    incident = serializers.CharField()
    state = serializers.CharField(help_text=", ".join(RequestState))
    asked_by = serializers.CharField(source="asker.slug")
    asked_by_person = serializers.CharField(source="by")
    holder = serializers.CharField(source="holder.slug", help_text="Who is asked.")
    waits_for_us = serializers.BooleanField(source="waits_for_reader")
    data = serializers.CharField(  # type: ignore[assignment]  # published name
        help_text="metrics:gpu, events:network, logs:kernel …"
    )
    level = serializers.ChoiceField(choices=LEVELS)
    host = serializers.CharField(help_text="Empty: of all.")
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    until = serializers.DateTimeField(help_text="When it ends by itself.")
    reason = serializers.CharField()
    at = serializers.DateTimeField(help_text="When it was asked.")
    grant = RequestGrantSerializer(allow_null=True)
    end = RequestEndSerializer(allow_null=True)
    answer = AttestedAnswerSerializer(allow_null=True)


class EvidenceRequestEntrySerializer(serializers.Serializer[Any]):
    """What a party asks another one for."""

    incident = serializers.CharField(max_length=20)
    holder = serializers.CharField(max_length=40, help_text="Who is asked: its slug.")
    data = serializers.CharField(  # type: ignore[assignment]  # published name
        max_length=40, help_text="metrics:gpu, events:network, logs:kernel …"
    )
    level = WordField(choices=LEVELS)
    reason = serializers.CharField(max_length=REASON_LIMIT)
    host = serializers.CharField(
        max_length=255,
        default="",
        allow_blank=True,
        help_text="One that the incident names to you; empty: of all.",
    )
    starts_at = serializers.DateTimeField(allow_null=True, default=None, help_text=BEGINS)
    ends_at = serializers.DateTimeField(allow_null=True, default=None, help_text=ENDS)
    days = serializers.IntegerField(
        min_value=1,
        max_value=DAYS_AT_MOST,
        default=USUAL_DAYS,
        help_text="For how long it is asked, answered or not.",
    )


class GrantEntrySerializer(serializers.Serializer[Any]):
    """What of a request is granted; what is left out is granted as it was asked."""

    level = WordField(choices=LEVELS, allow_null=True, default=None)
    starts_at = serializers.DateTimeField(allow_null=True, default=None)
    ends_at = serializers.DateTimeField(allow_null=True, default=None)
    days = serializers.IntegerField(
        min_value=1, max_value=DAYS_AT_MOST, allow_null=True, default=None
    )


class RequestReasonSerializer(serializers.Serializer[Any]):
    """Why; the other side reads it."""

    reason = serializers.CharField(max_length=REASON_LIMIT)
