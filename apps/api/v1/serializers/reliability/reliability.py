"""A period in figures. What is not known is null, and `absence` says why; it is never zero."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.v1.serializers.incident.shared import SharedAsSerializer
from apps.api.v1.serializers.reliability.figures import (
    CaseShareSerializer,
    CountedSerializer,
    FigureSerializer,
)
from apps.reliability.period.facts import SessionOwner
from apps.reliability.period.scopes import MOST_IDS, Absence, Audience
from apps.reliability.period.tables import figures_of
from apps.reliability.period.values import (
    Headline,
    HourShare,
    LossShare,
    Period,
    SessionProgress,
    UseShare,
    WorstNode,
)
from apps.training.economics.expectations import ExpectedMttf


class TimeUseSerializer(serializers.Serializer[UseShare]):
    """What one use took. The milliseconds of all uses are the wall clock exactly."""

    use = serializers.CharField()
    milliseconds = serializers.IntegerField()
    gpu_hours = serializers.FloatField(allow_null=True)
    share = FigureSerializer()


class GoodputHourSerializer(serializers.Serializer[HourShare]):
    """Goodput at the end of an hour; null where nothing ran."""

    ends_at = serializers.DateTimeField()
    cumulative = serializers.FloatField(allow_null=True)
    hour = serializers.FloatField(allow_null=True)


class LossSerializer(serializers.Serializer[LossShare]):
    """What one layer, cause, node, party or month lost, by count and by GPU-hours."""

    name = serializers.CharField(allow_blank=True)
    incidents = CaseShareSerializer()
    gpu_hours = serializers.FloatField(allow_null=True)
    gpu_hours_share = serializers.FloatField(allow_null=True)
    gpu_hours_interval = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, min_length=2, max_length=2
    )
    disputed_gpu_hours = serializers.FloatField(allow_null=True)
    absence = serializers.ChoiceField(
        choices=[each.value for each in Absence],
        allow_null=True,
        help_text="Why there are no GPU-hours.",
    )
    at_least = serializers.BooleanField(
        source="is_at_least", help_text="Parts of the GPU-hours are not known."
    )
    counted = CountedSerializer()


class LossesSerializer(serializers.Serializer[Any]):
    """Lost GPU-hours by what they are put down to."""

    layer = LossSerializer(many=True)
    cause = LossSerializer(many=True)
    node = LossSerializer(many=True)
    party = LossSerializer(many=True)
    month = LossSerializer(many=True)


class ExpectedMttfSerializer(serializers.Serializer[ExpectedMttf]):
    """What the published rate promises a size; what was measured at it is on no curve with that."""

    gpus = serializers.IntegerField()
    hours = serializers.FloatField()
    measured_elsewhere_hours = serializers.FloatField(allow_null=True)


class HeadlineSerializer(serializers.Serializer[Headline]):
    """The few figures that are compared with the time before."""

    sessions = CountedSerializer(allow_null=True)
    attempts = serializers.IntegerField(allow_null=True)
    incidents = CountedSerializer()
    mttf_hours = FigureSerializer()
    goodput = FigureSerializer()
    lost_gpu_hours = FigureSerializer()


class RetrySharesSerializer(serializers.Serializer[Any]):
    """Chains of retries that got past their stop."""

    automatic = CaseShareSerializer()
    manual = CaseShareSerializer()
    fisher_p = serializers.FloatField(allow_null=True)
    longest = serializers.IntegerField(allow_null=True)
    unknown_count = serializers.IntegerField(
        allow_null=True, help_text="Chains that are in neither share."
    )
    counted = CountedSerializer(allow_null=True)


class SaveAdviceSerializer(serializers.Serializer[Any]):
    """How often saving would cost least, and what share of time would then be effective."""

    best_seconds = serializers.FloatField(allow_null=True, help_text="Young and Daly.")
    simulated_seconds = serializers.FloatField(allow_null=True, help_text="By chance.")
    ettr_at_measured = serializers.FloatField(allow_null=True)
    ettr_at_best = serializers.FloatField(allow_null=True)


class WorstNodeSerializer(serializers.Serializer[WorstNode]):
    """A host and the incidents that blame it."""

    host = serializers.CharField()
    cluster = serializers.CharField(allow_blank=True)
    incidents = CountedSerializer()
    gpu_hours = serializers.FloatField(allow_null=True)
    absence = serializers.ChoiceField(
        choices=[each.value for each in Absence],
        allow_null=True,
        help_text="Why there are no GPU-hours.",
    )
    at_least = serializers.BooleanField(
        source="is_at_least", help_text="Parts of the GPU-hours are not known."
    )


class CostSerializer(serializers.Serializer[Any]):
    """Lost GPU-hours at the organization's price."""

    per_gpu_hour = serializers.DecimalField(max_digits=12, decimal_places=4)
    currency = serializers.CharField()
    lost = serializers.DecimalField(max_digits=20, decimal_places=0, allow_null=True)


