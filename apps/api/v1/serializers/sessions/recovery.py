"""What a job told of recovering in place, as the reader may read it. null: not told, or hidden."""

from datetime import UTC, datetime
from typing import Any

from rest_framework import serializers

from apps.incidents.facade.recovery import RecoveryView
from apps.training.in_job.adapters.torchft import FailedCommit
from apps.training.in_job.events import CommunicatorRepaired, ReplicaLost
from apps.training.in_job.invariant import StepViolation
from apps.training.in_job.lane import LaneSpan
from apps.training.in_job.throughput import RunEfficiency


class SecondsField(serializers.DateTimeField):
    """An instant, told as seconds since the epoch."""

    def to_representation(self, value: datetime | float) -> Any:
        """Return it as any other instant."""
        at = value if isinstance(value, datetime) else datetime.fromtimestamp(value, UTC)
        return super().to_representation(at)


class GpusAliveSerializer(serializers.Serializer[LaneSpan]):
    """A time in which as many GPUs were alive."""

    starts_at = SecondsField(source="begins_seconds")
    ends_at = SecondsField(source="ends_seconds")
    alive_gpus = serializers.IntegerField(source="alive_gpu_count")
    degraded = serializers.BooleanField(source="is_degraded")


class ReplicaLossSerializer(serializers.Serializer[ReplicaLost]):
    """A replica that was lost. Others than its tenant read a number in the place of its name."""

    at = SecondsField(source="at_seconds")
    replica = serializers.CharField()
    gpus = serializers.IntegerField(source="gpu_count")
    step = serializers.IntegerField(allow_null=True)


class RepairSerializer(serializers.Serializer[CommunicatorRepaired]):
    """A communicator that was built again."""

    at = SecondsField(source="at_seconds")
    members_before = serializers.IntegerField()
    members_after = serializers.IntegerField()
    milliseconds = serializers.FloatField(allow_null=True)


class StepViolationSerializer(serializers.Serializer[StepViolation]):
    """A step that is not what it would have been without the loss."""

    step = serializers.IntegerField()
    kind = serializers.CharField()
    found = serializers.IntegerField()
    expected = serializers.IntegerField()


class LostStepSerializer(serializers.Serializer[FailedCommit]):
    """A step that one replica did not commit."""

    at = SecondsField(source="at_seconds")
    replica = serializers.CharField()
    step = serializers.IntegerField()


class LossJumpSerializer(serializers.Serializer[Any]):
    """A jump of the training loss after a recovery."""

    step = serializers.IntegerField()
    loss = serializers.FloatField()
    expected = serializers.FloatField(source="expected_loss")
    z = serializers.FloatField()


class WorthSerializer(serializers.Serializer[Any]):
    """What GPU-hours brought until the last step."""

    gpu_hours = serializers.FloatField()
    tokens = serializers.FloatField()
    tokens_per_gpu_hour = serializers.FloatField()


class SessionRecoverySerializer(serializers.Serializer[Any]):
    """One attempt that recovers in place. null: not told, or hidden by policy."""

    attempt = serializers.IntegerField()
    lost_gpus = serializers.IntegerField(allow_null=True)
    alive_gpus = serializers.IntegerField(allow_null=True)
    steps_shown = serializers.BooleanField(
        help_text="false: steps and what they came to are hidden by policy."
    )
    lane = GpusAliveSerializer(many=True)
    losses = ReplicaLossSerializer(many=True)
    repairs = RepairSerializer(many=True)
    steps_committed = serializers.IntegerField(allow_null=True)
    microbatches = serializers.IntegerField(allow_null=True, help_text="That each step sums up.")
    violations = StepViolationSerializer(many=True, allow_null=True)
    lost_steps = LostStepSerializer(many=True, allow_null=True)
    loss_jumps = LossJumpSerializer(many=True, allow_null=True)
    worth = WorthSerializer(allow_null=True)
    worth_with_restarts = WorthSerializer(
        allow_null=True, help_text="Worked out: a restart at each loss."
    )


def recovery_json(*, attempt: int, view: RecoveryView | None) -> dict[str, Any]:
    """Return what is sent of an attempt."""
    if view is None:
        return {**dict.fromkeys(SessionRecoverySerializer().fields), **EMPTY, "attempt": attempt}
    report, steps = view.report, view.has_steps
    lane = report.lane
    return {
        "attempt": attempt,
        "lost_gpus": report.lost_gpu_count,
        "alive_gpus": lane.alive_gpu_count if lane else None,
        "steps_shown": steps,
        "lane": lane.spans if lane else (),
        "losses": [each for each in report.run.events if isinstance(each, ReplicaLost)],
        "repairs": [each for each in report.run.events if isinstance(each, CommunicatorRepaired)],
        **(_steps(view) if steps else HIDDEN),
    }


def _steps(view: RecoveryView) -> dict[str, Any]:
    report = view.report
    return {
        "steps_committed": len(report.run.commits),
        "microbatches": report.invariant.microbatches if report.invariant else None,
        "violations": report.violations,
        "lost_steps": report.run.failed_commits,
        "loss_jumps": report.flags if view.is_whole and report.guarded_count else None,
        "worth": _worth(report.efficiency),
        "worth_with_restarts": _worth(report.counterfactual),
    }


def _worth(made: RunEfficiency | None) -> dict[str, float] | None:
    if made is None or not made.gpu_hours:
        return None
    return {
        "gpu_hours": made.gpu_hours[-1],
        "tokens": made.tokens[-1],
        "tokens_per_gpu_hour": made.tokens_per_gpu_hour,
    }


HIDDEN: dict[str, Any] = dict.fromkeys(
    (
        *("steps_committed", "microbatches", "violations", "lost_steps", "loss_jumps"),
        *("worth", "worth_with_restarts"),
    )
)
EMPTY: dict[str, Any] = {"steps_shown": False, "lane": [], "losses": [], "repairs": []}
