"""How sessions of others get on, for who knows that they run: operator and platform.

What is counted of it lies above this app: it is read in the scope of its holder, which is opened
here for who shows it, and what was handed out is written down before anything leaves.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.fleet.access import parts_in
from apps.fleet.models import Cluster
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.shared_access import shown_as
from apps.incidents.projection.shared_values import SharedAs
from apps.sharing.grant_values import ReaderPlace, SharedThing
from apps.sharing.grants import grants_to, rule_for
from apps.sharing.ledger.entries import PROGRESS, write_looks
from apps.sharing.ledger_kinds import LedgerChannel
from apps.sharing.terms import SESSIONS
from apps.tenancy.access import Actor, Right
from apps.tenancy.scope import organization_scope

KNOW_OF_SESSIONS = SEES_SESSIONS - {"tenant"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownProgress:
    """Who shows how its sessions get on, how much, and since when."""

    shared: SharedAs
    since: datetime | None  # what was before is not shown any more; None: all that is kept


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressAccess:
    """What other parties of a cluster show a reader of how their sessions get on."""

    holders: tuple[ShownProgress, ...] = ()
    handed_out: HandedOut = field(default_factory=HandedOut)

    @contextmanager
    def held_by(self, holder: ShownProgress) -> Iterator[None]:
        """Open the scope of a holder."""
        with organization_scope(holder.shared.holder.id):
            yield

    def hand_out(self, holder: ShownProgress, session: str, *told: object) -> None:
        """Take what of a session is shown, for the ledger."""
        self.handed_out.add(holder.shared, SESSIONS, session, *told)


@contextmanager
def recorded_progress(
    *, actor: Actor, cluster: Cluster | None, channel: LedgerChannel | None, now: datetime
) -> Iterator[ProgressAccess]:
    """Return what others show of their sessions in a cluster, and write down what was handed out.

    Without a cluster or a channel, and for who may not know of sessions, nobody shows any. Needs
    the actor's scope and a cluster that came through a door. Raises LedgerUnavailable at its end.
    """
    actor.require(Right.READ)
    holders = _holders(actor, cluster, now) if cluster and channel else ()
    access = ProgressAccess(holders=holders)
    yield access
    if cluster and channel:
        looks = access.handed_out.looks(subject=cluster.slug, subject_kind=PROGRESS)
        write_looks(actor=actor, channel=channel, looks=looks, now=now)


def _holders(actor: Actor, cluster: Cluster, now: datetime) -> tuple[ShownProgress, ...]:
    if not KNOW_OF_SESSIONS & {row.part for row in parts_in(actor=actor, cluster=cluster)}:
        return ()
    grants = grants_to(reader=actor.organization, cluster_id=cluster.pk, now=now)
    found = []
    for key in sorted(grants):
        grant = grants[key]
        thing = SharedThing(data=SESSIONS, at=now)
        # Of no incident: what is shown on incidents is no rule for all that ran.
        rule = rule_for(grant=grant, thing=thing, reader=ReaderPlace(layers=frozenset()), now=now)
        if rule is not None:
            days = rule.keep_days
            since = now - timedelta(days=days) if days else None
            found.append(ShownProgress(shared=shown_as(grant, rule), since=since))
    return tuple(found)
