"""Receipts of what ended, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.sharing.facade.receipts import EndReceipt, SeenBySide
from apps.web.display.instants import dated


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRow:
    """That a version ended, and what had been seen by then."""

    version: int
    ended: str
    seen: tuple[str, ...]
    has_exports: bool
    digest: str


def receipt_rows(
    *, receipts: Sequence[EndReceipt], names: Mapping[str, str]
) -> tuple[ReceiptRow, ...]:
    """Return receipts as the page of an agreement shows them; `names` has both sides by slug."""
    return tuple(
        ReceiptRow(
            version=each.version,
            ended=_ended(each, names),
            seen=tuple(_seen(side, names) for side in each.seen),
            has_exports=bool(each.exports),
            digest=each.digest,
        )
        for each in receipts
    )


def _ended(receipt: EndReceipt, names: Mapping[str, str]) -> str:
    told = {"at": dated(receipt.ended_at), "name": names.get(receipt.ended_by, "")}
    if not receipt.ended_by:
        return _("It ended on its day, %(at)s UTC.") % told
    return _("%(name)s ended it at %(at)s UTC.") % told


def _seen(side: SeenBySide, names: Mapping[str, str]) -> str:
    told = {"name": names.get(side.reader, side.reader), "n": side.looks}
    if not side.looks or side.last_at is None:
        return _("%(name)s had seen nothing by it.") % told
    told["at"] = dated(side.last_at)
    looked = ngettext(
        "%(name)s had looked once, at %(at)s UTC",
        "%(name)s had looked %(n)s times, the last at %(at)s UTC",
        side.looks,
    )
    if not side.exports:
        return f"{looked % told}."
    exported = ngettext("one was an export", "%(n)s were exports", side.exports)
    return f"{looked % told}; {exported % {'n': side.exports}}."
