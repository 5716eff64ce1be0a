"""Which memory of a source's detectors a process has at hand."""

from datetime import timedelta
from typing import Any

import pytest

from apps.diagnosis.detection import watch_memory
from apps.telemetry.metrics import detector_memory
from apps.telemetry.metrics.detector_memory import DetectorMemory, recall
from apps.telemetry.models import Source
from tests.cast.make import AT

NEAR = DetectorMemory(memory=watch_memory.WatchMemory(), until=AT)


class _NoRows:
    """Rows of a source of which nothing was stored."""

    def filter(self, **_: Any) -> "_NoRows":
        return self

    def first(self) -> None:
        return None


@pytest.mark.parametrize(
    ("near", "read_until", "is_taken"),
    [
        (NEAR, AT, True),
        (NEAR, AT + timedelta(seconds=30), False),
        (NEAR, None, False),
        (DetectorMemory(memory=watch_memory.WatchMemory()), None, False),
    ],
)
def test_a_memory_at_hand_is_taken_where_it_reaches_to_what_was_read(
    monkeypatch: pytest.MonkeyPatch, near: DetectorMemory, read_until: Any, *, is_taken: bool
) -> None:
    monkeypatch.setattr(detector_memory, "_at_hand", {7: near})
    monkeypatch.setattr(detector_memory, "_rows", lambda source: _NoRows())
    found = recall(source=Source(pk=7, read_until=read_until))
    assert (found is near) is is_taken
