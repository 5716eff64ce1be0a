"""A row of what somebody told of a node that was left out."""

from datetime import datetime
from typing import NamedTuple


class ToldExclusion(NamedTuple):
    """What is read of a row: a model for each of hundreds takes longer than all the rest."""

    pk: int
    organization_id: int
    host: str
    kind: str
    session: str
    starts_at: datetime
    ends_at: datetime | None
    standing: str
    by: str
    reason: str
    cause: str
    incident: str
