"""What an attempt did, as its logs tell: steps, saves and loads."""

from rest_framework import serializers

from apps.training.runs.checkpoints import CheckpointSpan
from apps.training.runs.story import RunStory
from apps.training.steps.level_changes import LevelChange
from apps.training.steps.strip import StripBucket


class StepBucketSerializer(serializers.Serializer[StripBucket]):
    """Some steps that follow each other."""

    stretch = serializers.IntegerField(
        source="attempt", help_text="Another one begins where the count of steps goes back."
    )
    first_step = serializers.IntegerField()
    last_step = serializers.IntegerField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    count = serializers.IntegerField()
    least_seconds = serializers.FloatField()
    median_seconds = serializers.FloatField()
    most_seconds = serializers.FloatField()
    paused_seconds = serializers.FloatField(help_text="For saves and loads, not in the others.")
    loss = serializers.FloatField(allow_null=True)


class StepChangeSerializer(serializers.Serializer[LevelChange]):
    """Where steps became slower or quicker."""

    at = serializers.DateTimeField()
    step = serializers.IntegerField()
    found_step = serializers.IntegerField(help_text="By which step it was plain.")
    before_seconds = serializers.FloatField()
    after_seconds = serializers.FloatField()
    ratio = serializers.FloatField()


class CheckpointSerializer(serializers.Serializer[CheckpointSpan]):
    """One save or load. What no line tells is null."""

    kind = serializers.ChoiceField(choices=["save", "load"])
    starts_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    step = serializers.IntegerField(allow_null=True)
    in_background = serializers.BooleanField(source="is_background")


class RunSerializer(serializers.Serializer[RunStory]):
    """What an attempt did, as one's own logs tell it. What no line tells is null."""

    attempt = serializers.SerializerMethodField()
    first_step = serializers.IntegerField(allow_null=True)
    last_step = serializers.IntegerField(allow_null=True)
    repeated_count = serializers.IntegerField(
        help_text="How often it went on from an earlier step."
    )
    starts_at = serializers.DateTimeField(allow_null=True)
    ends_at = serializers.DateTimeField(allow_null=True)
    zone_known = serializers.SerializerMethodField()
    step_seconds = serializers.FloatField(allow_null=True, help_text="The median.")
    tokens_per_second = serializers.FloatField(allow_null=True, help_text="The median.")
    tflops = serializers.FloatField(allow_null=True, help_text="Of one GPU, the median.")
    mfu = serializers.FloatField(allow_null=True, help_text="Percent, the median.")
    loss = serializers.FloatField(allow_null=True, help_text="The last that was told.")
    steps = StepBucketSerializer(source="strip.buckets", many=True)
    changes = StepChangeSerializer(many=True)
    checkpoints = CheckpointSerializer(many=True)

    def get_attempt(self, story: RunStory) -> int:
        """Return the number of the attempt."""
        return int(self.context["attempt"])

    def get_zone_known(self, story: RunStory) -> bool:
        """Say whether times are in UTC; else as printed, taken for UTC."""
        return not story.is_local
