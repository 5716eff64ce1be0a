"""A cluster's storage path, as it is sent. What nobody tells or shows is null."""

from typing import Any

from rest_framework import serializers

from apps.api.v1.serializers.fields import WordField
from apps.api.v1.serializers.incident.shared import SharedAsSerializer
from apps.reliability.storage_path.values import (
    CheckpointLedgerRow,
    KindShares,
    PhaseDetail,
    ShownPhase,
    StoragePathView,
)
from apps.telemetry.facade.storage import HostTraffic
from apps.telemetry.storage_path.ratings import Rating, RatingKind
from apps.training.storage_path.adapters import AdapterFinding
from apps.training.storage_path.ledger import LedgerSum
from apps.training.storage_path.rated import RatedShare
from apps.training.storage_path.scale import Emergence
from apps.training.storage_path.slots import SlotFinding


class StoragePhaseSerializer(serializers.Serializer[ShownPhase]):
    """One save or load that metrics show. Times of requests are sums over all of them."""

    kind = serializers.ChoiceField(choices=["save", "load"], source="phase.kind")
    mount = serializers.CharField(source="phase.mount", allow_blank=True)
    starts_at = serializers.DateTimeField(source="phase.starts_at")
    ends_at = serializers.DateTimeField(source="phase.ends_at")
    simulated = serializers.BooleanField(source="phase.is_simulated")
    bytes = serializers.FloatField(source="phase.moved_bytes", allow_null=True)
    peak_bytes_per_second = serializers.FloatField(
        source="phase.peak_bytes_per_second", allow_null=True
    )
    hosts = serializers.IntegerField(source="phase.host_count", allow_null=True)
    requests = serializers.FloatField(source="phase.requests", allow_null=True)
    queue_seconds = serializers.FloatField(source="phase.queue_seconds", allow_null=True)
    response_seconds = serializers.FloatField(source="phase.response_seconds", allow_null=True)
    request_seconds = serializers.FloatField(source="phase.request_seconds", allow_null=True)
    queue_share = serializers.FloatField(source="phase.queue_share", allow_null=True)
    utilization = serializers.FloatField(
        source="phase.utilization", allow_null=True, help_text="Of the GPUs, 0 to 1."
    )
    shared = SharedAsSerializer(
        allow_null=True, help_text="Who shows it; null for what one's own sources show."
    )


class CheckpointLedgerRowSerializer(serializers.Serializer[CheckpointLedgerRow]):
    """One save or load of the ledger."""

    kind = serializers.ChoiceField(choices=["save", "load"])
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    complete = serializers.BooleanField(
        source="is_whole", help_text="Else begin or end is not told: both instants are the same."
    )
    seconds = serializers.FloatField(allow_null=True)
    session = serializers.CharField(allow_blank=True, help_text="Its id; empty: not known.")
    attempt = serializers.IntegerField(allow_null=True)
    step = serializers.IntegerField(allow_null=True)
    bytes = serializers.FloatField(source="moved_bytes", allow_null=True)
    gpus = serializers.IntegerField(source="gpu_count", allow_null=True)
    idled_gpu_hours = serializers.FloatField(allow_null=True)
    logged = serializers.BooleanField(source="is_logged", help_text="Logs tell of it.")
    measured = serializers.BooleanField(source="is_measured", help_text="Metrics show it.")


class LedgerSumSerializer(serializers.Serializer[LedgerSum]):
    """All saves, or all loads, of the span."""

    kind = serializers.CharField()
    count = serializers.IntegerField()
    bytes = serializers.FloatField(source="moved_bytes", help_text="Of those that tell it.")
    without_bytes = serializers.IntegerField(source="untold_bytes_count")
    mean_seconds = serializers.FloatField(allow_null=True, help_text="Of those that tell it.")
    longest_seconds = serializers.FloatField(allow_null=True)
    without_seconds = serializers.IntegerField(source="untold_seconds_count")
    idled_gpu_hours = serializers.FloatField(help_text="Of those that tell it.")


class RatedShareSerializer(serializers.Serializer[RatedShare]):
    """A rate as a share of one denominator."""

    denominator = serializers.CharField(help_text="rated, adapters or slots")
    bytes_per_second = serializers.FloatField(source="denominator_bytes_per_second")
    share = serializers.FloatField()
    entered_by = serializers.CharField(allow_blank=True)


