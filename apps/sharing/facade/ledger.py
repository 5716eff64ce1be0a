"""What other apps ask of the share ledger. Needs the scope of the actor's organization."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from apps.sharing.ledger.reading import LedgerFilters, access_ledger
from apps.sharing.ledger_kinds import GroundKind, LedgerChannel, ReaderKind
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level
from apps.tenancy.access import Actor, Right
from apps.tenancy.audit.audit_view import names_of
from apps.tenancy.values import OrganizationName, ValueList, name_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownClass:
    """How many of one class of data were shown, and how much of each."""

    data: str
    level: Level
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One look, as one of its two sides reads it."""

    id: int
    public_id: str
    at: datetime
    holder: OrganizationName
    reader: OrganizationName
    reader_kind: ReaderKind
    reader_name: str  # of a person or token of one's own, to those who manage it; else empty
    channel: LedgerChannel
    subject_kind: str
    subject: str
    ground_kind: GroundKind
    ground: str
    ground_version: int
    shown: tuple[ShownClass, ...]
    count: int
    digest: str
    is_ours: bool  # it was the actor's organization's data


def ledger_rows(*, actor: Actor, filters: LedgerFilters) -> ValueList[LedgerRow]:
    """Return the looks that the actor's organization is a side of, the newest first.

    Which person it was is told to those who manage the reader's organization alone.
    """
    return ValueList(
        rows=access_ledger(actor=actor, filters=filters),
        project=lambda found: _named(actor, found),
    )


def _named(actor: Actor, found: Sequence[Any]) -> list[LedgerRow]:
    rows = [_row(actor, each) for each in found]
    if Right.MANAGE not in actor.rights:
        return rows
    own = {each.id: each.reader_label for each in found if each.reader_id == actor.organization.pk}
    names = names_of(actor=actor, labels=own.values()) if own else {}
    return [
        replace(row, reader_name=names.get(own[row.id], own[row.id])) if row.id in own else row
        for row in rows
    ]


def _row(actor: Actor, entry: LedgerEntry) -> LedgerRow:
    return LedgerRow(
        id=entry.pk,
        public_id=entry.public_id,
        at=entry.at,
        holder=name_of(entry.organization),
        reader=name_of(entry.reader),
        reader_kind=ReaderKind(entry.reader_kind),
        reader_name="",
        channel=LedgerChannel(entry.channel),
        subject_kind=entry.subject_kind,
        subject=entry.subject,
        ground_kind=GroundKind(entry.ground_kind),
        ground=entry.ground,
        ground_version=entry.ground_version,
        shown=tuple(
            ShownClass(data=each["data"], level=Level(each["level"]), count=each["count"])
            for each in entry.shown
        ),
        count=entry.count,
        digest=bytes(entry.digest).hex(),
        is_ours=entry.organization_id == actor.organization.pk,
    )
