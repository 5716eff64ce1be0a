"""What an exclusion says beside its host and its time."""

from datetime import UTC, datetime

from apps.telemetry.formats.lines.complaints import Complaints
from apps.telemetry.formats.schedulers.exclusions_json import exclusion_batch

AT = datetime(2026, 11, 21, 2, tzinfo=UTC)


def test_who_left_a_node_out_and_why_is_kept_and_what_is_not_said_is_empty() -> None:
    words = {"by": "ops", "reason": "Xid 79", "incident": "INC-7K3F"}
    base = {"host": "gpu001", "kind": "drain", "at": AT.isoformat()}
    complaints = Complaints()
    found = exclusion_batch(
        said={"exclusions": [{**base, **words}, base]}, complaints=complaints, now=AT
    ).exclusions
    assert complaints.as_json() == []
    assert [(each.by, each.reason, each.incident) for each in found] == [
        ("ops", "Xid 79", "INC-7K3F"),
        ("", "", ""),
    ]
