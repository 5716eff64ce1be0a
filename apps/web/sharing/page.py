"""Agreements as their pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.sharing.facade.agreements import AgreementView, VersionView
from apps.sharing.states import VersionState
from apps.sharing.terms import SharingRule
from apps.web import words
from apps.web.display.instants import dated
from apps.web.sharing.agreement_list import state_of
from apps.web.sharing.receipts import ReceiptRow
from apps.web.sharing.rule_form import RuleTable
from apps.web.sharing.terms_words import STATES, rule_changes, rule_sentence


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
    is_first: bool


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
    has_open_form: bool = False
    receipts: tuple[ReceiptRow, ...] = ()


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
        has_open_form=not (current or waiting) and bool(view.versions),
    )


def given_lists(
    view: AgreementView, gives: Mapping[str, Sequence[SharingRule]]
) -> tuple[GivenList, ...]:
    """Return what each side gives, the reader's own first."""
    name = view.other.name
    titles = (
        (view.reader.slug, _("What you show %(name)s") % {"name": name}, name),
        (view.other.slug, _("What %(name)s shows you") % {"name": name}, ""),
    )
    return tuple(
        GivenList(
            title=title,
            sentences=tuple(rule_sentence(each, reader=reader) for each in gives.get(slug, ())),
        )
        for slug, title, reader in titles
    )


def _version(version: VersionView, view: AgreementView) -> VersionRow:
    former = next((each for each in view.versions if each.number < version.number), None)
    added, gone = _changes(version, former, view)
    return VersionRow(
        number=version.number,
        state=str(STATES[version.state]),
        when=dated(version.in_force_at or version.proposed_at),
        who=_who(version),
        note=version.note,
        ends=dated(version.until) if version.until else "",
        end=_end(version),
        added=added,
        gone=gone,
        is_current=version.state is VersionState.IN_FORCE,
        is_waiting=version.state is VersionState.PROPOSED,
        is_first=former is None,
    )


def _changes(
    version: VersionView, former: VersionView | None, view: AgreementView
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    added: list[str] = []
    gone: list[str] = []
    for side, shown_to in ((view.reader, view.other.name), (view.other, "")):
        before = former.gives.get(side.slug, ()) if former else ()
        more, less = rule_changes(before, version.gives.get(side.slug, ()), reader=shown_to)
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
    told = {"name": version.end.organization.name, "day": dated(version.end.at)}
    text = _("%(name)s, %(day)s") % told
    return f"{text}: {version.end.reason}" if version.end.reason else text
