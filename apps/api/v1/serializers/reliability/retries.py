"""Retry chains and recoveries of a time."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import DayField, WordField
from apps.reliability.facade.recoveries import MeasuredRecovery, RecoveryList, StageMean
from apps.reliability.facade.retry_chains import ChainList, ListedChain
from apps.training.retries.chains import ChainOutcome, Retry
from apps.training.retries.crash_loops import ChainAdvice
from apps.training.retries.recovery_change import RecoveryChange
from apps.training.retries.recovery_marks import Stage
from apps.training.retries.retry_rates import ChainShare, RetryRates

OUTCOMES = [each.value for each in ChainOutcome]


class RetryFilterSerializer(serializers.Serializer[Any]):
    """Whole days of UTC, both of them in it; the last 30 where none is given."""

    first_day = DayField(required=False)
    last_day = DayField(required=False)
    cluster = serializers.SlugField(max_length=60, required=False, allow_blank=True)


class ChainFilterSerializer(RetryFilterSerializer):
    """What of the chains; `changed` belongs to recoveries and changes nothing here."""

    outcome = WordField(choices=OUTCOMES, required=False)
    changed = DayField(required=False)


class RecoveryFilterSerializer(RetryFilterSerializer):
    """Compared before and since this day."""

    changed = DayField(required=False)


class ChainShareSerializer(serializers.Serializer[ChainShare]):
    """How often chains recovered, with the 95 % Wilson interval. Of nothing the share is null."""

    recovered = serializers.IntegerField(source="recovered.hits")
    n = serializers.IntegerField(source="recovered.n")
    share = serializers.FloatField(source="recovered.rate", allow_null=True)
    interval = serializers.ListField(
        source="recovered.interval", child=serializers.FloatField(), min_length=2, max_length=2
    )
    starts = serializers.IntegerField(source="attempts")
    gap_seconds = serializers.ListField(
        child=serializers.FloatField(), allow_null=True, help_text="Quartiles; the second: median."
    )
    gpu_hours = serializers.FloatField()
    burnt_gpu_hours = serializers.FloatField(
        allow_null=True, help_text="Of the chains of which it is known."
    )
    burnt_unknown = serializers.IntegerField(help_text="Chains of which it is not.")


class RetryRatesSerializer(serializers.Serializer[RetryRates]):
    """Automatic chains beside those by hand; `p_value` is Fisher's, of both sides."""

    automatic = ChainShareSerializer()
    manual = ChainShareSerializer()
    ratio = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField()
    difference = serializers.CharField(source="words")


class RetrySerializer(serializers.Serializer[Retry]):
    """One start after a stop."""

    attempt = serializers.CharField(source="run.name")
    gap_seconds = serializers.FloatField()
    kept_progress = serializers.BooleanField(
        allow_null=True, help_text="A checkpoint newer than all before; null: nobody told."
    )
    got_past = serializers.SerializerMethodField()
    gpu_hours = serializers.FloatField()

    def get_got_past(self, retry: Retry) -> bool | None:
        """Say whether it got past the stop; None where it ended and nobody told its steps."""
        return retry.got_past if retry.is_known else None


class ChainAdviceSerializer(serializers.Serializer[ChainAdvice]):
    """What speaks against another start as it was."""

    kind = serializers.CharField()
    times = serializers.IntegerField()
    cause = serializers.CharField(allow_null=True)
    host = serializers.CharField(allow_null=True)


