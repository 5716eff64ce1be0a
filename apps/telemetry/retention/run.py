"""One run over an organization: class by class, in small transactions that lock only what goes."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Final

from apps.telemetry.retention import batches, usage
from apps.telemetry.retention.classes import RetentionClass
from apps.telemetry.retention.deletions import PurgeCount, note
from apps.telemetry.retention.purge import days, facts, metrics, raw, storage
from apps.telemetry.retention.references import Citing, citing_of, look_again
from apps.tenancy.scope import organization_scope
from apps.tenancy.work import failed_work
from apps.tenancy.work.failed_work import Unit

TURN_SECONDS: Final = 200.0
Step = Callable[[], PurgeCount]
NOT_MINE: Final = PurgeCount()  # another run drops meanwhile


def retire(*, organization_id: int, now: datetime, clock: Callable[[], float]) -> bool:
    """Drop what is past its time; return whether more is left. Opens scopes of its own.

    Repeatable, and may be ended at any moment: what went is recorded where it goes. Of two at once
    one ends: both would renumber what overlaps the same chunks.
    """
    ends_at = clock() + TURN_SECONDS
    # Before all that may fail or take long: what comes in meanwhile has its day.
    days.make_ahead(now=now)
    with organization_scope(organization_id):
        citing = citing_of(organization_id=organization_id)
    has_gone = False
    for name, kind, step in _steps(organization_id=organization_id, citing=citing, now=now):
        is_more = True
        while is_more:
            if clock() > ends_at:
                return True
            gone = failed_work.attempt(
                unit=Unit(organization_id=organization_id, kind="retention", subject=name),
                now=now,
                work=partial(
                    _step,
                    organization_id=organization_id,
                    kind=kind,
                    step=step,
                    citing=citing,
                    now=now,
                ),
            )
            if gone is None:
                break  # what can't be dropped keeps nothing else
            if gone is NOT_MINE:
                return False
            has_gone, is_more = has_gone or gone.row_count > 0, gone.is_more
    # Each night too where nothing went: what was replaced meanwhile was counted twice.
    is_whole = has_gone or now.astimezone(UTC).hour == 0
    with organization_scope(organization_id):
        usage.measure(organization_id=organization_id, now=now, is_whole=is_whole)
    days.drop_old(now=now)
    return False


def _step(
    *, organization_id: int, kind: RetentionClass, step: Step, citing: Citing, now: datetime
) -> PurgeCount:
    """Drop one class's next rows; NOT_MINE where another run does."""
    with organization_scope(organization_id):
        if not batches.is_mine(organization_id=organization_id):
            return NOT_MINE
        look_again(citing=citing, organization_id=organization_id)
        gone = step()
        note(organization_id=organization_id, kind=kind, gone=gone, now=now)
    return gone


def _steps(
    *, organization_id: int, citing: Citing, now: datetime
) -> Iterator[tuple[str, RetentionClass, Step]]:
    steps: tuple[tuple[str, RetentionClass, Callable[..., PurgeCount]], ...] = (
        ("chunks", RetentionClass.RAW, partial(raw.drop_chunks, citing=citing)),
        ("unread bodies", RetentionClass.RAW, raw.drop_unread),
        ("events", RetentionClass.EVENTS, _Events(citing=citing)),
        ("findings", RetentionClass.EVENTS, partial(facts.drop_findings, citing=citing)),
        ("known batches", RetentionClass.EVENTS, facts.drop_known_batches),
        ("silent streams", RetentionClass.EVENTS, facts.drop_silent_streams),
        ("recovery in place", RetentionClass.EVENTS, facts.drop_recovery),
        ("windows", RetentionClass.EVENTS, facts.drop_windows),
        ("exclusions", RetentionClass.EVENTS, facts.drop_exclusions),
        ("changes", RetentionClass.EVENTS, facts.drop_changes),
        ("storage path", RetentionClass.EVENTS, storage.drop_storage),
        ("unread metrics", RetentionClass.METRICS, metrics.drop_unread),
        ("memory of detectors", RetentionClass.METRICS, metrics.drop_memory),
    )
    for name, kind, step in steps:
        yield name, kind, partial(step, organization_id=organization_id, now=now)


class _Events:
    """Events, from one transaction to the next: those that stay are passed once."""

    def __init__(self, *, citing: Citing) -> None:
        self._citing = citing
        self._after: facts.EventPosition | None = None

    def __call__(self, *, organization_id: int, now: datetime) -> PurgeCount:
        gone, self._after = facts.drop_events(
            organization_id=organization_id, citing=self._citing, now=now, after=self._after
        )
        return gone
