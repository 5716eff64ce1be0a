"""A table of health checks: how often each failed in sessions that succeeded, and that failed.

Published target: in fewer than one of a hundred successful sessions a check of high severity
fails (arXiv:2410.21680). A check beyond it drains good nodes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.intervals import HitShare

MOST_OF_SUCCESSFUL: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSession:
    """One session: how it ended, and which checks failed on its nodes while it ran.

    Told twice the same session is one: what failed adds up, and it succeeded only if every telling
    says so.
    """

    session: str
    is_successful: bool
    failed: frozenset[str] = frozenset()  # checks of any severity
    failed_high: frozenset[str] = frozenset()  # those of high severity among them


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One check."""

    check: str
    is_high: bool  # it was told with high severity at least once
    in_successful: HitShare  # of the sessions that succeeded, those in which it failed
    in_failed: HitShare

    @property
    def is_within(self) -> bool | None:
        """Say whether it keeps to the target; None where the interval leaves both open."""
        return _is_within(self.in_successful)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTable:
    """All checks that failed anywhere, those that fail most in successful sessions first."""

    any_high: HitShare  # of the sessions that succeeded, those that a check of high severity failed
    rows: tuple[CheckRow, ...]

    @property
    def is_within(self) -> bool | None:
        """Say whether all checks together keep to the target; None where it is open."""
        return _is_within(self.any_high)


def check_table(sessions: Iterable[CheckedSession]) -> CheckTable:
    """Return how often each check failed, in whatever order the sessions are told."""
    known = _once_each(sessions)
    good = [each for each in known.values() if each.is_successful]
    bad = [each for each in known.values() if not each.is_successful]
    checks = {check for each in known.values() for check in each.failed | each.failed_high}
    high = {check for each in known.values() for check in each.failed_high}
    rows = [
        CheckRow(
            check=check,
            is_high=check in high,
            in_successful=_share(check, good),
            in_failed=_share(check, bad),
        )
        for check in checks
    ]
    return CheckTable(
        any_high=HitShare(hits=sum(bool(each.failed_high) for each in good), n=len(good)),
        rows=tuple(sorted(rows, key=lambda row: (-row.in_successful.hits, row.check))),
    )


def _is_within(share: HitShare) -> bool | None:
    low, high = share.interval
    if high < MOST_OF_SUCCESSFUL:
        return True
    return False if low >= MOST_OF_SUCCESSFUL else None


def _share(check: str, sessions: list[CheckedSession]) -> HitShare:
    hits = sum(check in each.failed | each.failed_high for each in sessions)
    return HitShare(hits=hits, n=len(sessions))


def _once_each(sessions: Iterable[CheckedSession]) -> Mapping[str, CheckedSession]:
    told: dict[str, list[CheckedSession]] = defaultdict(list)
    for each in sessions:
        told[each.session].append(each)
    return {
        name: CheckedSession(
            session=name,
            is_successful=all(each.is_successful for each in every),
            failed=frozenset().union(*(each.failed for each in every)),
            failed_high=frozenset().union(*(each.failed_high for each in every)),
        )
        for name, every in told.items()
    }
