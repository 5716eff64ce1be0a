"""States of a session's attempts, as they were reported and as lanes."""

from typing import Any

from rest_framework import serializers

from apps.fleet.facade.lifecycles import AttemptHistory, AttemptStateView
from apps.training.lifecycle.spans import LifecycleSpan
from apps.training.lifecycle.state_table import LifecycleLane

LANES = [lane.value for lane in LifecycleLane]


class AttemptStateSerializer(serializers.Serializer[AttemptStateView]):
    """One state as it was said. `known` is false of a word that the portal has no lane for."""

    state = serializers.CharField(source="word")
    scheduler = serializers.CharField()
    at = serializers.DateTimeField(allow_null=True)
    lane = serializers.ChoiceField(choices=LANES)
    known = serializers.BooleanField(source="is_known")
    member = serializers.CharField(help_text="A pod or node; empty: the whole attempt.")
    result = serializers.CharField(help_text="Of the scheduler's try: SUCCESS, NEED_RETRY …")
    reason = serializers.CharField()
    reported_by = serializers.CharField(source="source", help_text="Which organization.")
    standing = serializers.ChoiceField(choices=["asserted", "claimed"])
    received_at = serializers.DateTimeField()


class LifecycleSpanSerializer(serializers.Serializer[LifecycleSpan]):
    """A stretch in one lane; `ends_at` is null while it goes on."""

    lane = serializers.ChoiceField(choices=LANES)
    state = serializers.CharField(
        source="word", help_text="What began it; empty where only times were reported."
    )
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)
    reported_by = serializers.CharField(source="source")
    claimed = serializers.BooleanField(source="is_claimed")


class AttemptStatesSerializer(serializers.Serializer[AttemptHistory]):
    """The states of one attempt. With `cut` only the first and the last of very many are here."""

    attempt = serializers.IntegerField(source="number")
    lanes = LifecycleSpanSerializer(source="lifecycle.spans", many=True)
    states = AttemptStateSerializer(many=True)
    cut = serializers.BooleanField(source="is_cut")


class SessionStatesSerializer(serializers.Serializer[Any]):
    """The states of a session's newest attempts, the first one first."""

    attempts = AttemptStatesSerializer(many=True)
    left_out = serializers.IntegerField(help_text="Attempts before these.")
