"""Sources, durable batches, log streams, and the facts read from them."""

from apps.telemetry.models.anomalies import Anomaly, EarlyWarning
from apps.telemetry.models.batches import Batch, BatchState
from apps.telemetry.models.events import Event, TouchedWindow
from apps.telemetry.models.evidence import EvidenceBlock, EvidenceCapture
from apps.telemetry.models.fleet_metrics import MetricMinute, PartList
from apps.telemetry.models.pushed import PushedBlock, PushedBody, PushedMetric, PushedState
from apps.telemetry.models.recovery import RecoveryBlock
from apps.telemetry.models.retention import Deletion, KeptLines, Quota, ReleasedDay, Usage
from apps.telemetry.models.sources import SeriesState, Source
from apps.telemetry.models.storage import (
    CollectiveTail,
    LoggedCheckpoints,
    StoragePhase,
    StorageRating,
    StorageSlot,
    StragglerFinding,
)
from apps.telemetry.models.streams import (
    LogChunk,
    LogStream,
    Progress,
    ProgressBlock,
    VoiceExtent,
)
from apps.telemetry.models.submissions import Submission

__all__ = [
    "Anomaly",
    "Batch",
    "BatchState",
    "CollectiveTail",
    "Deletion",
    "EarlyWarning",
    "Event",
    "EvidenceBlock",
    "EvidenceCapture",
    "KeptLines",
    "LogChunk",
    "LogStream",
    "LoggedCheckpoints",
    "MetricMinute",
    "PartList",
    "Progress",
    "ProgressBlock",
    "PushedBlock",
    "PushedBody",
    "PushedMetric",
    "PushedState",
    "Quota",
    "RecoveryBlock",
    "ReleasedDay",
    "SeriesState",
    "Source",
    "StoragePhase",
    "StorageRating",
    "StorageSlot",
    "StragglerFinding",
    "Submission",
    "TouchedWindow",
    "Usage",
    "VoiceExtent",
]
