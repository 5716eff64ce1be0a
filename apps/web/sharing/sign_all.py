"""Agreements that wait for one's signature, side by side, each with what it says."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from apps.sharing.facade.agreements import AgreementView
from apps.web.display.instants import dated
from apps.web.sharing.page import GivenList, given_lists
from apps.web.sharing.terms_words import PRESETS


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRow:
    """One agreement as its admin reads it before signing."""

    public_id: str
    number: int  # of the version that is read
    name: str
    terms: str  # of what cluster, by which preset, until when
    note: str
    lists: tuple[GivenList, ...]


def waiting_rows(agreements: Sequence[AgreementView]) -> tuple[WaitingRow, ...]:
    """Return those that wait for the reader's organization."""
    return tuple(_row(each) for each in agreements if each.waits_for_reader)


def _row(view: AgreementView) -> WaitingRow:
    version = view.waiting
    assert version is not None  # noqa: S101  it waits
    preset = str(PRESETS[version.preset][0]) if version.preset in PRESETS else _("terms of its own")
    parts = [view.cluster.name, preset]
    if view.current is not None:
        parts.append(_("in place of what holds now"))
    if version.until is not None:
        parts.append(_("until %(day)s") % {"day": dated(version.until)})
    return WaitingRow(
        public_id=view.public_id,
        number=version.number,
        name=view.other.name,
        terms=", ".join(parts),
        note=version.note,
        lists=given_lists(view, version.gives),
    )
