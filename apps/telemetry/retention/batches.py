"""Of two runs of the retention over the same rows at once, one ends."""

from apps.tenancy.database.advisory_locks import Lock, try_hold


def is_mine(*, organization_id: int) -> bool:
    """Hold an organization's retention until the transaction ends, unless another run does."""
    return try_hold(Lock.RETENTION, organization_id)


def are_days_mine() -> bool:
    """Hold the days of everybody until the transaction ends, unless another run does."""
    return try_hold(Lock.RETENTION_DAYS, 0)
