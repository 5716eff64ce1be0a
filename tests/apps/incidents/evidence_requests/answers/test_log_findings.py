"""Whether the logs of a host cover the time that is asked about."""

from datetime import datetime, timedelta

import pytest

from apps.diagnosis.model import Extent
from apps.incidents.evidence_requests.answers.log_findings import _gap
from apps.incidents.evidence_requests.answers.values import CheckSubject
from apps.incidents.models import Incident
from tests.cast.make import AT

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)
SUBJECT = CheckSubject(
    holder_id=1,
    cluster_id=1,
    incident=Incident(),
    hosts=("gpu001",),
    knows_all_hosts=False,
    named=str,
    starts_at=AT,
    ends_at=AT + HOUR,
    now=AT + 2 * HOUR,
)


@pytest.mark.parametrize(
    ("first", "last", "why"),
    [
        (AT, AT + HOUR, None),
        (AT + SECOND, AT + HOUR, "gap-log-begins"),
        (AT, AT + HOUR - SECOND, "gap-log-ends"),
        (None, None, "gap-no-log"),
    ],
)
def test_a_log_from_the_first_instant_to_the_last_has_no_gap(
    first: datetime | None, last: datetime | None, why: str | None
) -> None:
    gap = _gap("gpu001", [Extent(first_at=first, last_at=last)], SUBJECT)
    assert (gap.why.kind if gap else None) == why
