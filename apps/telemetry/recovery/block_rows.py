"""Facts that came → the blocks of their attempt, each a set of bounded size."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from django.db.models import F, Value
from django.db.models.functions import Greatest

from apps.fleet.models import Attempt, Cluster
from apps.telemetry.models import RecoveryBlock
from apps.telemetry.recovery import fact_blocks
from apps.telemetry.recovery.run_state import settle_state
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.training.in_job.recovery_facts import FactPart, RecoveryFact


def keep_facts(
    *,
    sender: Organization,
    cluster: Cluster,
    attempt: Attempt,
    facts: Sequence[RecoveryFact],
    now: datetime,
) -> frozenset[str]:
    """Keep facts with their attempt and settle its state; return the keys that found no room.

    Opens the scope of the cluster's parties: what lines tell of the same is theirs.
    """
    blocks: dict[tuple[FactPart, int], list[RecoveryFact]] = defaultdict(list)
    for each in facts:
        blocks[each.part, each.block].append(each)
    left_out: set[str] = set()
    with organization_scope(attempt.organization_id, *parties_of(cluster_id=cluster.pk)):
        # In one order: two pushes that meet in several blocks wait for each other.
        for (part, block), some in sorted(blocks.items()):
            row = _locked(sender, attempt, part, block, now=now)
            left_out |= _merge(row, some, now=now) if row else {each.key for each in some}
        last = max((each.at_seconds for each in facts), default=None)
        settle_state(attempt=attempt, told_seconds=last)
    return frozenset(left_out)


def _locked(
    sender: Organization, attempt: Attempt, part: FactPart, block: int, *, now: datetime
) -> RecoveryBlock | None:
    """Return a block that nobody else writes meanwhile; None where there are too many."""
    own = RecoveryBlock.objects.filter(
        organization=attempt.organization_id, attempt=attempt, sender=sender, part=part
    )
    if not own.filter(block=block).exists():
        if own.count() >= fact_blocks.MOST_BLOCKS:
            return None
        empty = RecoveryBlock(
            organization_id=attempt.organization_id,
            attempt=attempt,
            sender=sender,
            part=part,
            block=block,
            fact_count=0,
            received_at=now,
            body=b"",
        )
        RecoveryBlock.objects.bulk_create([empty], ignore_conflicts=True)
    return own.select_for_update(of=("self",)).get(block=block)


def _merge(row: RecoveryBlock, facts: Sequence[RecoveryFact], *, now: datetime) -> frozenset[str]:
    stored = fact_blocks.unpacked(row.body)
    found = fact_blocks.merged(stored, facts, part=FactPart(row.part))
    if found.has_changed:
        RecoveryBlock.objects.filter(pk=row.pk).update(
            body=fact_blocks.packed(found.facts),
            fact_count=len(found.facts),
            received_at=Greatest(F("received_at"), Value(now)),
        )
    return found.left_out
