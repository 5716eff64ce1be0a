"""How an incident stands among its parties, as it is sent: hands, proposals, its verdict."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.incidents.coordination.values import (
    Coordination,
    HandOverView,
    HandSpan,
    PartyStance,
    ResolutionView,
    StepView,
    VerdictStanding,
)
from apps.incidents.entries import TEXT_LIMIT, HandOverEntry, StepEntry
from apps.incidents.states import (
    FOLLOWS,
    HAND_OVER_REASONS,
    REOPEN_REASONS,
    RESOLVE_REASONS,
    ActionState,
    HandOverState,
    ResolutionState,
    VerdictState,
)

ANSWERS = (ResolutionState.RESOLVED, ResolutionState.DECLINED, ResolutionState.WITHDRAWN)


class HandSpanSerializer(serializers.Serializer[HandSpan]):
    """From when to when it was in a party's hands. `until` null: it is now."""

    organization = serializers.CharField(source="organization.slug")
    since = serializers.DateTimeField()
    until = serializers.DateTimeField(allow_null=True)
    seconds = serializers.SerializerMethodField(help_text="So far, where it is now.")

    def get_seconds(self, span: HandSpan) -> int:
        """Return how long that is."""
        now: datetime = self.context["now"]
        return max(0, round(((span.until or now) - span.since).total_seconds()))


class StanceSerializer(serializers.Serializer[PartyStance]):
    """What a party says of the verdict."""

    organization = serializers.CharField(source="organization.slug")
    stance = serializers.SerializerMethodField()
    layer = serializers.CharField(help_text="What it says it really was; empty: not said.")
    cause = serializers.CharField()
    blamed = serializers.BooleanField(source="is_blamed", help_text="It answers for the layer.")
    of_earlier = serializers.BooleanField(
        source="is_of_earlier", help_text="Said of an answer with another layer or cause."
    )
    at = serializers.DateTimeField()

    @extend_schema_field(serializers.ChoiceField(choices=["agrees", "contests"]))
    def get_stance(self, stance: PartyStance) -> str:
        """Return which side it takes."""
        return "agrees" if stance.is_right else "contests"


class VerdictStandingSerializer(serializers.Serializer[VerdictStanding]):
    """Where the verdict stands with the parties."""

    state = serializers.SerializerMethodField()
    reply_until = serializers.DateTimeField(
        allow_null=True, help_text="Until then those whom it blames may agree or contest."
    )
    blamed = serializers.SerializerMethodField()
    stances = StanceSerializer(many=True)

    @extend_schema_field(serializers.ChoiceField(choices=VerdictState.choices))
    def get_state(self, verdict: VerdictStanding) -> str:
        """Return where it stands now."""
        return str(verdict.state(now=self.context["now"]))

    def get_blamed(self, verdict: VerdictStanding) -> list[str]:
        """Return the slugs of those who answer for the layer."""
        return [each.slug for each in verdict.blamed]


class CoordinationSerializer(serializers.Serializer[Coordination]):
    """In whose hands an incident is, and was."""

    holder = serializers.CharField(source="holder.slug", allow_null=True, default=None)
    held_since = serializers.DateTimeField()
    due_at = serializers.DateTimeField(allow_null=True)
    hands = HandSpanSerializer(many=True)


class StepSerializer(serializers.Serializer[StepView]):
    """One step. `text` null: nothing was written, or it is not for the reader."""

    organization = serializers.CharField(source="organization.slug")
    author = serializers.CharField(source="author_name")
    state = serializers.CharField()
    reason = serializers.CharField()
    text = serializers.SerializerMethodField()
    at = serializers.DateTimeField()

    def get_text(self, step: StepView) -> str | None:
        """Return the words that go with it, as far as the reader may read them."""
        texts: Mapping[str, str] = self.context["texts"]
        return texts.get(step.note) if step.note else None


class HandOverSerializer(serializers.Serializer[HandOverView]):
    """A hand-over from one party to another. Ticket numbers are sent to the two sides alone."""

    id = serializers.CharField()
    state = WordField(choices=HandOverState.choices)
    sender = serializers.CharField(source="sender.slug")
    recipient = serializers.CharField(source="recipient.slug")
    due_at = serializers.DateTimeField(allow_null=True)
    sender_ticket = serializers.CharField()
    recipient_ticket = serializers.CharField()
    steps = StepSerializer(many=True)


class ResolutionSerializer(serializers.Serializer[ResolutionView]):
    """That somebody proposed to resolve, resolved or reopened an incident."""

    id = serializers.CharField()
    state = WordField(choices=ResolutionState.choices)
    reason = serializers.CharField()
    organization = serializers.CharField(source="proposer.slug")
    waiting = serializers.BooleanField(source="is_open")
    steps = StepSerializer(many=True)


def _reason(reasons: tuple[str, ...]) -> WordField:
    return WordField(choices=[(each, each) for each in reasons])


def _text() -> serializers.CharField:
    return serializers.CharField(max_length=TEXT_LIMIT, allow_blank=True, default="")


class ResolveEntrySerializer(serializers.Serializer[Any]):
    """Why it is resolved. `other` takes words; all parties read them."""

    reason = _reason(RESOLVE_REASONS)
    text = _text()


class ReopenEntrySerializer(serializers.Serializer[Any]):
    """Why it is opened again. `other` takes words; all parties read them."""

    reason = _reason(REOPEN_REASONS)
    text = _text()


class HandOverEntrySerializer(serializers.Serializer[Any]):
    """To whom, and why. The words and the ticket number are read by the two sides alone."""

    to = serializers.CharField(max_length=40, help_text="Slug of a party of the incident.")
    reason = _reason(HAND_OVER_REASONS)
    text = _text()
    due_at = serializers.DateTimeField(allow_null=True, default=None)
    ticket = serializers.CharField(max_length=80, allow_blank=True, default="")


class HandOverAnswerSerializer(serializers.Serializer[Any]):
    """The next state, or one's own ticket number, or both."""

    state = WordField(choices=[(str(each), each.label) for each in FOLLOWS], required=False)
    reason = serializers.CharField(max_length=20, allow_blank=True, default="")
    text = _text()
    ticket = serializers.CharField(max_length=80, allow_blank=True, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse what changes nothing."""
        if not {"state", "ticket"} & attrs.keys():
            raise serializers.ValidationError({"state": "say the next state, or a ticket number"})
        return attrs


class ResolutionAnswerSerializer(serializers.Serializer[Any]):
    """What becomes of a proposal to resolve."""

    state = WordField(choices=[(str(each), each.label) for each in ANSWERS])
    text = _text()


class ActionAnswerSerializer(serializers.Serializer[Any]):
    """How far an action is. Who refuses one says why."""

    state = WordField(choices=ActionState.choices)
    reason = serializers.CharField(max_length=20, allow_blank=True, default="")
    text = _text()


def entry_of(values: Mapping[str, Any]) -> StepEntry:
    """Return why."""
    return StepEntry(reason=values.get("reason", ""), text=values["text"])


def hand_over_entry_of(values: Mapping[str, Any]) -> HandOverEntry:
    """Return to whom, why and until when."""
    return HandOverEntry(**values)
