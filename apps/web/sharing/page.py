"""Agreements as their pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from apps.sharing.facade.agreements import AgreementView, PossibleSide, VersionView
from apps.sharing.presets.preset_terms import preset_names
from apps.sharing.states import VersionState
from apps.sharing.terms import SharingRule
from apps.web import words
from apps.web.display.instants import dated
from apps.web.sharing.receipts import ReceiptRow
from apps.web.sharing.rule_form import RuleTable
from apps.web.sharing.terms_words import PRESETS, STATES, rule_changes, rule_sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetCard:
    """A preset in a sentence."""

    key: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """An agreement in the list, or a party with which there is none."""

    slug: str
    name: str
    mark: str
    parts: str
    state: str
    public_id: str = ""
    waits_for_reader: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRows:
    """A cluster's parties, and what there is with each."""

    slug: str
    name: str
    rows: tuple[AgreementRow, ...]
    unagreed: str  # names of those with whom there is nothing yet
    unagreed_slugs: str  # with commas


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenList:
    """What one side gives, in sentences."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A version, what it changed, and what became of it."""

    number: int
    state: str
    when: str
    who: str
    note: str
    ends: str
    end: str
    added: tuple[str, ...]
    gone: tuple[str, ...]
    is_current: bool
    is_waiting: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementPage:
    """One agreement with its history and what the reader may do."""

    public_id: str
    cluster: str
    cluster_slug: str
    other: str
    other_slug: str
    lead: str
    current: tuple[GivenList, ...]
    waiting: tuple[GivenList, ...]
    waiting_number: int
    current_number: int
    last_number: int
    waits_for_reader: bool
    versions: tuple[VersionRow, ...]
    tables: tuple[RuleTable, ...]
    note: str  # as it was typed
    until: str
    may_manage: bool
    signs_as: str
    receipts: tuple[ReceiptRow, ...] = ()


def preset_cards() -> tuple[PresetCard, ...]:
    """Return the presets in the order in which they are offered."""
    return tuple(
        PresetCard(key=name, name=str(PRESETS[name][0]), text=str(PRESETS[name][1]))
        for name in preset_names()
    )


def cluster_rows(
    *,
    slug: str,
    name: str,
    sides: Sequence[PossibleSide],
    agreements: Sequence[AgreementView],
) -> ClusterRows:
    """Return the parties of a cluster, each with what there is with it."""
    here = {each.other.slug: each for each in agreements if each.cluster.slug == slug}
    rows = [_row(side, here.pop(side.organization.slug, None)) for side in sides]
    # Who left the cluster since keeps its agreements readable.
    rows += [_left(view) for view in here.values()]
    bare = [row for row in rows if not row.public_id]
    return ClusterRows(
        slug=slug,
        name=name,
        rows=tuple(sorted(rows, key=lambda row: not row.waits_for_reader)),
        unagreed=words.joined([row.name for row in bare]),
        unagreed_slugs=",".join(row.slug for row in bare),
    )


def state_of(view: AgreementView) -> str:
    """Return where an agreement stands, in a few words."""
    if view.waits_for_reader:
        return _("waits for you")
    told = []
    if view.current is not None:
        since = view.current.in_force_at
        told.append(_("in force since %(day)s") % {"day": _day(since)} if since else _("in force"))
        if view.current.until:
            told.append(_("until %(day)s") % {"day": _day(view.current.until)})
    if view.waiting is not None:
        told.append(_("waits for %(name)s") % {"name": view.other.name})
    if not told:
        told.append(str(STATES[view.versions[0].state]) if view.versions else _("nothing agreed"))
    return ", ".join(told)


def agreement_page(
    *,
    view: AgreementView,
    tables: tuple[RuleTable, ...],
    note: str,
    until: str,
    may_manage: bool,
    signs_as: str,
) -> AgreementPage:
    """Return the page of one agreement."""
    current, waiting = view.current, view.waiting
    return AgreementPage(
        public_id=view.public_id,
        cluster=view.cluster.name,
        cluster_slug=view.cluster.slug,
        other=view.other.name,
        other_slug=view.other.slug,
        lead=words.sentence_case(state_of(view)),
        current=given_lists(view, current.gives) if current else (),
        waiting=given_lists(view, waiting.gives) if waiting else (),
        waiting_number=waiting.number if waiting else 0,
        current_number=current.number if current else 0,
        last_number=view.versions[0].number if view.versions else 0,
        waits_for_reader=view.waits_for_reader,
        versions=tuple(_version(each, view) for each in view.versions),
        tables=tables,
        note=note,
        until=until,
        may_manage=may_manage,
        signs_as=signs_as,
    )


def given_lists(
    view: AgreementView, gives: Mapping[str, Sequence[SharingRule]]
) -> tuple[GivenList, ...]:
    """Return what each side gives, the reader's own first."""
    titles = (
        (view.reader.slug, _("What you show %(name)s") % {"name": view.other.name}),
        (view.other.slug, _("What %(name)s shows you") % {"name": view.other.name}),
    )
    return tuple(
        GivenList(title=title, sentences=tuple(map(rule_sentence, gives.get(slug, ()))))
        for slug, title in titles
    )


def _row(side: PossibleSide, view: AgreementView | None) -> AgreementRow:
    return AgreementRow(
        slug=side.organization.slug,
        name=side.organization.name,
        mark=side.organization.mark,
        parts=words.parts(side.parts),
        state=state_of(view) if view else _("nothing agreed"),
        public_id=view.public_id if view else "",
        waits_for_reader=view.waits_for_reader if view else False,
    )


def _left(view: AgreementView) -> AgreementRow:
    return AgreementRow(
        slug=view.other.slug,
        name=view.other.name,
        mark=view.other.mark,
        parts=_("left the cluster"),
        state=state_of(view),
        public_id=view.public_id,
    )


def _version(version: VersionView, view: AgreementView) -> VersionRow:
    former = next((each for each in view.versions if each.number < version.number), None)
    added, gone = _changes(version, former, view)
    return VersionRow(
        number=version.number,
        state=str(STATES[version.state]),
        when=_day(version.in_force_at or version.proposed_at),
        who=_who(version),
        note=version.note,
        ends=_day(version.until) if version.until else "",
        end=_end(version),
        added=added,
        gone=gone,
        is_current=version.state is VersionState.IN_FORCE,
        is_waiting=version.state is VersionState.PROPOSED,
    )


def _changes(
    version: VersionView, former: VersionView | None, view: AgreementView
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    added: list[str] = []
    gone: list[str] = []
    for side in (view.reader, view.other):
        before = former.gives.get(side.slug, ()) if former else ()
        more, less = rule_changes(before, version.gives.get(side.slug, ()))
        added += [f"{side.name}: {each}" for each in more]
        gone += [f"{side.name}: {each}" for each in less]
    return tuple(added), tuple(gone)


def _who(version: VersionView) -> str:
    told = {"by": version.proposed_by, "name": version.proposer.name}
    proposed = _("proposed by %(by)s of %(name)s") % told
    if not version.signed_by:
        return proposed
    return _("%(proposed)s, signed by %(by)s") % {"proposed": proposed, "by": version.signed_by}


def _end(version: VersionView) -> str:
    if version.end is None:
        return ""
    told = {"name": version.end.organization.name, "day": _day(version.end.at)}
    text = _("%(name)s, %(day)s") % told
    return f"{text}: {version.end.reason}" if version.end.reason else text


def _day(at: datetime) -> str:
    return dated(at)
