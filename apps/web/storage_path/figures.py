"""Numbers of the storage path as people read them; what is not known is a dash, never a zero."""

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.telemetry.storage_path.ratings import RatingKind
from apps.training.storage_path.phases import PhaseKind
from apps.training.storage_path.rated import DenominatorKind, RatedShare
from apps.web import words
from apps.web.display.figures import NO_NUMBER, percent
from apps.web.storage_path.page import ShareRow
from apps.wording import READERS
from apps.wording.amounts import amount

KINDS: Final = {PhaseKind.SAVE: gettext_lazy("Save"), PhaseKind.LOAD: gettext_lazy("Load")}
SEVERAL: Final = {PhaseKind.SAVE: gettext_lazy("Saves"), PhaseKind.LOAD: gettext_lazy("Loads")}
DENOMINATORS: Final = {
    DenominatorKind.RATED: gettext_lazy("what the storage is rated at"),
    DenominatorKind.ADAPTERS: gettext_lazy("the adapters of all nodes"),
    DenominatorKind.SLOTS: gettext_lazy("what the RPC slots of all nodes allow"),
}
RATINGS: Final = {
    RatingKind.SAVE: gettext_lazy("Storage, writing, all nodes (GB/s)"),
    RatingKind.LOAD: gettext_lazy("Storage, reading, all nodes (GB/s)"),
    RatingKind.ADAPTER: gettext_lazy("Adapters of one node (Gbit/s)"),
    RatingKind.SLOTS: gettext_lazy("RPC slots of one mount on one node"),
    RatingKind.REQUEST_BYTES: gettext_lazy("One request, wsize (KiB)"),
}
# In what it is typed.
TYPED_IN: Final = {
    RatingKind.SAVE: 1e9,
    RatingKind.LOAD: 1e9,
    RatingKind.ADAPTER: 1e9,
    RatingKind.SLOTS: 1.0,
    RatingKind.REQUEST_BYTES: 1024.0,
}
UNITS: Final = {
    RatingKind.SAVE: "bytes/s",
    RatingKind.LOAD: "bytes/s",
    RatingKind.SLOTS: "slots",
    RatingKind.REQUEST_BYTES: "bytes",
}


def size_text(value: float | None) -> str:
    """Return bytes: 2.30 TB."""
    return _told(value, "bytes")


def rate_text(value: float | None) -> str:
    """Return bytes a second: 40.1 GB/s."""
    return _told(value, "bytes/s")


def seconds_text(value: float | None) -> str:
    """Return a time of requests: 126 ms."""
    return _told(value, "seconds")


def length_text(seconds: float | None) -> str:
    """Return how long something took."""
    return NO_NUMBER if seconds is None else words.duration(seconds)


def used_text(share: float) -> str:
    """Return how much of a denominator is used: more than all of it is no share."""
    if share <= 1:
        return percent(share)
    return _("%(n)s times as much: there is more than assumed") % {"n": f"{share:.2f}"}


def cost_text(cost: float | None) -> str:
    """Return a cost in the currency of the price in the settings."""
    return NO_NUMBER if cost is None else f"{cost:,.0f}"


def rating_text(kind: RatingKind, value: float) -> str:
    """Return a rating with its unit."""
    if kind is RatingKind.ADAPTER:
        return _("%(n)s Gbit/s") % {"n": f"{value / 1e9:,.4g}"}
    return _told(value, UNITS[kind])


def share_rows(
    shares: tuple[RatedShare, ...], *, is_adapter_assumed: bool, slots_by: str = ""
) -> tuple[ShareRow, ...]:
    """Return a rate against each denominator, and who says the denominator."""
    by = {
        DenominatorKind.ADAPTERS: _("assumed: 200 Gbit/s a node; nobody entered it")
        if is_adapter_assumed
        else _("entered under Ratings"),
        DenominatorKind.SLOTS: slots_by,
    }
    return tuple(
        ShareRow(
            name=str(DENOMINATORS[each.denominator]),
            share=used_text(each.share),
            denominator=rate_text(each.denominator_bytes_per_second),
            by=each.entered_by or by.get(each.denominator, ""),
        )
        for each in shares
    )


def _told(value: float | None, unit: str) -> str:
    return amount(value, unit, translate=READERS.translate) or NO_NUMBER
