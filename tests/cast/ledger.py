"""Looks in a holder's ledger, and somebody with the owner's rights who changes it."""

from collections import Counter

from django.db import connections, transaction

from apps.sharing.ledger.entries import Ground, Look, write_looks
from apps.sharing.ledger_kinds import GroundKind, LedgerChannel
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import SETTING
from tests.cast import make
from tests.cast.incidents import actor

GROUND = Ground(kind=GroundKind.AGREEMENT, public_id="AGR-1", version=1)


def looked(holder: Organization, reader: Organization, *incidents: str) -> None:
    """Let somebody look at incidents, one after the other."""
    who = actor(reader, MemberRole.VIEWER)
    for name in incidents:
        look = Look(
            holder_id=holder.pk,
            ground=GROUND,
            subject=name,
            counts=Counter({("events:gpu", "full"): 1}),
            digest=b"\x01" * 32,
        )
        write_looks(actor=who, channel=LedgerChannel.PAGE, looks=[look], now=make.AT)


def tamper(organization: Organization, how: str) -> None:
    """Change rows as who owns the database can."""
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("SELECT set_config(%s, %s, true)", [SETTING, str(organization.pk)])
        cursor.execute(how)