class ListedChainSerializer(serializers.Serializer[ListedChain]):
    """A stop and its retries. Without `known` only its tenant knows what became of it."""

    stopped = serializers.CharField(source="chain.stopped.name")
    stopped_at = serializers.DateTimeField(source="chain.stopped.ends_at")
    cluster = serializers.CharField()
    sessions = serializers.ListField(child=serializers.CharField())
    automatic = serializers.BooleanField(source="chain.is_automatic")
    known = serializers.BooleanField(source="is_known")
    outcome = serializers.SerializerMethodField()
    gpu_hours = serializers.FloatField(source="chain.gpu_hours")
    burnt_gpu_hours = serializers.FloatField(
        source="chain.burnt_gpu_hours",
        allow_null=True,
        help_text="Null: what became of a retry is not known to the reader.",
    )
    crash_loop = serializers.SerializerMethodField(
        help_text="By its fourth attempt nothing newer was saved."
    )
    advice = ChainAdviceSerializer(many=True)
    incidents = serializers.ListField(child=serializers.CharField())
    retries = RetrySerializer(source="chain.retries", many=True)

    def get_outcome(self, listed: ListedChain) -> str | None:
        """Return what became of it; None where the reader does not know."""
        return listed.chain.outcome.value if listed.is_known else None

    def get_crash_loop(self, listed: ListedChain) -> bool:
        """Say whether its job is in a loop."""
        return listed.loop is not None


class ChainListSerializer(serializers.Serializer[ChainList]):
    """The chains whose stop lies in these days, the newest first, and how often they recover."""

    first_day = serializers.DateField(source="scope.first_day")
    last_day = serializers.DateField(source="scope.last_day")
    rates = RetryRatesSerializer()
    unknown = serializers.IntegerField(source="unknown_count")
    hidden = serializers.SerializerMethodField(help_text="Sessions are hidden by policy.")
    left_out = serializers.IntegerField(source="left_out_count")
    chains = ListedChainSerializer(many=True)

    def get_hidden(self, found: ChainList) -> bool:
        """Say whether the reader's part reads no sessions."""
        return not found.reads_sessions


class RecoverySerializer(serializers.Serializer[MeasuredRecovery]):
    """One recovery in milliseconds; a mark that nobody told has its time in the part after it."""

    session = serializers.CharField()
    stopped = serializers.IntegerField(help_text="The attempt that stopped.")
    following = serializers.IntegerField(help_text="The one that went on; the same: in place.")
    starts_at = serializers.DateTimeField()
    total_ms = serializers.IntegerField()
    stages_ms = serializers.SerializerMethodField()
    missing = serializers.ListField(child=serializers.CharField())
    complete = serializers.BooleanField(source="is_complete")

    def get_stages_ms(self, one: MeasuredRecovery) -> dict[str, int]:
        """Return what each part took; together they are all of it."""
        return {stage.value: one.by_stage[stage] for stage in Stage}


class RecoveryChangeSerializer(serializers.Serializer[RecoveryChange]):
    """Means before and since the day; `change` -0.47 is 47 % less."""

    before_seconds = serializers.FloatField()
    after_seconds = serializers.FloatField()
    before_count = serializers.IntegerField()
    after_count = serializers.IntegerField()
    change = serializers.FloatField()
    interval = serializers.ListField(child=serializers.FloatField(), min_length=2, max_length=2)
    clear = serializers.BooleanField(source="is_clear")


class StageMeanSerializer(serializers.Serializer[StageMean]):
    """What one part took on average."""

    stage = serializers.CharField()
    before_seconds = serializers.FloatField(allow_null=True)
    after_seconds = serializers.FloatField(allow_null=True)


class RecoveryListSerializer(serializers.Serializer[RecoveryList]):
    """The recoveries that began in these days, the newest first, of one's own sessions."""

    first_day = serializers.DateField(source="scope.first_day")
    last_day = serializers.DateField(source="scope.last_day")
    median_seconds = serializers.FloatField(
        allow_null=True, help_text="From the failure to the next step, of the complete ones."
    )
    complete_count = serializers.IntegerField(help_text="Recoveries that reached another step.")
    change = RecoveryChangeSerializer(allow_null=True)
    stages = StageMeanSerializer(many=True)
    cut = serializers.BooleanField(source="is_cut")
    recoveries = RecoverySerializer(many=True)