class WithheldSerializer(serializers.Serializer[Any]):
    """A figure that is not shown though somebody knows it."""

    figure = serializers.CharField()
    absence = serializers.ChoiceField(choices=[each.value for each in Absence])


class SessionProgressSerializer(serializers.Serializer[SessionProgress]):
    """How one session got on, of which steps are known: its own, or as its tenant shows it."""

    session = serializers.CharField()
    shared = SharedAsSerializer(allow_null=True, help_text="Null: your own.")
    wall_ms = serializers.IntegerField()
    goodput = serializers.FloatField()
    step_seconds = serializers.FloatField(
        allow_null=True, help_text="The median over its attempts of each one's median."
    )
    tokens_per_second = serializers.FloatField(allow_null=True, help_text="Likewise.")
    attempt_count = serializers.IntegerField(help_text="Attempts that tell either.")


class SessionOwnerSerializer(serializers.Serializer[SessionOwner]):
    """Another party whose sessions ran, and how much it shows of how they got on."""

    organization = serializers.CharField(source="organization.slug")
    session_count = serializers.IntegerField()
    shown = SharedAsSerializer(allow_null=True, help_text="Null: hidden by policy.")


class PeriodSerializer(serializers.Serializer[Period]):
    """A span of days in figures, as the reader may know them."""

    view = serializers.ChoiceField(
        source="scope.audience", choices=[each.value for each in Audience]
    )
    cluster = serializers.CharField(source="scope.cluster.slug", default=None, allow_null=True)
    starts_at = serializers.DateTimeField(source="scope.starts_at")
    ends_at = serializers.DateTimeField(source="scope.ends_at", help_text="Not in it.")
    simulated = serializers.BooleanField(source="scope.with_simulated")
    now = HeadlineSerializer()
    before = HeadlineSerializer(help_text="Of as long a time before.")
    figures = serializers.SerializerMethodField()
    wall_ms = serializers.IntegerField(source="division.wall_ms", allow_null=True)
    time_uses = TimeUseSerializer(source="division.uses", many=True)
    goodput_hours = GoodputHourSerializer(source="division.hours", many=True)
    reference_shares = serializers.DictField(
        source="division.reference_shares", child=serializers.FloatField()
    )
    expected_ettr = serializers.FloatField(source="division.expected_ettr", allow_null=True)
    without_steps = CountedSerializer(source="division.untold", allow_null=True)
    counted_until = serializers.DateTimeField(source="division.counted_until", allow_null=True)
    mfu_in_band = CaseShareSerializer(source="utilization.within_band")
    run_hours = serializers.FloatField(source="time_to_failure.run_hours", allow_null=True)
    node_days = serializers.FloatField(source="time_to_failure.node_days", allow_null=True)
    typical_gpus = serializers.IntegerField(source="time_to_failure.typical_gpus", allow_null=True)
    published_time_to_failure = ExpectedMttfSerializer(source="time_to_failure.curve", many=True)
    losses = LossesSerializer(source="losses.by")
    checkpoints = SaveAdviceSerializer(source="saves")
    retries = RetrySharesSerializer()
    worst_nodes = WorstNodeSerializer(many=True)
    cost = CostSerializer(allow_null=True)
    sessions = serializers.SerializerMethodField(help_text="The first 500, longest first.")
    session_owners = SessionOwnerSerializer(source="owners", many=True)
    withheld = WithheldSerializer(many=True)
    left_out_count = serializers.IntegerField()

    @extend_schema_field(SessionProgressSerializer(many=True))
    def get_sessions(self, period: Period) -> Any:
        """Return how sessions got on."""
        shown: Any = period.progress[:MOST_IDS]
        return SessionProgressSerializer(shown, many=True).data

    @extend_schema_field(serializers.DictField(child=FigureSerializer()))
    def get_figures(self, period: Period) -> dict[str, Any]:
        """Return every figure by its name."""
        return {name: FigureSerializer(each).data for name, each in figures_of(period).items()}
