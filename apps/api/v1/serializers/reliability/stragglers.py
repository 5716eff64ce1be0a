"""Stragglers, as they are sent. What is not known is null."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.incident.shared import SharedAsSerializer
from apps.reliability.stragglers.values import (
    FindingView,
    FleetMonth,
    JobRow,
    RankPlace,
    SlowMember,
    StragglerFleetView,
)
from apps.training.stragglers.fleet import StragglerFleet


class RankPlaceSerializer(serializers.Serializer[RankPlace]):
    """Where a rank runs, as far as it was reported."""

    rank = serializers.IntegerField()
    host = serializers.CharField(allow_blank=True)
    gpu = serializers.IntegerField(allow_null=True)


class StragglerFindingSerializer(serializers.Serializer[FindingView]):
    """What one step trace says of an attempt."""

    id = serializers.CharField(source="public_id")
    attempt = serializers.IntegerField()
    added_at = serializers.DateTimeField()
    form = serializers.CharField(help_text="ndtimeline, chrome or inspector")
    cause = serializers.CharField(
        allow_blank=True,
        help_text="refused, none, worker, stage, sequence-length, network or unexplained; empty "
        "for collectives without their times.",
    )
    slowdown = serializers.FloatField(allow_null=True, help_text="S; null where it was refused.")
    discrepancy = serializers.FloatField(
        allow_null=True, help_text="By which share the simulation is off; refused above 0.05."
    )
    refused = serializers.BooleanField(source="is_refused")
    worker = RankPlaceSerializer(
        allow_null=True, help_text="The only reason to look at a node; else null."
    )
    verdict = serializers.DictField(help_text="`verdict` of faultline.stragglers/1.")
    what_if = serializers.DictField(help_text="`what_if` of faultline.stragglers/1.")
    late_members = serializers.ListField(child=serializers.DictField())


class SlowMemberSerializer(serializers.Serializer[SlowMember]):
    """A node or GPU that is slower than its peers."""

    host = serializers.CharField(allow_blank=True)
    gpu = serializers.IntegerField(allow_null=True)
    rank = serializers.IntegerField(allow_null=True)
    since = serializers.DateTimeField(allow_null=True)
    over = serializers.BooleanField(source="is_over")
    told_by = serializers.CharField(help_text="warning or collectives")
    reference = serializers.CharField(
        allow_blank=True, help_text="Of the warning or the trace; empty for another party's."
    )
    families = serializers.ListField(child=serializers.CharField())
    last_share = serializers.FloatField(allow_null=True)
    shared = SharedAsSerializer(allow_null=True)


class SessionStragglersSerializer(serializers.Serializer[Any]):
    """Stragglers of a session: who is slow in its newest attempt, and what traces said."""

    slow_members = SlowMemberSerializer(many=True)
    traces = StragglerFindingSerializer(many=True)


class StragglerFleetSerializer(serializers.Serializer[StragglerFleet]):
    """Stragglers over some jobs. Refused ones are counted beside, in no share."""

    jobs = serializers.IntegerField(source="job_count")
    refused = serializers.IntegerField(source="refused_count")
    straggling = serializers.IntegerField(source="straggling_count", help_text="S above 1.1.")
    straggling_share = serializers.FloatField(allow_null=True)
    straggling_interval = serializers.ListField(
        child=serializers.FloatField(), help_text="95 %, Wilson."
    )
    gpu_hours = serializers.FloatField()
    wasted_gpu_hours = serializers.FloatField()
    wasted_share = serializers.FloatField(allow_null=True)
    causes = serializers.SerializerMethodField()

    def get_causes(self, fleet: StragglerFleet) -> dict[str, int]:
        """Return how many of the straggling jobs are put down to what."""
        return {cause.value: count for cause, count in fleet.causes.items()}


class FleetMonthSerializer(serializers.Serializer[FleetMonth]):
    """The jobs that started in a month."""

    month = serializers.DateField()
    unknown_hours = serializers.IntegerField(source="unknown_hours_count")
    fleet = StragglerFleetSerializer()


class StragglerJobSerializer(serializers.Serializer[JobRow]):
    """One attempt with a trace."""

    session = serializers.CharField()
    attempt = serializers.IntegerField()
    started_at = serializers.DateTimeField(allow_null=True)
    cause = serializers.CharField()
    slowdown = serializers.FloatField(allow_null=True)
    gpu_hours = serializers.FloatField(allow_null=True)
    wasted_gpu_hours = serializers.FloatField(allow_null=True)


class StragglerFleetViewSerializer(serializers.Serializer[StragglerFleetView]):
    """Stragglers over all attempts with a trace."""

    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    simulated = serializers.BooleanField(source="is_simulated")
    fleet = StragglerFleetSerializer()
    unknown_hours = serializers.IntegerField(
        source="unknown_hours_count", help_text="Jobs of which nobody told size or length."
    )
    untraced = serializers.IntegerField(source="untraced_count", help_text="Attempts without one.")
    months = FleetMonthSerializer(many=True)
    jobs = StragglerJobSerializer(many=True)
