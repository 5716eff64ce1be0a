"""What a turn adds to a stream: how the lines of its events are named."""

from dataclasses import replace

import numpy as np

from apps.telemetry.formats.line_merge import Lines
from apps.telemetry.logs.interpretation.stream_update import Work, row_of
from apps.telemetry.models import LogStream
from tests.cast.make import AT
from tests.diagnosis.events import event


def test_a_line_of_the_part_is_named_by_its_stamp_and_any_other_by_its_number() -> None:
    work = Work(stream=LogStream(pk=1, organization_id=1, cluster_id=1), received_at=AT)
    stamps = np.array([5, 6, 7], dtype=np.int64)  # of one line more than the part has
    lines = Lines(text=b"a\nb", line_count=2, stamps=stamps)
    told = event("nvrm-xid", at=AT)

    def name(number: int, lines: Lines | None = lines) -> bytes:
        line = replace(told.line, number=number)
        return bytes(row_of(work, replace(told, line=line), lines, 10).fingerprint)

    for number in (9, 12):
        assert name(number) == name(number, None)
    for number in (10, 11):
        assert name(number) != name(number, None)
