"""The share ledger in words: when, who, what of whose, by what, and by which way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.sharing.facade.ledger import LedgerRow
from apps.sharing.ledger.entries import CHANGES, FLEET, INCIDENT, PROGRESS, STORAGE, WARNINGS
from apps.sharing.ledger_kinds import GroundKind, LedgerChannel, ReaderKind
from apps.web.display.choices import SegmentLink
from apps.web.display.data_classes import data_name
from apps.web.display.levels import level_name

CHANNELS: Mapping[LedgerChannel, Promise] = {
    LedgerChannel.PAGE: gettext_lazy("read on a page"),
    LedgerChannel.REST: gettext_lazy("read by REST"),
    LedgerChannel.EXPORT: gettext_lazy("exported"),
    LedgerChannel.STREAM: gettext_lazy("read live"),
    LedgerChannel.EMAIL: gettext_lazy("sent by e-mail"),
    LedgerChannel.WEBHOOK: gettext_lazy("sent by webhook"),
}
READERS: Mapping[ReaderKind, Promise] = {
    ReaderKind.VIEWER: gettext_lazy("a viewer"),
    ReaderKind.RESPONDER: gettext_lazy("a responder"),
    ReaderKind.ADMIN: gettext_lazy("an admin"),
    ReaderKind.TOKEN: gettext_lazy("a token"),
    ReaderKind.PORTAL: gettext_lazy("the portal itself"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRow:
    """One look."""

    public_id: str
    at: datetime
    who: str
    person: str
    whose: str
    incident: str  # empty: of none
    warnings_of: str  # name of the cluster; empty: of none
    storage_of: str  # the same of its storage path
    fleet_of: str  # the same of its fleet page
    changes_of: str  # the same of what was changed
    progress_of: str  # the same of how its sessions get on
    what: tuple[str, ...]
    channel: str
    is_export: bool
    ground: str
    ground_version: int
    is_by_agreement: bool
    is_by_bundle: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPage:
    """Some looks, what they are narrowed by, and where the older ones are."""

    rows: tuple[LookRow, ...]
    sides: tuple[SegmentLink, ...]
    parties: tuple[SegmentLink, ...]
    narrowed: tuple[str, ...]
    ground: str
    incident: str
    day: str
    side: str
    party: str
    next_query: str
    csv_address: str


def look_rows(rows: Sequence[LedgerRow], *, clusters: Mapping[str, str]) -> tuple[LookRow, ...]:
    """Return looks as the page shows them; `clusters` are names by slug."""
    return tuple(_look(each, clusters) for each in rows)


def _data(data: str) -> str:
    if data.startswith("bundle:"):
        return _("Evidence bundle")
    if data.startswith("answer:"):
        return _("Signed statement: %(data)s") % {"data": data_name(data.removeprefix("answer:"))}
    return data_name(data)


def _look(row: LedgerRow, clusters: Mapping[str, str]) -> LookRow:
    name = clusters.get(row.subject, row.subject)
    return LookRow(
        public_id=row.public_id,
        at=row.at,
        who=row.reader.name,
        person=row.reader_name or str(READERS[row.reader_kind]),
        whose=_("ours") if row.is_ours else row.holder.name,
        incident=row.subject if row.subject_kind == INCIDENT else "",
        warnings_of=name if row.subject_kind == WARNINGS else "",
        storage_of=name if row.subject_kind == STORAGE else "",
        fleet_of=name if row.subject_kind == FLEET else "",
        changes_of=name if row.subject_kind == CHANGES else "",
        progress_of=name if row.subject_kind == PROGRESS else "",
        what=tuple(
            _("%(data)s, %(level)s: %(n)s")
            % {"data": _data(each.data), "level": level_name(each.level), "n": each.count}
            for each in row.shown
        ),
        channel=str(CHANNELS[row.channel]),
        is_export=row.channel is LedgerChannel.EXPORT,
        ground=row.ground,
        ground_version=row.ground_version,
        is_by_agreement=row.ground_kind is GroundKind.AGREEMENT,
        is_by_bundle=row.ground_kind is GroundKind.BUNDLE,
    )
