"""Sessions and their attempts as they are sent."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.listing import sent
from apps.fleet.values import AttemptView, SessionView


class AttemptSerializer(serializers.Serializer[AttemptView]):
    """One start of a session.

    `field_sources` names who reported what, when, and whether that is asserted or claimed;
    `contradictions` what others said of the same and did not hold. While `hosts_asserted` is
    false, what others know of these hosts does not join it. With `undiagnosed_at` its diagnosis
    has failed since then: what is said of it may be missing or old. At `doubted_at` an exception
    was printed of which nothing says yet whether it ended the attempt or was caught. With `cut`
    hosts, ranks, exit codes and who reported them are left out: there is too much of them for one
    answer, and the newest attempts come first.
    """

    number = serializers.IntegerField()
    state = serializers.CharField()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField()
    hosts = serializers.ListField(child=serializers.CharField())
    hosts_asserted = serializers.BooleanField()
    world_size = serializers.IntegerField()
    ranks = serializers.JSONField()
    exit_codes = serializers.JSONField()
    field_sources = serializers.JSONField()
    contradictions = serializers.JSONField()
    undiagnosed_at = serializers.DateTimeField()
    doubted_at = serializers.DateTimeField()
    degraded = serializers.BooleanField(
        source="is_degraded",
        help_text="It lost GPUs and runs on without them, or did when it ended.",
    )
    lost_gpus = serializers.IntegerField(
        source="lost_gpu_count",
        allow_null=True,
        help_text="null: nothing is told of recovery in place.",
    )
    alive_gpus = serializers.IntegerField(
        source="alive_gpu_count",
        allow_null=True,
        help_text="null: not told, or how many it began with is not.",
    )
    cut = serializers.BooleanField(source="is_cut")


class SessionSerializer(serializers.Serializer[SessionView]):
    """A training session with its attempts."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()
    job = serializers.CharField()
    project = serializers.CharField()
    scheduler = serializers.CharField()
    cluster = serializers.CharField(source="cluster.slug", default=None, allow_null=True)
    owner = serializers.CharField(source="organization.slug")
    simulated = serializers.BooleanField(source="is_simulated")
    created_at = serializers.DateTimeField()
    attempts = serializers.SerializerMethodField()

    def get_attempts(self, session: SessionView) -> list[dict[str, Any]]:
        """Return its starts, first one first."""
        return sent(AttemptSerializer, self.context["attempts"].get(session.id, []))