class KindSharesSerializer(serializers.Serializer[KindShares]):
    """How much of what is there all saves, or all loads, use on average."""

    kind = serializers.CharField()
    n = serializers.IntegerField(source="phase_count")
    bytes_per_second = serializers.FloatField()
    adapters_assumed = serializers.BooleanField(
        source="is_adapter_assumed", help_text="200 Gbit/s a node, since nobody entered it."
    )
    shares = RatedShareSerializer(many=True)


class SlotFindingSerializer(serializers.Serializer[SlotFinding]):
    """What the requests are consistent with; never what is the cause."""

    reading = serializers.CharField(help_text="slot-limit, queueing or neither")
    bound_bytes_per_second = serializers.FloatField(help_text="Of one node.")
    observed_share = serializers.FloatField()
    near_bound = serializers.BooleanField(source="is_near_bound")
    has_backlog = serializers.BooleanField()
    server_flat = serializers.BooleanField(source="is_server_flat")
    queueing = serializers.BooleanField(source="is_queueing")


class AdapterFindingSerializer(serializers.Serializer[AdapterFinding]):
    """Whether the save is as fast as a node's adapter lets it be; never that this is the cause."""

    carried_bytes_per_second = serializers.FloatField(
        help_text="Of a node's busiest adapter in the direction of the bytes: mean of the nodes."
    )
    rated_bytes_per_second = serializers.FloatField(
        allow_null=True, help_text="Null: nobody entered it, and it is not judged."
    )
    rated_share = serializers.FloatField(allow_null=True)
    near_rated = serializers.BooleanField(source="is_near_rated", allow_null=True)
    most_of_it = serializers.BooleanField(source="is_most_of_it")
    bound = serializers.BooleanField(source="is_bound", help_text="Both conditions hold.")


class HostTrafficSerializer(serializers.Serializer[HostTraffic]):
    """What one host had of it, over the five-minute slots that it touches."""

    host = serializers.CharField()
    bytes = serializers.FloatField(source="moved_bytes")
    requests = serializers.FloatField()
    queue_seconds = serializers.FloatField()
    response_seconds = serializers.FloatField()
    request_seconds = serializers.FloatField()


class PhaseDetailSerializer(serializers.Serializer[PhaseDetail]):
    """The save or load at `at` from the rank to the server."""

    phase = StoragePhaseSerializer(source="shown")
    row = CheckpointLedgerRowSerializer(allow_null=True)
    shares = RatedShareSerializer(many=True)
    slots = SlotFindingSerializer(allow_null=True)
    adapter = AdapterFindingSerializer(allow_null=True)
    slot_count = serializers.FloatField()
    request_bytes = serializers.FloatField()
    hosts = HostTrafficSerializer(many=True)


class RatingSerializer(serializers.Serializer[Rating]):
    """What somebody entered: the newest first. Bytes and bits a second, slots, bytes."""

    kind = serializers.CharField()
    value = serializers.FloatField()
    valid_from = serializers.DateTimeField()
    entered_at = serializers.DateTimeField()
    entered_by = serializers.CharField()
    organization = serializers.CharField(source="organization.slug")


class RatingEntrySerializer(serializers.Serializer[Any]):
    """What the storage path is rated at, from when on; now, if that is not given."""

    kind = WordField(choices=[each.value for each in RatingKind])
    value = serializers.FloatField()
    valid_from = serializers.DateTimeField(required=False)


class EmergenceSerializer(serializers.Serializer[Emergence]):
    """A metric at different numbers of nodes, as the median of a node."""

    metric = serializers.CharField()
    medians = serializers.DictField(child=serializers.FloatField())
    degraded_share = serializers.FloatField()
    flagged = serializers.BooleanField(source="is_flagged")
    begins_at_nodes = serializers.IntegerField(allow_null=True)


class StoragePathSerializer(serializers.Serializer[StoragePathView]):
    """A cluster's storage path over a span."""

    cluster = serializers.CharField(source="cluster.slug")
    simulated = serializers.BooleanField(source="is_simulated")
    since = serializers.DateTimeField()
    until = serializers.DateTimeField()
    phases = StoragePhaseSerializer(many=True)
    ledger = CheckpointLedgerRowSerializer(many=True)
    sums = LedgerSumSerializer(many=True)
    shares = KindSharesSerializer(many=True)
    detail = PhaseDetailSerializer(allow_null=True)
    scale = EmergenceSerializer(many=True, allow_null=True)
