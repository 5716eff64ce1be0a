"""The storage path of a cluster as its page shows it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.reliability.storage_path.shares import is_adapter_assumed
from apps.reliability.storage_path.values import (
    CheckpointLedgerRow,
    HolderNote,
    ShownPhase,
    StoragePathView,
)
from apps.training.storage_path.ledger import LedgerSum
from apps.training.storage_path.phases import PhaseKind
from apps.web import words
from apps.web.display.choices import SegmentLink, day_links
from apps.web.display.figures import NO_NUMBER, gpu_hours, percent
from apps.web.display.instants import dated
from apps.web.display.levels import shared_mark
from apps.web.display.shown_parties import ShownPartyRow, proposal_url, shown_or
from apps.web.storage_path import figures
from apps.web.storage_path.page import (
    LedgerLine,
    PhaseLink,
    RatingForm,
    RatingRow,
    StoragePage,
    SumRow,
)
from apps.web.storage_path.path_panel import path_panel
from apps.web.storage_path.scale_panel import scale_panel

DAYS: Final = ("7", "30", "90")
VIEWS: Final = {
    "": gettext_lazy("Path"),
    "ledger": gettext_lazy("Ledger"),
    "scale": gettext_lazy("Scale"),
    "ratings": gettext_lazy("Ratings"),
}
PHASES_SHOWN: Final = 20
ROWS_SHOWN: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPage:
    """What the address asks for."""

    org: str
    days: str
    view: str
    at: str

    def query(self, **changed: str) -> str:
        """Return the address with some of it changed, without what is empty."""
        told = {"days": self.days, "view": self.view, "at": self.at}
        kept = {name: value for name, value in {**told, **changed}.items() if value}
        return "?" + urlencode(kept)


def storage_page(
    found: StoragePathView, *, asked: AskedPage, form: RatingForm | None = None
) -> StoragePage:
    """Return the page."""
    slug = found.cluster.slug
    is_assumed = is_adapter_assumed(found.ratings, found.until)
    base = f"/api/v1/o/{asked.org}/clusters/{slug}/storage-path/"
    span = urlencode({"since": found.since.isoformat(), "until": found.until.isoformat()})
    return StoragePage(
        cluster=slug,
        cluster_name=found.cluster.name,
        is_simulated=found.is_simulated,
        span=_("%(since)s to %(until)s")
        % {"since": dated(found.since), "until": dated(found.until)},
        days=day_links(DAYS, chosen=asked.days, query=lambda each: asked.query(days=each)),
        views=tuple(
            SegmentLink(text=str(text), query=asked.query(view=view), is_on=view == asked.view)
            for view, text in VIEWS.items()
        ),
        view=asked.view,
        phases=_phases(found, asked),
        phase_count=len(found.phases),
        panel=path_panel(found.detail, is_adapter_assumed=is_assumed) if found.detail else None,
        shares=tuple(
            (
                _shares_title(each.kind, each.phase_count, each.bytes_per_second),
                figures.share_rows(each.shares, is_adapter_assumed=each.is_adapter_assumed),
            )
            for each in found.shares
        ),
        sums=tuple(_sum(each, found) for each in found.sums),
        ledger=tuple(_line(each, asked) for each in reversed(found.ledger[-ROWS_SHOWN:])),
        ledger_count=len(found.ledger),
        price=found.price.text if found.price else "",
        scale=scale_panel(found.scale, run_count=found.scaled_run_count)
        if found.scale is not None
        else None,
        ratings=_ratings(found),
        form=form or (rating_form() if found.may_rate else None),
        holders=tuple(_holder(each, asked, slug) for each in found.holders),
        csv_address=f"{base}ledger.csv?{span}",
        json_address=f"{base}?{span}",
    )


def rating_form(
    *, kind: str = "", value: str = "", valid_from: str = "", problem: str = ""
) -> RatingForm:
    """Return the form for a rating, with what was typed."""
    kinds = tuple((each.value, str(text)) for each, text in figures.RATINGS.items())
    return RatingForm(kinds=kinds, kind=kind, value=value, valid_from=valid_from, problem=problem)


def _phases(found: StoragePathView, asked: AskedPage) -> tuple[PhaseLink, ...]:
    shown = found.detail.shown.phase.id if found.detail else None
    newest = reversed(found.phases[-PHASES_SHOWN:])
    return tuple(_phase_link(each, asked, is_on=each.phase.id == shown) for each in newest)


def _phase_link(shown: ShownPhase, asked: AskedPage, *, is_on: bool) -> PhaseLink:
    phase = shown.phase
    told = {"kind": figures.KINDS[PhaseKind(phase.kind)], "at": dated(phase.starts_at)}
    return PhaseLink(
        text=_("%(kind)s, %(at)s") % told,
        length=words.duration(phase.seconds),
        moved=figures.size_text(phase.moved_bytes),
        queue_share=percent(phase.queue_share),
        query=asked.query(view="", at=_middle(phase.starts_at, phase.ends_at)),
        shown_by=shared_mark(shown.shared) if shown.shared else "",
        is_on=is_on,
    )


def _middle(starts_at: datetime, ends_at: datetime) -> str:
    at = starts_at + (ends_at - starts_at) / 2
    return at.replace(microsecond=0).isoformat()


def _shares_title(kind: str, count: int, rate: float) -> str:
    told = {"kind": figures.SEVERAL[PhaseKind(kind)], "rate": figures.rate_text(rate), "n": count}
    return _("%(kind)s, %(rate)s on average (n = %(n)s)") % told


def _sum(each: LedgerSum, found: StoragePathView) -> SumRow:
    notes = []
    if each.untold_bytes_count:
        notes.append(_("bytes of %(n)s are not known") % {"n": each.untold_bytes_count})
    if each.untold_seconds_count:
        notes.append(_("of %(n)s no begin or end is told") % {"n": each.untold_seconds_count})
    if untold := found.idle_untold.get(each.kind.value, 0):
        notes.append(_("of %(n)s nobody tells whether GPUs waited") % {"n": untold})
    return SumRow(
        name=str(figures.SEVERAL[each.kind]),
        count=f"{each.count:,}",
        moved=figures.size_text(each.moved_bytes or None),
        mean=figures.length_text(each.mean_seconds),
        longest=figures.length_text(each.longest_seconds),
        hours=gpu_hours(each.idled_gpu_hours),
        cost=figures.cost_text(each.cost),
        note="; ".join(notes),
    )


def _line(row: CheckpointLedgerRow, asked: AskedPage) -> LedgerLine:
    return LedgerLine(
        kind=str(figures.KINDS[PhaseKind(row.kind)]),
        when=dated(row.starts_at, seconds=True),
        session=row.session,
        session_name=_session_text(row),
        step=NO_NUMBER if row.step is None else f"{row.step:,}",
        length=_length(row),
        moved=figures.size_text(row.moved_bytes),
        hours=gpu_hours(row.idled_gpu_hours),
        cost=figures.cost_text(row.cost),
        told_by=_told_by(row),
        query=asked.query(view="", at=_middle(row.starts_at, row.ends_at))
        if row.is_measured
        else "",
    )


def _length(row: CheckpointLedgerRow) -> str:
    return _("no end told") if row.seconds is None else words.duration(row.seconds)


def _session_text(row: CheckpointLedgerRow) -> str:
    if not row.session:
        return _("not known")
    return f"{row.session_name} #{row.attempt}"


def _told_by(row: CheckpointLedgerRow) -> str:
    if row.is_logged and row.is_measured:
        return _("logs and metrics")
    return _("logs") if row.is_logged else _("metrics")


def _ratings(found: StoragePathView) -> tuple[RatingRow, ...]:
    return tuple(
        RatingRow(
            name=str(figures.RATINGS[each.kind]),
            value=figures.rating_text(each.kind, each.value),
            valid_from=dated(each.valid_from),
            entered=dated(each.entered_at),
            by=_("%(person)s, %(organization)s")
            % {"person": each.entered_by, "organization": each.organization.name},
        )
        for each in found.ratings
    )


def _holder(note: HolderNote, asked: AskedPage, slug: str) -> ShownPartyRow:
    hidden = _("hidden by policy: no agreement shows its storage metrics to you")
    return ShownPartyRow(
        name=note.organization.name,
        about=words.parts(note.parts),
        shown=shown_or(note.shown, hidden=hidden),
        ask=""
        if note.shown
        else proposal_url(org=asked.org, cluster=slug, counterpart=note.organization.slug),
    )
